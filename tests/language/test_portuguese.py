"""Sentences of hospitals, courts, forms and chats in Portuguese: what they hold is marked, with its kind.

They are of Portugal and of Brazil, some in capitals without accents or with accents as signs of their own. The first
24 were written before the rules were.
"""

from __future__ import annotations

import pytest

from sfumato.detectors.identifiers import Identifiers
from sfumato.text.document import Document

SENTENCES = [
    (
        "Doente do sexo feminino, Maria da Conceição Ferreira dos Santos, nascida a 3 de março de 1954, "
        "natural de Viseu, deu entrada no Hospital de São Teotónio no dia 12/05/2021.",
        {
            "Maria da Conceição Ferreira dos Santos": "PERSON",
            "3 de março de 1954": "DATE",
            "Viseu": "LOCATION",
            "Hospital de São Teotónio": "ORGANIZATION",
            "12/05/2021": "DATE",
        },
    ),
    (
        "Utente n.º 298 745 123, NIF 123456789, enviado pelo Dr. António e Silva do Centro de Saúde de Odivelas.",
        {
            "298 745 123": "CODE",
            "123456789": "CODE",
            "António e Silva": "PERSON",
            "Centro de Saúde de Odivelas": "ORGANIZATION",
        },
    ),
    (
        "A Dra. Inês Magalhães observou o doente na segunda-feira, 5 de abril, pelas 14h30.",
        {"Inês Magalhães": "PERSON", "segunda-feira, 5 de abril": "DATE", "14h30": "DATE"},
    ),
    (
        "O Sr. João Pedro Teixeira, de 67 anos, reside na Rua das Flores, n.º 12, 3.º Esq., 4050-262 Porto.",
        {
            "João Pedro Teixeira": "PERSON",
            "Rua das Flores, n.º 12": "LOCATION",
            "4050-262": "LOCATION",
            "Porto": "LOCATION",
        },
    ),
    (
        "Paciente: José Carlos de Oliveira Filho, CPF 529.982.247-25, prontuário nº 0045871, internado na UTI "
        "do Hospital das Clínicas em 23/08/2020.",
        {
            "José Carlos de Oliveira Filho": "PERSON",
            "529.982.247-25": "CODE",
            "0045871": "CODE",
            "Hospital das Clínicas": "ORGANIZATION",
            "23/08/2020": "DATE",
        },
    ),
    (
        "PACIENTE MARIA APARECIDA DE SOUZA, RESIDENTE EM SAO PAULO, DIAGNOSTICO DE PNEUMONIA EM MARCO DE 2021.",
        {"MARIA APARECIDA DE SOUZA": "PERSON", "SAO PAULO": "LOCATION", "MARCO DE 2021": "DATE"},
    ),
    (
        "Acompanhada pela filha, Luciana Nascimento, telefone (11) 98765-4321, a paciente nega alergias.",
        {"Luciana Nascimento": "PERSON", "(11) 98765-4321": "PHONE_NUMBER"},
    ),
    (
        "No processo n.º 1234/19.5T8LSB, que corre termos no Tribunal Judicial da Comarca de Lisboa, o arguido "
        "Carlos Manuel Pires Lopes foi condenado na pena de 3 anos de prisão.",
        {
            "1234/19.5T8LSB": "CODE",
            "Tribunal Judicial da Comarca de Lisboa": "ORGANIZATION",
            "Carlos Manuel Pires Lopes": "PERSON",
        },
    ),
    (
        "A testemunha Ana Rita d'Almeida Gouveia, solteira, enfermeira, titular do Cartão de Cidadão n.º "
        "12345678 9 ZZ4, declarou residir em Vila Nova de Gaia.",
        {"Ana Rita d'Almeida Gouveia": "PERSON", "12345678 9 ZZ4": "CODE", "Vila Nova de Gaia": "LOCATION"},
    ),
    (
        "Trata-se de ação movida por Marcos Vinícius Ribeiro contra a Construtora Horizonte Ltda., CNPJ "
        "11.222.333/0001-81, perante a 3ª Vara Cível de Curitiba.",
        {
            "Marcos Vinícius Ribeiro": "PERSON",
            "Construtora Horizonte Ltda": "ORGANIZATION",
            "11.222.333/0001-81": "CODE",
        },
    ),
    (
        "Processo nº 0001234-56.2019.8.26.0100. Autor: Paulo Roberto Moreira. Ré: Banco do Brasil S.A.",
        {"0001234-56.2019.8.26.0100": "CODE", "Paulo Roberto Moreira": "PERSON", "Banco do Brasil": "ORGANIZATION"},
    ),
    (
        "O juiz Dr. Eduardo Cavalcanti deferiu o pedido em 1º de fevereiro de 2018.",
        {"Eduardo Cavalcanti": "PERSON", "1º de fevereiro de 2018": "DATE"},
    ),
    (
        "Nome: Beatriz Fonseca Lobo\nData de nascimento: 14-07-1989\nMorada: Av. da Liberdade, 110, 2.º "
        "Dto.\nCódigo postal: 1250-146 Lisboa\nTelemóvel: 912 345 678\nProfissão: enfermeira",
        {
            "Beatriz Fonseca Lobo": "PERSON",
            "14-07-1989": "DATE",
            "Av. da Liberdade, 110": "LOCATION",
            "1250-146 Lisboa": "LOCATION",
            "912 345 678": "PHONE_NUMBER",
            "enfermeira": "OCCUPATION",
        },
    ),
    (
        "Nome completo: Rafael Barbosa e Silva\nRG: 12.345.678-9 SSP/SP\nEndereço: Rua Augusta, 1500, apto "
        "42\nCEP: 01304-001\nCelular: +55 21 99876-5432\nE-mail: rafa.silva@exemplo.com.br",
        {
            "Rafael Barbosa e Silva": "PERSON",
            "12.345.678-9": "CODE",
            "Rua Augusta, 1500": "LOCATION",
            "01304-001": "LOCATION",
            "+55 21 99876-5432": "PHONE_NUMBER",
            "rafa.silva@exemplo.com.br": "EMAIL_ADDRESS",
        },
    ),
    (
        "Nome do pai: Joaquim Antunes\nNome da mãe: Rosa Maria Antunes\nNaturalidade: Évora\nNISS: 12345678901",
        {"Joaquim Antunes": "PERSON", "Rosa Maria Antunes": "PERSON", "Évora": "LOCATION", "12345678901": "CODE"},
    ),
    (
        "IBAN PT50 0002 0123 1234 5678 9015 4, em nome de Sofia Raposo.",
        {"PT50 0002 0123 1234 5678 9015 4": "CODE", "Sofia Raposo": "PERSON"},
    ),
    (
        "oi, aqui é a Fernanda Lima, meu pedido 4587123 ainda não chegou em Belo Horizonte, podem me ligar no "
        "31 99123-4567?",
        {"Fernanda Lima": "PERSON", "4587123": "CODE", "Belo Horizonte": "LOCATION"},
    ),
    (
        "Olá, o meu marido, o Rui Tavares, ficou sem internet desde ontem; a morada é Rua do Carmo 25, Braga.",
        {"Rui Tavares": "PERSON", "ontem": "DATE", "Rua do Carmo 25": "LOCATION"},
    ),
    (
        "minha senha é gatinho123 e o login é fe.lima88",
        {"gatinho123": "SECRET", "fe.lima88": "ACCOUNT"},
    ),
    (
        "Falei com a Catarina do apoio ao cliente na sexta-feira passada e ela disse que o técnico Nuno Barros "
        "vinha cá.",
        {"Catarina": "PERSON", "sexta-feira passada": "DATE", "Nuno Barros": "PERSON"},
    ),
    (
        "Hi team, o cliente Gustavo Henrique Pacheco pediu um refund, please check o pedido dele em Porto Alegre.",
        {"Gustavo Henrique Pacheco": "PERSON", "Porto Alegre": "LOCATION"},
    ),
    (
        "Trabalha no Porto, estudou na Universidade do Minho e mudou-se do Rio de Janeiro em janeiro de 2015.",
        {
            "Porto": "LOCATION",
            "Universidade do Minho": "ORGANIZATION",
            "Rio de Janeiro": "LOCATION",
            "janeiro de 2015": "DATE",
        },
    ),
    (
        "O senhor Anto\u0301nio Conceic\u0327a\u0303o Guimara\u0303es nasceu a 2 de marc\u0327o de 1960 em "
        "Guimara\u0303es.",
        {"Anto\u0301nio Conceic\u0327a\u0303o Guimara\u0303es": "PERSON", "2 de marc\u0327o de 1960": "DATE"},
    ),
    (
        "A Exma. Sra. D. Leonor de Sá e Menezes, viúva do Engº Duarte Pacheco, vive na Figueira da Foz.",
        {"Leonor de Sá e Menezes": "PERSON", "Duarte Pacheco": "PERSON", "Figueira da Foz": "LOCATION"},
    ),
    (
        "Relatório de alta: o utente Joaquim dos Santos e Silva, de 81 anos, NISS 12345678902, foi transferido "
        "para a Unidade de Cuidados Continuados de Tavira a 4/2/2022.",
        {"Joaquim dos Santos e Silva": "PERSON", "12345678902": "CODE", "4/2/2022": "DATE"},
    ),
    (
        "DOENTE JOSE ANTONIO DA CONCEICAO MARTINS, NASCIDO A 02/11/1948, RESIDENTE NA RUA DA ALEGRIA, 33, COVILHA.",
        {
            "JOSE ANTONIO DA CONCEICAO MARTINS": "PERSON",
            "02/11/1948": "DATE",
            "RUA DA ALEGRIA, 33": "LOCATION",
            "COVILHA": "LOCATION",
        },
    ),
    (
        "Médico responsável: Dra. Teresa Vaz Pinto (OM n.º 45678)\nN.º de utente: 298745123\nData de nasc.: "
        "09.09.1970",
        {"Teresa Vaz Pinto": "PERSON", "45678": "CODE", "298745123": "CODE", "09.09.1970": "DATE"},
    ),
    (
        "A enfermeira Sónia Quaresma telefonou ao filho do doente, Hugo Quaresma, na segunda-feira à tarde.",
        {"Sónia Quaresma": "PERSON", "Hugo Quaresma": "PERSON", "segunda-feira à tarde": "DATE"},
    ),
    (
        "Paciente trazida pelo SAMU de Feira de Santana; acompanhante: Sra. Dalva Pereira, celular (75) 99123-4567.",
        {"Dalva Pereira": "PERSON", "(75) 99123-4567": "PHONE_NUMBER"},
    ),
    (
        "O réu, Wellington da Silva Costa, RG nº 34.567.890-1, CPF nº 111.444.777-35, foi citado em Ribeirão "
        "Preto/SP.",
        {"Wellington da Silva Costa": "PERSON", "34.567.890-1": "CODE", "111.444.777-35": "CODE"},
    ),
    (
        "Vistos. Maria Eduarda Bezerra ajuizou ação em face de Telefônica Brasil S.A. perante o Tribunal de "
        "Justiça da Bahia.",
        {
            "Maria Eduarda Bezerra": "PERSON",
            "Telefônica Brasil": "ORGANIZATION",
            "Tribunal de Justiça da Bahia": "ORGANIZATION",
        },
    ),
    (
        "Acordam os juízes do Tribunal da Relação de Évora: recorrente Pedro Miguel Nobre, recorrida Caixa "
        "Geral de Depósitos.",
        {
            "Tribunal da Relação de Évora": "ORGANIZATION",
            "Pedro Miguel Nobre": "PERSON",
            "Caixa Geral de Depósitos": "ORGANIZATION",
        },
    ),
    (
        "Advogada: Dr.ª Rita Sá Couto, cédula profissional n.º 12345L, com escritório na Av. da República, n.º "
        "45, 2.º, Lisboa.",
        {"Rita Sá Couto": "PERSON", "12345L": "CODE", "Av. da República, n.º 45": "LOCATION", "Lisboa": "LOCATION"},
    ),
    (
        "Nome: CARLA SUSANA DIAS\nNIF: 501964843\nMorada: Travessa do Fala-Só, 8, 1.º Dto\nLocalidade: "
        "Faro\nTelefone: 289 123 456",
        {
            "CARLA SUSANA DIAS": "PERSON",
            "501964843": "CODE",
            "Travessa do Fala-Só, 8": "LOCATION",
            "Faro": "LOCATION",
            "289 123 456": "PHONE_NUMBER",
        },
    ),
    (
        "Nome da mãe: Francisca das Chagas Sousa; Naturalidade: Sobral; Estado civil: casada; Profissão: costureira",
        {"Francisca das Chagas Sousa": "PERSON", "Sobral": "LOCATION", "costureira": "OCCUPATION"},
    ),
    (
        "oi, meu nome é Thiago Nogueira, minha senha é Fla2019 e moro na rua Voluntários da Pátria 120 em Botafogo",
        {
            "Thiago Nogueira": "PERSON",
            "Fla2019": "SECRET",
            "rua Voluntários da Pátria 120": "LOCATION",
            "Botafogo": "LOCATION",
        },
    ),
    (
        "Boa tarde, sou a Marta do 3.º B, o Sr. Engenheiro Vasco Mourão não atende, podem ligar para o 934 567 890?",
        {"Marta": "PERSON", "Vasco Mourão": "PERSON", "934 567 890": "PHONE_NUMBER"},
    ),
    (
        "Hey, can you forward isto ao João Figueiredo? O meeting com a Vodafone foi adiado para 12 de outubro.",
        {"João Figueiredo": "PERSON", "Vodafone": "ORGANIZATION", "12 de outubro": "DATE"},
    ),
    (
        "Cliente Sra. D. Odete Brandão e Castro, contrato n.º 2021/4567, IBAN PT50000201231234567890154.",
        {"Odete Brandão e Castro": "PERSON", "2021/4567": "CODE", "PT50000201231234567890154": "CODE"},
    ),
    (
        "A utente foi observada pelo Dr. Luís Filipe na Urgência do Hospital Garcia de Orta, em Almada, entre "
        "os dias 3 e 7 de maio de 2020.",
        {
            "Luís Filipe": "PERSON",
            "Hospital Garcia de Orta": "ORGANIZATION",
            "Almada": "LOCATION",
            "3 e 7 de maio de 2020": "DATE",
        },
    ),
    (
        "meu CPF e\u0301 529.982.247-25 e o CEP e\u0301 30140-071, obrigada, Patri\u0301cia",
        {"529.982.247-25": "CODE", "Patri\u0301cia": "PERSON"},
    ),
    (
        "Vive na Guarda, trabalhou no Luxemburgo e é natural da Figueira da Foz.",
        {"Guarda": "LOCATION", "Luxemburgo": "LOCATION", "Figueira da Foz": "LOCATION"},
    ),
]
PLAIN = [
    "O autor requer a concessão da gratuidade da justiça, nos termos do art. 98 do CPC.",
    "Nome: não informado",
    "Bom dia, doutora, muito obrigada pela sua ajuda.",
    "A doença de Parkinson e a síndrome de Down.",
    "O padeiro faz o pão, o pescador pesca.",
    "Ibuprofeno toma-se às refeições, e o efeito da radiação nos tecidos é conhecido.",
    "O recorrente não tem razão, pelo que se nega provimento ao recurso.",
    "A paciente dorme e o médico de serviço passa visita.",
    "Senhor Presidente, senhora doutora, com os melhores cumprimentos.",
    "Apelido: não consta",
    "Bom dia, o pedido chegou partido e quero trocar o produto.",
]
EXACT = [
    ("Trabalha no Porto e vive na Guarda.", ["Porto", "Guarda"]),
    ("Mudou-se do Rio de Janeiro em janeiro de 2015.", ["Rio de Janeiro", "janeiro de 2015"]),
    ("Voltou ontem à noite, e na sexta-feira passada, na Figueira da Foz.", ["ontem à noite", "sexta-feira passada"]),
    ("O Dr. António e Silva do Hospital de Faro", ["Hospital de Faro"]),
    ("Autor: João dos Santos. Ré: Banco do Brasil", ["João dos Santos", "Banco do Brasil"]),
    ("meu pedido 4587123 ainda não chegou em Belo Horizonte", ["4587123", "Belo Horizonte"]),
]


@pytest.mark.parametrize(("text", "private"), SENTENCES)
def test_what_a_sentence_holds_is_marked_with_its_kind(text: str, private: dict[str, str]) -> None:
    [spans] = Identifiers(language="pt").detect([Document(text)])
    for value, label in private.items():
        start = text.index(value)
        labels = {span.label for span in spans if span.start <= start and start + len(value) <= span.end}
        assert labels == {label}, value


@pytest.mark.parametrize("text", PLAIN)
def test_nouns_and_drugs_name_nobody(text: str) -> None:
    [spans] = Identifiers(language="pt").detect([Document(text)])
    assert not {span.label for span in spans} & {"PERSON", "ORGANIZATION", "LOCATION", "CODE", "GROUP"}


@pytest.mark.parametrize(("text", "values"), EXACT)
def test_a_mark_ends_where_its_value_does(text: str, values: list[str]) -> None:
    [spans] = Identifiers(language="pt").detect([Document(text)])
    assert set(values) <= {text[span.start : span.end] for span in spans}
