"""Words beside a value say whose it is."""

from __future__ import annotations

import pytest

from sfumato.language.languages import LANGUAGES

SEXES = [
    ("fr", "Vit avec sa fille ", ", infirmière.", "woman"),
    ("fr", "Vu avec son mari ", ".", "man"),
    ("fr", "", ", née le 3 mars 1950", "woman"),
    ("fr", "", " est né à Lyon", "man"),
    ("fr", "", " ne vient pas", None),
    ("fr", "Le sieur ", " habite Lyon", None),
    ("fr", "la nommée ", " a comparu", "woman"),
    ("fr", "Sa mère (", ", né hier)", None),
    ("it", "Vive con la moglie ", ".", "woman"),
    ("it", "il figlio ", " telefona", "man"),
    ("it", "", ", nata a Bari", "woman"),
    ("it", "", " è stato ricoverato", "man"),
    ("it", "Visto ", " oggi", None),
    ("de", "Sie kam mit ihrer Tochter ", ".", "woman"),
    ("de", "der Bruder, ", ", kam mit", "man"),
    ("de", "Die Angeklagte ", " schweigt", "woman"),
    ("de", "den Aussagen der Angeklagten ", " folgt", "woman"),
    ("de", "Der Angeklagte ", " schweigt", "man"),
    ("de", "gegen den Beschuldigten ", " ermittelt", "man"),
    ("de", "", ", die am Montag kam", "woman"),
    ("de", "", ", dessen Akte fehlt", "man"),
    ("de", "", ", die Akte und das Kind", None),
    ("de", "ich bin bei der ", " daheim", None),
    ("de", "frag die ", " mal", "woman"),
    ("de", "Grüße vom ", "", "man"),
    ("de", "Gesehen: ", " heute", None),
    ("nl", "Woont met haar dochter ", ".", "woman"),
    ("nl", "zijn broer ", " belde", "man"),
    ("nl", "De PATIENTE ", " slaapt", "woman"),
    ("nl", "", ", weduwe", "woman"),
    ("nl", "De verdachte ", " zwijgt", None),
    ("es", "Médico: Dra. ", "", "woman"),
    ("es", "visto por don ", "", "man"),
    ("nl", "gezien door dhr. ", "", "man"),
    ("es", "Vive con su esposa ", ".", "woman"),
    ("es", "acude el hijo, ", "", "man"),
    ("es", "", ", nacida en Lugo", "woman"),
    ("es", "", " fue ingresado ayer", "man"),
    ("es", "habla con la ", " hoy", "woman"),
    ("es", "díselo al ", "", "man"),
    ("es", "su madre y ", " hoy", None),
    ("es", "Visto ", " hoy", None),
    ("pt", "Vive com a filha ", ".", "woman"),
    ("pt", "o meu marido, ", ", ligou", "man"),
    ("pt", "", ", nascida a 3 de maio", "woman"),
    ("pt", "", " foi internado", "man"),
    ("pt", "Falei com a ", " ontem", "woman"),
    ("pt", "a casa do ", " fica longe", "man"),
    ("pt", "A\u0300 ", " foi dito", "woman"),
    ("pt", "A ", " ligou", "woman"),
    ("pt", "A enfermeira ", " ligou", "woman"),
    ("pt", "Dr.ª ", ", cédula", "woman"),
    ("pt", "viúva do Engº ", "", "man"),
    ("pt", "o utente ", " saiu", "man"),
    ("pt", "ao técnico ", "", "man"),
    ("pt", "Nome da mãe: ", "", "woman"),
    ("pt", "Nome do pai: ", "", "man"),
    ("pt", "a testemunha ", " disse", None),
    ("pt", "enviado a ", " ontem", None),
    ("pt", "Visto por ", " hoje", None),
]
BIRTHS = [
    ("fr", "Mme X, née le ", True),
    ("fr", "Date de naissance : ", True),
    ("fr", "NÉ LE ", True),
    ("fr", "vu le ", False),
    ("it", "nato il ", True),
    ("it", "Data di nascita: ", True),
    ("it", "visto il ", False),
    ("de", "Frau X, geb. ", True),
    ("de", "GEBOREN AM ", True),
    ("de", "geb. am: ", True),
    ("de", "gesehen am ", False),
    ("nl", "dhr. X, geb. ", True),
    ("nl", "Geboortedatum: ", True),
    ("nl", "gezien op ", False),
    ("es", "nacida el ", True),
    ("es", "F. nac.: ", True),
    ("es", "FECHA DE NACIMIENTO: ", True),
    ("es", "visto el ", False),
    ("pt", "nascido a ", True),
    ("pt", "nascida em ", True),
    ("pt", "Data de nascimento: ", True),
    ("pt", "DATA DE NASCIMENTO ", True),
    ("pt", "visto a ", False),
]
RELATIVES = [
    ("fr", "Son père est mort à ", True),
    ("fr", "Elle a ", False),
    ("it", "La madre ha ", True),
    ("it", "Ha ", False),
    ("de", "Der Vater starb mit ", True),
    ("de", "Er ist ", False),
    ("nl", "Haar moeder overleed op ", True),
    ("nl", "Hij is ", False),
    ("es", "Su padre falleció a los ", True),
    ("es", "Tiene ", False),
    ("pt", "A mãe faleceu aos ", True),
    ("pt", "Da primeira vez tinha ", False),
]


@pytest.mark.parametrize(("code", "before", "after", "sex"), SEXES)
def test_grammar_beside_a_name_says_the_sex(code: str, before: str, after: str, sex: str | None) -> None:
    assert LANGUAGES[code].cues.gender_of(before, after) == sex


@pytest.mark.parametrize(("code", "before", "is_birth"), BIRTHS)
def test_words_before_a_date_of_birth(code: str, before: str, is_birth: bool) -> None:
    assert bool(LANGUAGES[code].cues.birth.search(before)) is is_birth


@pytest.mark.parametrize(("code", "before", "is_relative"), RELATIVES)
def test_words_before_the_age_of_a_relative(code: str, before: str, is_relative: bool) -> None:
    assert bool(LANGUAGES[code].cues.relative.search(before)) is is_relative


@pytest.mark.parametrize(
    ("code", "before"),
    [
        ("fr", "Mme Durand née "),
        ("it", "la famiglia "),
        ("fr", "Nom de famille : "),
        ("es", "la familia "),
        ("de", "Meier, geborene "),
        ("de", "Eheleute "),
        ("nl", "familie "),
        ("pt", "Apelido: "),
        ("pt", "a família "),
    ],
)
def test_words_before_a_last_name(code: str, before: str) -> None:
    assert LANGUAGES[code].cues.says_last_name(before, "")
    assert not LANGUAGES[code].cues.says_last_name("vu ", "")
