"""What a network marks in another language is no key of a field, and begins within no title."""

from __future__ import annotations

import pytest

from sfumato.detectors.forms import behind_title, found, is_key, is_land
from sfumato.language.languages import LANGUAGES


@pytest.mark.parametrize(
    ("code", "words", "is_one"),
    [
        ("it", "C.F.", True),
        ("it", "Cognome", True),
        ("it", "Rossi", False),
        ("fr", "NIR", True),
        ("fr", "Date de naissance :", True),
        ("fr", "Durand", False),
        ("de", "Az.", True),
        ("de", "Anamnese:", True),
        ("de", "Vielen Dank", True),
        ("de", "Hausarzt", True),
        ("de", "Richter", False),
        ("de", "Dr.", True),
        ("de", "der Oma", True),
        ("nl", "Groetjes", True),
        ("es", "C.P.", True),
        ("es", "Médico", True),
        ("es", "MEDICO", True),
        ("es", "Colonia", False),
        ("xx", "C.F.", False),
    ],
)
def test_a_key_of_a_field_is_no_value(code: str, words: str, is_one: bool) -> None:
    assert is_key(words, LANGUAGES.get(code)) is is_one


def test_a_word_for_people_is_a_key_where_a_name_is_expected() -> None:
    assert not is_key("Hausarzt", LANGUAGES["de"], "OCCUPATION")


@pytest.mark.parametrize(
    ("code", "text", "marked", "name"),
    [
        ("it", "La sig.ra Conti", "ra Conti", "Conti"),
        ("it", "la DOTT.SSA CONTI", "SSA CONTI", "CONTI"),
        ("it", "La sig.ra Conti", "sig.ra Conti", "sig.ra Conti"),
        ("it", "La sig.ra Conti", "Conti", "Conti"),
        ("it", "Il sig. Conti", "Conti", "Conti"),
        ("fr", "Mme Conti", "Conti", "Conti"),
    ],
)
def test_a_name_begins_behind_its_title(code: str, text: str, marked: str, name: str) -> None:
    assert text[behind_title(text, text.index(marked), LANGUAGES[code]) :] == name


@pytest.mark.parametrize(
    ("code", "words", "is_one"),
    [("it", "Svizzera", True), ("it", "Conti", False), ("fr", "Maroc", True), ("", "Maroc", False)],
)
def test_a_country_is_nobody(code: str, words: str, is_one: bool) -> None:
    assert is_land(words, LANGUAGES.get(code)) is is_one


@pytest.mark.parametrize(("value", "label"), [("Im Sommer 2020", "DATE"), ("Im Winkel 20", "LOCATION")])
def test_a_date_that_looks_like_a_street_is_a_date(value: str, label: str) -> None:
    text = f"Sie war, {value}, krank."
    assert {span.label for span in found(text, LANGUAGES["de"]) if text[span.start : span.end] == value} == {label}


@pytest.mark.parametrize(
    ("text", "streets"),
    [
        ("Sie wohnt Am Markt 3 in Bonn.", ["Am Markt 3"]),
        ("Jens Alt\nAm Alten Markt 3\n53111 Bonn", ["Am Alten Markt 3\n53111 Bonn"]),
        ("Am Markt 3, 53111 Bonn", ["Am Markt 3, 53111 Bonn"]),
        ("Am Tag 3 war sie fieberfrei. Im Verlauf 2 Episoden.", []),
        ("Aufnahme am 15.4. Am Tag 3 war sie wach.", []),
        ("Sie kam. Unter den Gästen 3 Kinder.", []),
    ],
)
def test_a_preposition_begins_a_street_within_a_sentence_or_a_line(text: str, streets: list[str]) -> None:
    assert sorted({text[span.start : span.end] for span in found(text, LANGUAGES["de"])}) == streets


@pytest.mark.parametrize(
    ("code", "text", "address"),
    [
        ("es", "Vive en Calle Olmo 7, Aranjuez, 28300.", "Calle Olmo 7, Aranjuez, 28300"),
        ("es", "Envíelo a Privada Juárez 12, San Pedro los Pinos, DF 03800.", None),
        ("pt", "Mora na Rua Sol, 9, Boa Vista, 69301-110 Rio do Campo / RR.", None),
        ("pt", "Rodovia dos Tamoios, Bairro Alto, 11600000 Pedra do Mar - SP", None),
        ("es", "Privada Ruiz 71 Edif. 22 , Depto. 7, Nueva Lugo, Q. ROO 28300-1234", None),
        ("es", "C. Olmo 101 Interior 22, Villa de los Olmos de la Sierra, SON 28300", None),
        ("pt", "Rua Sol, S/N, 1200-100 Faro", None),
        ("pt", "Rua Sol, 9, Maria chegou com 20 alunos.", "Rua Sol, 9"),
        ("es", "Calle Olmo 7, Marta pagó 12345678 euros", "Calle Olmo 7"),
    ],
)
def test_a_quarter_and_a_postcode_are_part_of_an_address(code: str, text: str, address: str | None) -> None:
    """The whole address is one mark, with all from its street on where no part is named here."""
    whole = max((own for own in found(text, LANGUAGES[code]) if own.label == "LOCATION"), key=lambda own: own.end)
    start = min(text.find(word) for word in ("Calle", "C.", "Privada", "Rua", "Rodovia") if word in text)
    assert text[whole.start : whole.end] == (address or text[start:].rstrip("."))


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        ("pt", "Apelido: Nascimento\nNome: Ana", "Nascimento"),
        ("pt", "Paciente: Nascimento", "Nascimento"),
        ("pt", "O Sr. Nascimento foi", "Nascimento"),
        ("pt", "A Dra. Casado viu", "Casado"),
        ("es", "Apellidos: Sur", "Sur"),
        ("de", "Name: Befund", "Befund"),
        ("de", "Herr Norden sagt", "Norden"),
        ("pt", "Nome\tNascimento\tSexo", ""),
        ("es", "Paciente: Gracias, Juan", ""),
    ],
)
def test_a_name_that_is_also_a_key_is_marked_where_a_key_or_a_title_announces_it(
    code: str, text: str, name: str
) -> None:
    marked = {text[own.start : own.end] for own in found(text, LANGUAGES[code]) if own.label == "PERSON"}
    assert (name in marked) if name else not marked & {"Nascimento", "Gracias"}


def test_a_last_name_is_a_key_where_the_sign_of_a_key_is_behind_it() -> None:
    language = LANGUAGES["pt"]
    assert not is_key("Nascimento", language, behind=" dis")
    assert is_key("Nascimento", language, behind=": 3")
    assert is_key("NASCIMENTO", language, behind=" 3/")
    assert is_key("Casado", language, behind=", 4")
    assert is_key("Pai", language, behind=" do")


@pytest.mark.parametrize(
    ("code", "key", "value"),
    [
        ("de", "Aktenzeichen", "Landgericht 12 O 345/20"),
        ("fr", "N° de dossier ", "DOSSIER-ABCDEFG 12"),
        ("de", "Fallnummer", "A-B-C-1-2-3-4-5-6-7-8-9-0-1"),
    ],
)
def test_a_code_that_a_key_announces_is_marked_whole(code: str, key: str, value: str) -> None:
    text = f"{key}: {value}\n"
    assert value in {text[own.start : own.end] for own in found(text, LANGUAGES[code]) if own.label == "CODE"}
