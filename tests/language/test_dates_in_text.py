"""Dates inside French and Italian texts: a detector reads public ones, and rules mark what is written."""

from __future__ import annotations

import pytest

from sfumato.detectors.any_date import PublicDates
from sfumato.detectors.english.codes import codes
from sfumato.language.languages import LANGUAGES

PUBLIC = [
    (
        "de",
        "Aufnahme am 11. Januar 2019, Freitag, den 1. März.",
        "Aufnahme am 17. Oktober 2019, Mittwoch, den 17. Oktober.",
    ),
    ("de", "geb. 03.12.1980, VAS 3/10.", "geb. 17.10.2019, VAS 3/4."),
    ("de", "Herr März und Frau Mai wohnen hier.", "Herr März und Frau Mai wohnen hier."),
    ("de", "seit Mai, im August 2020", "seit Oktober, im Oktober 2019"),
    ("fr", "Vu le 11 janvier 2019 et le vendredi 1er mars.", "Vu le 17 octobre 2019 et le mercredi 17 octobre."),
    ("fr", "Née le 3/12, EVA 3/10, TA 13/7.", "Née le 17/10, EVA 3/4, TA 3/4."),
    ("fr", "Opérée fin juin, puis en août.", "Opérée fin octobre, puis en octobre."),
    ("fr", "Depuis FEVRIER 2020, à partir d'avril.", "Depuis octobre 2019, à partir d'octobre."),
    ("fr", "RDV lundi 5 avril à 14h30, puis le 12 à 9h.", "RDV mercredi 17 octobre à 14h30, puis le 17 à 9h."),
    ("fr", "Mme Avril et M. Juin habitent rue de Mars.", "Mme Avril et M. Juin habitent rue de Mars."),
    ("fr", "Le 1er étage, le 2 pièces, version 3.12.2.", "Le 1er étage, le 2 pièces, version 3.12.2."),
    ("fr", "Mardi gras tombe un mardi.", "Mardi gras tombe un mercredi."),
    ("it", "Visto l'11 gennaio 2019 e venerdì 1° marzo.", "Visto l'17 ottobre 2019 e mercoledì 17 ottobre."),
    ("it", "Nata il 3/12, VAS 3/10, PA 130/80.", "Nata il 17/10, VAS 3/4, PA 130/80."),
    ("it", "Dal 5 al 12 maggio, poi ad agosto.", "Dal 17 al 17 ottobre, poi ad ottobre."),
    ("it", "Il sig. Marzo e la sig.ra Di Maggio.", "Il sig. Marzo e la sig.ra Di Maggio."),
    ("it", "11.01.2019, dell'8 marzo, nell'aprile 2019", "17.10.2019, dell'17 ottobre, nell'ottobre 2019"),
    (
        "es",
        "Visto el 11 de enero de 2019 y el viernes 1.º de marzo.",
        "Visto el 17 de octubre de 2019 y el miércoles 17 de octubre.",
    ),
    ("es", "Nacida el 3/12, EVA 3/10, TA 130/80.", "Nacida el 17/10, EVA 3/4, TA 130/80."),
    (
        "es",
        "Del 5 al 12 de mayo, luego en agosto; el 8 y el 9.",
        "Del 17 al 17 de octubre, luego en octubre; el 17 y el 17.",
    ),
    ("es", "La Sra. Abril y D. Julio Marzo.", "La Sra. Abril y D. Julio Marzo."),
    ("es", "El Domingo de Ramos cae en domingo.", "El Domingo de Ramos cae en miércoles."),
    ("es", "a finales de Marzo, DEL 3 DE MARZO DE 2020", "a finales de octubre, DEL 17 DE octubre DE 2019"),
    (
        "pt",
        "Visto em 11 de janeiro de 2019 e na sexta-feira, 1.º de março.",
        "Visto em 17 de outubro de 2019 e na quarta-feira, 17 de outubro.",
    ),
    ("pt", "Nascida a 3/12, EVA 3/10, TA 130/80.", "Nascida a 17/10, EVA 3/4, TA 130/80."),
    ("pt", "De 5 a 12 de maio, depois em agosto; no dia 8.", "De 5 a 17 de outubro, depois em outubro; no dia 17."),
    ("pt", "A Sra. Abril e o Sr. Maio.", "A Sra. Abril e o Sr. Maio."),
    (
        "pt",
        "A Sexta-feira Santa, a segunda filha, na segunda, às 9h.",
        "A Sexta-feira Santa, a segunda filha, na quarta-feira, às 9h.",
    ),
    ("nl", "Gezien op 11 januari 2019 en vrijdag 1 maart.", "Gezien op 17 oktober 2019 en woensdag 17 oktober."),
    ("nl", "geb. 03-12-1980, VAS 3/10.", "geb. 17-10-2019, VAS 3/4."),
    ("nl", "Mevrouw Mei en de heer Maart wonen hier.", "Mevrouw Mei en de heer Maart wonen hier."),
]
MARKED = [
    ("de", "Entlassen am 1. März 2020, Kontrolle im Herbst 2021.", ["1. März 2020", "Herbst 2021"]),
    ("de", "Am 3., 5. und 8. März 2020.", ["3., 5. und 8. März 2020"]),
    ("de", "Zwei Hemden von Mey.", []),
    ("fr", "Sorti le 1er mars 2020, revu au printemps 2021.", ["1er mars 2020", "printemps 2021"]),
    ("fr", "Les 3, 5 et 8 mars 2020.", ["3, 5 et 8 mars 2020"]),
    ("fr", "Un magasin de Mars et deux juges.", []),
    ("it", "Dimessa il 1° marzo 2020, rivista nella primavera 2021.", ["1° marzo 2020", "primavera 2021"]),
    ("it", "dal 3 all'8 marzo 2020", ["3 all'8 marzo 2020"]),
    ("it", "Due maglie di Marzo.", []),
    ("es", "Alta el 1 de marzo de 2020, revisión en otoño de 2021.", ["1 de marzo de 2020", "otoño de 2021"]),
    ("es", "Los días 3, 5 y 8 de marzo de 2020.", ["3, 5 y 8 de marzo de 2020"]),
    ("es", "Dos camisas de Marzo.", []),
    ("pt", "Alta em 1 de março de 2020, revista na primavera de 2021.", ["1 de março de 2020", "primavera de 2021"]),
    ("pt", "Nos dias 3, 5 e 8 de março de 2020.", ["3, 5 e 8 de março de 2020"]),
    ("pt", "Duas camisas de Maio.", []),
    ("nl", "Ontslagen op 1 maart 2020, controle in herfst 2021.", ["1 maart 2020", "herfst 2021"]),
    ("nl", "Op 3, 5 en 8 maart 2020.", ["3, 5 en 8 maart 2020"]),
    ("nl", "Van 3 t/m 12 maart 2020, en van 3 tot en met 12 mei.", ["3 t/m 12 maart 2020", "3 tot en met 12 mei"]),
    ("nl", "Twee jurken van Mey.", []),
    ("de", "Behandelt vom 3. bis zum 12. März 2020.", ["3. bis zum 12. März 2020"]),
]


@pytest.mark.parametrize(("code", "text", "public"), PUBLIC)
def test_a_detector_reads_public_dates(code: str, text: str, public: str) -> None:
    assert PublicDates.of(text, LANGUAGES[code]).text == public


@pytest.mark.parametrize(("code", "text", "marked"), MARKED)
def test_rules_mark_dates(code: str, text: str, marked: list[str]) -> None:
    found = {text[each.start : each.end] for each in codes(text, LANGUAGES[code]) if each.label == "DATE"}
    assert set(marked) <= found
    assert bool(marked) is bool(found)


@pytest.mark.parametrize("code", ["fr", "it"])
def test_texts_that_differ_in_a_date_alone_become_one(code: str) -> None:
    months = LANGUAGES[code].dates.months.full
    texts = {
        PublicDates.of(f"{day} {month} 2019, {month.upper()} 2001, en {month}", LANGUAGES[code]).text
        for day, month in enumerate(months, 1)
    }
    assert len(texts) == 1
