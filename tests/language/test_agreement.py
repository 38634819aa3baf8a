"""The words before an output agree with it: articles, prepositions with one, and words that lose their vowel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.language.languages import LANGUAGES
from sfumato.language.nl import Dutch

MENDED = {
    "fr": [
        ("né à ", "Portugal", "né au "),
        ("habite au ", "Lyon", "habite à "),
        ("au ", "France", "en "),
        ("vit en ", "Portugal", "vit au "),
        ("en ", "Lyon", "à "),
        ("aux ", "Suisse", "en "),
        ("de ", "Portugal", "du "),
        ("de ", "Italie", "d'"),
        ("du ", "États-Unis", "des "),
        ("maire du ", "Lyon", "maire de "),
        ("de la ", "Maroc", "du "),
        ("la ", "Portugal", "le "),
        ("fils de ", "Anne", "fils d'"),
        ("fils d’", "Marc", "fils de "),
        ("de ", "Hélène", "d'"),
        ("que ", "Élodie", "qu'"),
        ("qu'", "Marc", "que "),
        ("vu le ", "hôpital de Lyon", "vu l'"),
        ("au ", "clinique de Lyon", "à la "),
        ("à l'", "CHU de Lyon", "au "),
        ("du ", "université de Nice", "de l'"),
        ("de l'", "tribunal administratif de Pau", "du "),
        ("Le ", "université de Nice", "L'"),
        ("L'", "clinique de Lyon", "La "),
        ("un ", "infirmière", "une "),
        ("une ", "maçon", "un "),
        ("cet ", "infirmière", "cette "),
        ("DE ", "Anne", "D'"),
        ("un ", "lycéenne", "une "),
        ("un ", "sage-femme", "une "),
        ("cet ", "imprimerie de Pau", "cette "),
    ],
    "it": [
        ("va a ", "Francia", "va in "),
        ("vive in ", "Parigi", "vive a "),
        ("in ", "Stati Uniti", "negli "),
        ("nel ", "Francia", "in "),
        ("dalla ", "Milano", "da "),
        ("dell'", "Milano", "di "),
        ("di ", "Svizzera", "della "),
        ("in ", "Yemen", "nello "),
        ("del ", "Ospedale di Bari", "dell'"),
        ("all'", "Clinica di Roma", "alla "),
        ("Il ", "Università di Bari", "L'"),
        ("presso il ", "Studio dentistico di Roma", "presso lo "),
        ("il ", "8 marzo", "l'"),
        ("l'", "5 marzo 2019", "il "),
        ("dell’", "5/3/2020", "del "),
        ("Il ", "11/01/2019", "L'"),
        ("il ", "domenica", "la "),
        ("nel ", "aprile", "nell'"),
        ("un ", "infermiera", "un'"),
        ("una ", "medico", "un "),
        ("un'", "studente", "uno "),
        ("a ", "Ancona", "ad "),
        ("ad ", "Bari", "a "),
        ("Marco e ", "Elena", "Marco ed "),
        ("ed ", "Marco", "e "),
        ("d'", "Marco", "di "),
        ("un ", "svizzero", "uno "),
        ("uno ", "colombiano", "un "),
        ("un ", "guardia giurata", "una "),
    ],
}
MENDED["de"] = [
    ("in der ", "Kreiskrankenhaus Bonn", "im "),
    ("im ", "Universitätsklinik Bonn", "in der "),
    ("Termin zum ", "Staatsanwaltschaft Bonn", "Termin zur "),
    ("zur ", "Amtsgericht Bonn", "zum "),
    ("vom ", "Sparkasse Bonn", "von der "),
    ("beim ", "Stadtwerke Bonn", "bei den "),
    ("ins ", "Universität Bonn", "in die "),
    ("Leiter des ", "Sparkasse Bonn", "Leiter der "),
    ("Leiterin der ", "Amtsgericht Bonn", "Leiterin des "),
    ("Das ", "Sparkasse Bonn", "Die "),
    ("für die ", "Amtsgericht Bonn", "für das "),
    ("mit der ", "Amtsgericht Bonn", "mit dem "),
    ("in ", "Schweiz", "in der "),
    ("nach ", "Schweiz", "in die "),
    ("aus ", "Irak", "aus dem "),
    ("In der ", "Berlin", "In "),
    ("im ", "Berlin", "in "),
    ("in die ", "Berlin", "nach "),
    ("von der ", "Hamburg", "von "),
    ("ein ", "Hebamme", "eine "),
    ("eine ", "Zimmermädchen", "ein "),
    ("in die ", "Żagań", "nach "),
    ("aus ", "Komoren", "aus den "),
]
MENDED["es"] = [
    ("ingresó en el ", "Clínica de Lugo", "ingresó en la "),
    ("acude al ", "Clínica de Lugo", "acude a la "),
    ("director de la ", "Hospital General de Lugo", "director del "),
    ("Del ", "Fiscalía de Lugo", "De la "),
    ("DEL ", "Fiscalía de Lugo", "DE LA "),
    ("El ", "Audiencia Provincial de Lugo", "La "),
    ("ante dicho ", "Audiencia Provincial de Lugo", "ante dicha "),
    ("del citado ", "Audiencia Provincial de Lugo", "de la citada "),
    ("la misma ", "Juzgado de Primera Instancia de Lugo", "el mismo "),
    ("los ", "Líneas Aéreas de Perú", "las "),
    ("trabaja como una ", "fontanero", "trabaja como un "),
    ("la ", "ama de casa", "el "),
    ("vive en ", "Reino Unido", "vive en el "),
    ("viene de ", "Líbano", "viene del "),
    ("a ", "India", "a la "),
    ("de ", "Estados Unidos", "de los "),
    ("vive en el ", "Francia", "vive en "),
    ("en los ", "Lugo", "en "),
    ("del ", "Lugo", "de "),
    ("a los ", "Lugo", "a "),
    ("Juan y ", "Ignacio", "Juan e "),
    ("Juan e ", "Pedro", "Juan y "),
    ("JUAN Y ", "IGNACIO", "JUAN E "),
    ("uno u ", "Marta", "uno o "),
    ("Ana o ", "Óscar", "Ana u "),
    ("Ana y ", "Hilario", "Ana e "),
]
MENDED["pt"] = [
    ("mora em ", "Porto", "mora no "),
    ("natural de ", "Porto", "natural do "),
    ("foi a ", "Porto", "foi ao "),
    ("conhece a ", "Brasil", "conhece o "),
    ("vive no ", "Guarda", "vive na "),
    ("por ", "Estados Unidos", "pelos "),
    ("das ", "Estados Unidos", "dos "),
    ("na ", "Hospital Geral de Faro", "no "),
    ("No ", "Clínica de Faro", "Na "),
    ("NO ", "Clínica de Faro", "NA "),
    ("à ", "Tribunal Judicial de Beja", "ao "),
    ("a\u0300 ", "Tribunal Judicial de Beja", "ao "),
    ("pelo ", "Câmara Municipal de Tavira", "pela "),
    ("os ", "Águas de Faro", "as "),
    ("um ", "enfermeira", "uma "),
    ("numa ", "pedreiro", "num "),
    ("neste ", "Clínica de Faro", "nesta "),
    ("àquele ", "Clínica de Faro", "àquela "),
    ("na ", "sábado", "no "),
    ("do ", "segunda-feira", "da "),
    ("no ", "primavera de 2020", "na "),
    ("reside na ", "Largo do Sol", "reside no "),
]
MENDED["nl"] = [("in ", "Bahama’s", "in de "), ("de ", "kamermeisje", "het "), ("het ", "arts", "de ")]
KEPT = {
    "es": [
        *(("en ", "Lugo"), ("el ", "5 de mayo"), ("del ", "lunes"), ("en la ", "primavera"), ("la ", "García")),
        *(
            ("D. ", "Juan"),
            ("el ", "Reino Unido"),
            ("a la ", "Clínica de Lugo"),
            ("y ", "Hierro"),
            ("¿Y ", "Ignacio"),
        ),
        *(("el ", "[PLACE]"), ("y ", "[X]"), ("vitamina E ", "Lugo"), ("de ", "García"), ("el citado ", "García")),
        *(("por el ", "Dr. Méndez"), ("del ", "Sr. Paz"), ("al ", "doctor Paz")),
    ],
    "pt": [
        *(
            ("em ", "Lisboa"),
            ("do ", "João"),
            ("a ", "Maria"),
            ("da ", "Silva"),
            ("de ", "enfermeira"),
            ("", "Porto"),
        ),
        *(("à ", "noite"), ("em ", "março"), ("no ", "Porto"), ("de segunda a ", "sexta-feira"), ("a ", "sábado")),
    ],
    "de": [
        *(
            ("in ", "Berlin"),
            ("im ", "Mai"),
            ("am ", "5. Mai"),
            ("im ", "Januar 2019"),
            ("in der ", "Schweiz"),
            ("", "Bonn"),
        ),
        *(("Herr ", "Meier"), ("der ", "Meier"), ("in der ", "[PLACE]"), ("am ", "Montag")),
    ],
    "fr": [
        *(
            ("à ", "Paris"),
            ("le ", "5 mars 2020"),
            ("le ", "11 mars"),
            ("en ", "mars"),
            ("en ", "2019"),
            ("Dr ", "Paul"),
        ),
        *(
            ("de ", "Haddad"),
            ("de\u00a0", "Paul"),
            ("d’", "Anne"),
            ("aujourd'", "Paris"),
            ("", "Anne"),
            ("le ", "SAMU"),
        ),
        *(("s'", "Paul"), ("de ", "2019"), ("la ", "Durand"), ("vers ", "France")),
    ],
    "it": [
        *(
            ("a ", "Bari"),
            ("il ", "5 marzo 2020"),
            ("l’", "8 marzo"),
            ("in ", "marzo"),
            ("nel ", "2019"),
            ("dott. ", "Rossi"),
        ),
        *(("di ", "Anna"), ("la ", "Rossi"), ("in ", "Francia"), ("ad ", "Empoli"), ("", "Anna"), ("verso ", "Bari")),
    ],
}
KEPT["nl"] = [("in ", "Breda"), ("de ", "arts"), ("het ", "Ziekenhuis Breda")]
CODES = sorted(MENDED)


@pytest.mark.parametrize(("code", "row"), [(code, row) for code in CODES for row in MENDED[code]])
def test_the_text_before_an_output_is_mended(code: str, row: tuple[str, str, str]) -> None:
    before, output, mended = row
    assert LANGUAGES[code].agreeing(before, output) == mended
    assert LANGUAGES[code].agreeing(mended, output) is None


@pytest.mark.parametrize(("code", "row"), [(code, row) for code in CODES for row in KEPT[code]])
def test_what_agrees_stays(code: str, row: tuple[str, str]) -> None:
    assert LANGUAGES[code].agreeing(*row) is None


@pytest.mark.parametrize("code", CODES)
def test_any_text_is_mended_once(code: str) -> None:
    words = sorted({row[0] for row in MENDED[code]} | {"", "x ", "'", "ﬁ ", "l' "})
    outputs = sorted({row[1] for row in MENDED[code]} | {"", "9", "-", "École", "HH", "zz", "\ud800"})

    @given(st.lists(st.sampled_from(words), max_size=3).map("".join), st.sampled_from(outputs) | st.text(max_size=9))
    def check(before: str, output: str) -> None:
        mended = LANGUAGES[code].agreeing(before, output)
        assert mended != before
        if mended is not None:
            assert LANGUAGES[code].agreeing(mended, output) in (None, mended)

    check()


@pytest.mark.parametrize(
    ("before", "name", "takes_one", "mended"),
    [
        ("mora no ", "Lisboa", False, "mora em "),
        ("natural do ", "Lisboa", False, "natural de "),
        ("O ", "Lisboa", False, ""),
        ("foi ao ", "Braga", False, "foi a "),
        ("passou pela ", "Braga", False, "passou por "),
        ("a ", "Braga", False, "a "),
        ("mora em ", "Porto", True, "mora no "),
        ("mora em ", "Lisboa", None, "mora em "),
        ("neste ", "Lisboa", False, "neste "),
    ],
)
def test_a_portuguese_town_has_the_article_that_it_takes(
    before: str, name: str, takes_one: bool | None, mended: str
) -> None:
    assert LANGUAGES["pt"].article_before(before, ".", name, takes_one) == (mended, name)


class DutchWords(Dutch):
    """Dutch with a few words."""

    def _lists(self, name: str) -> Mapping[str, Any]:
        return {
            "articles": {"others": "een=a", "uses": {"the": "c=de n=het p=de"}},
            "institutions": {
                "local": "het Ziekenhuis {}; de Kliniek {}",
                "sectors": {"hospital": "ziekenhuis kliniek"},
            },
            "places": {"articles": "p:de Verenigde Staten; n:het Verenigd Koninkrijk"},
            "occupations": {"pairs": "leraar|lerares"},
        }.get(name, {})


@pytest.mark.parametrize(
    ("before", "output", "mended"),
    [
        ("in de ", "Ziekenhuis Breda", "in het "),
        ("Het ", "Kliniek Breda", "De "),
        ("dit ", "Kliniek Breda", "deze "),
        ("naar ", "Verenigde Staten", "naar de "),
        ("in ", "Verenigd Koninkrijk", "in het "),
        ("uit de ", "Verenigd Koninkrijk", "uit het "),
        ("in de ", "Amsterdam", "in "),
        ("in de ", "Épernay", "in "),
        ("in ", "Amsterdam", None),
        ("de ", "Kliniek Breda", None),
        ("de ", "Jansen", None),
    ],
)
def test_dutch_articles_have_two_genders(before: str, output: str, mended: str | None) -> None:
    assert DutchWords().agreeing(before, output) == mended


@pytest.mark.parametrize(
    ("code", "article", "phrase", "joined"),
    [
        ("fr", "le", "hôpital", "l'hôpital"),
        ("fr", "la", "université", "l'université"),
        ("fr", "le", "haut-commissariat", "le haut-commissariat"),
        ("fr", "une", "école", "une école"),
        ("fr", "le", "onzième tribunal", "le onzième tribunal"),
        ("fr", "le", "yaourt", "le yaourt"),
        ("it", "il", "ospedale", "l'ospedale"),
        ("it", "il", "studio", "lo studio"),
        ("it", "i", "ospedali", "gli ospedali"),
        ("it", "la", "azienda", "l'azienda"),
        ("it", "una", "azienda", "un'azienda"),
        ("it", "un", "ospedale", "un ospedale"),
        ("it", "un", "zoologo", "uno zoologo"),
        ("it", "le", "aziende", "le aziende"),
    ],
)
def test_an_article_is_joined_to_a_phrase(code: str, article: str, phrase: str, joined: str) -> None:
    assert LANGUAGES[code].joined(article, phrase) == joined
