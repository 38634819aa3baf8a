"""Which language a text is in: those that are learned, others, and texts that do not show one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sfumato.language.hints import hinted
from sfumato.language.recognising import READ, TRAINED, UNTRAINED, recognised
from sfumato.models.token_classifier.card import Card

SENTENCES = {
    "da": "Hun ringede til mig i går, fordi hendes mand ikke havde det godt, og de skulle på hospitalet.",
    "de": "Sie hat mich gestern angerufen, weil es ihrem Mann nicht gut ging und sie ins Krankenhaus mussten.",
    "en": "She called me yesterday because her husband was not well and they had to go to the hospital.",
    "es": "Me llamó ayer porque su marido no estaba bien y tenían que ir al hospital con los niños.",
    "fi": "Hän soitti minulle eilen, koska hänen miehensä ei voinut hyvin ja heidän piti lähteä sairaalaan.",
    "fr": "Elle m'a appelé hier parce que son mari n'allait pas bien et qu'ils devaient aller à l'hôpital.",
    "it": "Mi ha chiamato ieri perché suo marito non stava bene e dovevano andare in ospedale.",
    "nl": "Ze belde mij gisteren omdat het niet goed ging met haar man en ze naar het ziekenhuis moesten.",
    "no": "Hun ringte meg i går fordi mannen hennes ikke hadde det bra, og nå måtte de bare dra til sykehuset.",
    "pt": "Ela ligou para mim ontem porque o marido não estava bem e eles tinham que ir para o hospital.",
    "ro": "M-a sunat ieri pentru că soțul ei nu se simțea bine și trebuiau să meargă la spital.",
    "sv": "Hon ringde mig i går för att hennes man inte mådde bra och de var tvungna att åka till sjukhuset.",
    "tr": "Dün beni aradı çünkü kocası iyi değildi ve hastaneye gitmek için çok geç oldu.",
}


def test_the_languages_are_those_of_the_card() -> None:
    assert set(SENTENCES) == set(READ)
    assert set(TRAINED) == set(Card.of(None).languages)
    assert not set(UNTRAINED) & set(TRAINED)


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_shows_its_language(code: str) -> None:
    assert recognised([SENTENCES[code]]) == code
    assert recognised([SENTENCES[code].upper()]) == code
    assert recognised(SENTENCES[code].split(", ")) == code  # the texts of a record are read together


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Zadzwoniła do mnie wczoraj, bo jej mąż nie czuł się dobrze i musieli jechać do szpitala.", "pl"),
        ("Pacjentka leży w szpitalu z bólem i nie śpi o nocy, i nie je.", "pl"),
        ("Она позвонила мне вчера, потому что её муж не очень хорошо себя чувствовал.", "ru"),
    ],
)
def test_another_language_is_not_taken_for_one_that_is_learned(text: str, code: str) -> None:
    assert recognised([text]) == code
    assert code not in READ


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("pt", "Não sei onde está o meu cartão."),
        ("pt", "A doente foi ontem à consulta."),
        ("pt", "Você pode me ligar mais tarde?"),
        ("pt", "Preciso de falar com o médico."),
        ("pt", "oi, td bem? vc pode me ajudar?"),
        ("pt", "Meu pedido não chegou"),
        ("es", "No sé dónde está mi tarjeta."),
        ("es", "¿Puede llamarme más tarde?"),
        ("es", "Necesito hablar con el médico."),
        ("es", "El paciente niega dolor y fiebre."),
        ("es", "Mi pedido no ha llegado"),
        ("pt", "O arguido foi condenado."),
        ("es", "El acusado fue condenado."),
    ],
)
def test_portuguese_and_spanish_are_told_apart_in_a_short_text(code: str, text: str) -> None:
    assert recognised([text]) == code


@pytest.mark.parametrize("text", ["Condenado por robo.", "Pago urgente"])
def test_a_text_that_may_be_of_either_is_in_none(text: str) -> None:
    assert recognised([text]) is None


@pytest.mark.parametrize(
    "text",
    [
        "", "12 345", "😀", "Anna Larsen", "Ok.", "ID 550-88213", "她昨天给我打电话",
        "xq zzk wrt plk mnv the of and brtz klw vlst", "SGVsbG8gd29ybGQ base64 a2V5 dGhlIHF1aWNr",
    ],
)  # fmt: skip
def test_a_text_that_shows_no_language_is_in_none(text: str) -> None:
    assert recognised([text]) is None


def test_a_text_of_two_languages_is_in_one_of_them() -> None:
    assert recognised([SENTENCES["de"] * 3 + SENTENCES["en"]]) == "de"


SHORT = {
    "de": ["Herr Meier kommt um 9.", "Frau Dr. Schulz ist krank.", "Bitte Herrn Krause anrufen."],
    "es": ["El señor García llega a las 9.", "La testigo Ruiz calló, según el juez."],
    "fr": ["M. Dupont est né le 3/5/1970.", "Mme Durand est malade."],
    "it": ["Il signor Rossi arriva alle 9.", "La sig.ra Bianchi è malata."],
    "nl": ["Mevrouw Jansen is ziek.", "Bel dhr. Bakker vandaag."],
    "pt": ["O senhor Silva chega às 9.", "A Sra. Costa está doente."],
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in SHORT.items() for text in texts])
def test_titles_small_words_and_keys_tell_the_language_of_a_short_text(code: str, text: str) -> None:
    assert recognised([text]) == code


@pytest.mark.parametrize(
    "text",
    [
        "El Paso, TX", "Las Vegas", "Die Hard", "Frau Merkel", "Leonardo da Vinci", "Charles de Gaulle", "Dr. Meier",
        "John Koch and Frau Meier", "call Herr Meier um 9", "postcode and street", "client a token of",
        "Señor Frog's bar", "schick iban", "Anna Berg 3/5/2019", "Madame Tussauds",
    ],
)  # fmt: skip
def test_a_name_or_a_word_of_english_leaves_a_short_text_in_no_language(text: str) -> None:
    assert recognised([text]) in (None, "en")


def test_no_piece_of_an_english_page_becomes_another_language_by_lists() -> None:
    """Of some thousand pieces, not one is told by the hints."""
    words = re.findall(r"[\w'-]+", (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    pieces = (words[start : start + size] for size in (2, 3, 5, 8) for start in range(len(words) - size))
    assert not [piece for piece in pieces if hinted(piece)]
