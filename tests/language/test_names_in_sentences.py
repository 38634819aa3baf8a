"""Rules find names, addresses and codes in sentences and forms of a language, and none where there are none."""

from __future__ import annotations

import pytest

from sfumato.detectors.forms import found
from sfumato.language.languages import LANGUAGES

FOUND = {
    "fr": [
        ("Mme Dupont a vu le Dr Le Goff et M. de La Tour.", {"Dupont", "Le Goff", "de La Tour"}),
        ("Nom : LEFEVRE\nPrénom : Anne-Marie", {"LEFEVRE", "Anne-Marie"}),
        ("Patient : DURAND Paul (IPP 8004512345)", {"DURAND Paul", "8004512345"}),
        ("Opérée par le docteur Martin, revue par la professeure Leroy.", {"Martin", "Leroy"}),
        ("Maître Élise Caron représente madame Haddad.", {"Élise Caron", "Haddad"}),
        ("Vu par Claire Fontaine ce jour.", {"Claire Fontaine"}),
        ("Domicile : 12 bis, rue de la République, 69003 Lyon", {"12 bis, rue de la République, 69003 Lyon"}),
        ("N° de sécurité sociale : 2 55 08 14 168 025 38", {"2 55 08 14 168 025 38"}),
        ("Joignable au 06 12 34 56 78.", {"06 12 34 56 78"}),
        ("Mot de passe : azerty123", {"azerty123"}),
    ],
    "it": [
        ("Il sig. Rossi e la sig.ra De Luca con il dott. Lo Presti.", {"Rossi", "De Luca", "Lo Presti"}),
        ("La dott.ssa D'Angelo e l'avv. Conti.", {"D'Angelo", "Conti"}),
        ("Cognome e nome: BIANCHI Maria Grazia", {"BIANCHI Maria Grazia"}),
        ("Paziente: Rossi Mario, nosologico 2019001234", {"Rossi Mario", "2019001234"}),
        ("Refertato da Anna Verdi", {"Anna Verdi"}),
        ("C.F. RSSMRA80A01H501U", {"RSSMRA80A01H501U"}),
        ("Abita in Via dei Mille n. 5, 80121 Napoli", {"Via dei Mille n. 5, 80121 Napoli"}),
        ("Cell. 347 123 4567", {"347 123 4567"}),
        ("Password: pippo99", {"pippo99"}),
    ],
    "de": [
        ("Vor- und Nachname: Anna-Lena Meier", {"Anna-Lena Meier"}),
        ("Patient: MÜLLER Hans, Versichertennummer: A123456780", {"MÜLLER Hans", "A123456780"}),
        ("Name: Schulz, Peter Paul", {"Schulz, Peter Paul"}),
        ("Az.: 12 O 345/19", {"12 O 345/19"}),
        ("Untersucht von Jutta Vogel am Montag.", {"Jutta Vogel"}),
        ("Benutzername: jmeier77\nKennwort: geheim99", {"jmeier77", "geheim99"}),
        ("Anschrift: Lindenweg 12, 53111 Bonn", {"Lindenweg 12, 53111 Bonn"}),
    ],
    "pt": [
        ("A Sr.ª D. Maria da Luz e o Dr. Sá Carneiro.", {"Maria da Luz", "Sá Carneiro"}),
        ("Nome: Ana Beatriz dos Santos\nApelido: QUEIRÓS", {"Ana Beatriz dos Santos", "QUEIRÓS"}),
        ("NOME DA MAE: ROSA DE JESUS", {"ROSA DE JESUS"}),
        ("Observada por Clara Nunes no serviço.", {"Clara Nunes"}),
        ("Autor: Pedro Sousa do Banco Central", {"Pedro Sousa"}),
        ("CC 00000000 0 ZZ4 e PT501964843", {"00000000 0 ZZ4", "PT501964843"}),
        ("CPF 529.982.247-25, CNPJ: 11.222.333/0001-81", {"529.982.247-25", "11.222.333/0001-81"}),
        ("NISS: 12345678902, n.º de utente 298745123", {"12345678902", "298745123"}),
        ("Mora na Rua do Ouro, n.º 5, 1100-060 Lisboa", {"Rua do Ouro, n.º 5, 1100-060 Lisboa"}),
        ("Telemóvel 912 345 678, celular (11) 98765-4321", {"912 345 678", "(11) 98765-4321"}),
        ("a senha é gato123 e o login é ana.b7", {"gato123", "ana.b7"}),
        ("Palavra-passe: gatinho99", {"gatinho99"}),
    ],
    "nl": [
        ("Naam patiënt: Anna Bakker", {"Anna Bakker"}),
        ("Verdachte: Kees Bakker, BSN: 123456782", {"Kees Bakker", "123456782"}),
        ("Gezien door Marieke Smit in de kliniek.", {"Marieke Smit"}),
        ("Wachtwoord: geheim99", {"geheim99"}),
        ("Adres: Dorpsstraat 12, 3511 AB Utrecht", {"Dorpsstraat 12, 3511 AB Utrecht"}),
    ],
}
FOUND["es"] = [
    ("Nombre: Lucía\nApellidos: Fernández de Córdoba Ruiz", {"Lucía", "Fernández de Córdoba Ruiz"}),
    ("APELLIDOS Y NOMBRE: GARCÍA LÓPEZ, MARÍA", {"GARCÍA LÓPEZ, MARÍA"}),
    ("Paciente: García López, María, NHC 458823", {"García López, María", "458823"}),
    ("Paciente: García López, NHC 458823", {"García López", "458823"}),
    ("MEDICO: DRA. LOPEZ IBAÑEZ", {"LOPEZ IBAÑEZ"}),
    ("Médico: Dr. J. L. Ortega y Gasset", {"J. L. Ortega y Gasset"}),
    ("Direccio\u0301n: Calle Mayor 5\nMe\u0301dico: Jose\u0301 Ruiz", {"Jose\u0301 Ruiz", "Calle Mayor 5"}),
    ("La Sra. de la Torre y don Íñigo Arana con la doctora Paz.", {"de la Torre", "Íñigo Arana", "Paz"}),
    ("Atendida por Dra. Begoña Sanz, remitida por Luis Mora.", {"Begoña Sanz", "Luis Mora"}),
    ("con DNI 12345678Z vecino de Lugo", {"12345678Z"}),
    ("Nº de historia: 458823, autos nº 123/2019", {"458823", "123/2019"}),
    ("CURP GOMC800101MDFRRL09, CUIT 20-12345678-6, RUT 12.345.678-5", {"GOMC800101MDFRRL09", "20-12345678-6"}),
    ("paga con el 2100 0418 45 0200051332 de A58818501", {"2100 0418 45 0200051332", "A58818501"}),
    ("Médico: Luis Ripa NºCol: 31 31 55689", {"Luis Ripa"}),
    ("c/ Alcalá 123, 4º B, 28009 Madrid", {"c/ Alcalá 123, 4º B, 28009 Madrid"}),
    ("Avda. de la Paz, 7, 3º izq.", {"Avda. de la Paz, 7, 3º izq."}),
    ("Matrícula 1234 BCD, móvil 612 345 678", {"1234 BCD", "612 345 678"}),
]
NOTHING = {
    "es": [
        "El señor presidente, la doctora de guardia, doña y don.",
        "Apellidos: no consta",
        "La enfermedad de Parkinson y el síndrome de Down.",
        "Informe del paciente: Paciente estable, sin NºCol: consta",
        "En el episodio 2 de la serie, con referencia a 3 de ellos.",
    ],
    "fr": [
        "Madame la Présidente, M. le Maire, le docteur de garde.",
        "Me voici donc à Paris avec la présidente.",
        "Nom : néant",
        "La maladie de Parkinson et le syndrome de Down progressent.",
        "Le Doliprane se prend en Mars comme en Avril.",
        "Monsieur, Madame, veuillez agréer nos salutations.",
    ],
    "de": ["Name: unbekannt", "Der Patient schläft.", "Die Alzheimer-Krankheit und das Down-Syndrom."],
    "pt": [
        "Nome: não consta",
        "O Presidente da República, senhor presidente, senhora doutora.",
        "A doença de Parkinson e a síndrome de Down.",
        "Autor: Banco do Brasil",
        "A senha é pessoal e o pedido n.º é secreto.",
    ],
    "nl": ["Naam: onbekend", "De patiënt slaapt.", "Kom je naar oma in Breda?", "De ziekte van Parkinson neemt toe."],
    "it": [
        "La cartella n. 5 del paziente.",
        "Il Presidente della Repubblica, signor presidente, dottore.",
        "Cognome: n.d.",
        "Il morbo di Parkinson e la Tachipirina.",
        "Gentile signora, egregio dottore, distinti saluti.",
        "L'ingegnere e la maestra sono in ferie a Natale.",
    ],
}


@pytest.mark.parametrize(("code", "row"), [(code, row) for code, rows in FOUND.items() for row in rows])
def test_rules_find_what_a_word_announces(code: str, row: tuple[str, set[str]]) -> None:
    text, expected = row
    values = {text[each.start : each.end] for each in found(text, LANGUAGES[code])}
    assert expected <= values


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in NOTHING.items() for text in texts])
def test_rules_find_no_name_where_there_is_none(code: str, text: str) -> None:
    assert [text[each.start : each.end] for each in found(text, LANGUAGES[code])] == []
