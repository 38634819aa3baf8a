"""Portuguese names of seasons, and words for days: "ontem", "na semana passada", "no Natal".

Distances are those of English: from noon of the day of writing, and around a year of 366 days. Where words take
different articles, the article is a group that agrees: "no mês passado" and "na semana passada" have one form.
"""

from __future__ import annotations

from collections.abc import Callable

from sfumato.language.dates import NamedDays
from sfumato.language.patterns import GAP, one_of
from sfumato.language.pt.articles import FORMS, IN_TEXT

_RELATIVE = {
    "past day": {
        **{"anteontem": -2.0, "ontem de manhã": -1.125, "ontem": -1.0, "ontem à tarde": -0.875},
        **{"ontem à noite": -0.75},
    },
    "present day": {"hoje de manhã": -0.125, "hoje": 0.0, "hoje à tarde": 0.125, "hoje à noite": 0.25},
    "coming day": {
        **{"amanhã de manhã": 0.875, "amanhã": 1.0, "amanhã à tarde": 1.125, "amanhã à noite": 1.25},
        **{"depois de amanhã": 2.0},
    },
    "present period": {"esta semana": 0.0, "este mês": 11.5, "este ano": 179.0},
}
_OTHER_RELATIVE = {
    **{"antes de ontem": "anteontem", "ante-ontem": "anteontem", "ontem pela manhã": "ontem de manhã"},
    **{"ontem de tarde": "ontem à tarde", "ontem de noite": "ontem à noite", "dia de ontem": "ontem"},
    **{"esta manhã": "hoje de manhã", "hoje pela manhã": "hoje de manhã", "esta madrugada": "hoje de manhã"},
    **{"esta tarde": "hoje à tarde", "hoje de tarde": "hoje à tarde", "esta noite": "hoje à noite"},
    **{"hoje de noite": "hoje à noite", "dia de hoje": "hoje", "o dia de hoje": "hoje", "no dia de hoje": "hoje"},
    **{"no dia de ontem": "ontem", "o dia de ontem": "ontem", "amanhã pela manhã": "amanhã de manhã"},
    **{"amanhã cedo": "amanhã de manhã", "amanhã de tarde": "amanhã à tarde", "o dia de amanhã": "amanhã"},
    **{"nesta semana": "esta semana", "neste mês": "este mês", "neste ano": "este ano", "essa semana": "esta semana"},
    **{"esse mês": "este mês", "esse ano": "este ano", "o corrente ano": "este ano", "o corrente mês": "este mês"},
}
_PERIODS = {
    "past period": {"semana passada": -7.0, "mês passado": -30.0, "ano passado": -365.0},
    "coming period": {"próxima semana": 7.0, "próximo mês": 30.0, "próximo ano": 365.0},
}
_OTHER_PERIODS = {
    **{"passada semana": "semana passada", "passado mês": "mês passado", "passado ano": "ano passado"},
    **{"última semana": "semana passada", "último mês": "mês passado", "último ano": "ano passado"},
    **{"semana anterior": "semana passada", "mês anterior": "mês passado", "ano anterior": "ano passado"},
    **{"semana que vem": "próxima semana", "mês que vem": "próximo mês", "ano que vem": "próximo ano"},
    **{"semana próxima": "próxima semana", "mês próximo": "próximo mês", "ano próximo": "próximo ano"},
    **{"semana seguinte": "próxima semana", "mês seguinte": "próximo mês", "ano seguinte": "próximo ano"},
}
_PARTS = {"part of a day": {"madrugada": -0.3, "manhã": -0.125, "tarde": 0.125, "noite": 0.5}}

_HOLIDAYS = {
    **{"Ano Novo": 1, "Dia de Reis": 6, "Carnaval": 53, "Quarta-feira de Cinzas": 54, "Domingo de Ramos": 93},
    **{"Quinta-feira Santa": 97, "Sexta-feira Santa": 98, "Páscoa": 100, "Dia de Tiradentes": 112},
    **{"Dia da Liberdade": 116, "Dia do Trabalhador": 122, "Corpus Christi": 160, "Dia de Portugal": 162},
    **{"Santo António": 165, "São João": 176, "São Pedro": 181, "Assunção": 228, "Dia da Independência": 251},
    **{"Implantação da República": 279, "Dia da Padroeira": 286, "Dia de Todos os Santos": 306},
    **{
        "Dia de Finados": 307,
        "Proclamação da República": 320,
        "Imaculada Conceição": 343,
        "véspera de Natal": 359,
        "Natal": 360,
    },
    **{"véspera de Ano Novo": 366},
}
_OTHER_HOLIDAYS = {
    **{"ano-novo": "Ano Novo", "dia de ano novo": "Ano Novo", "reis": "Dia de Reis", "entrudo": "Carnaval"},
    **{"santo antônio": "Santo António", "domingo de páscoa": "Páscoa", "dia do trabalho": "Dia do Trabalhador"},
    **{"finados": "Dia de Finados", "todos os santos": "Dia de Todos os Santos", "dia de natal": "Natal"},
    **{"tiradentes": "Dia de Tiradentes", "dia de nossa senhora aparecida": "Dia da Padroeira"},
    **{"consoada": "véspera de Natal", "passagem de ano": "véspera de Ano Novo", "réveillon": "véspera de Ano Novo"},
    **{"passagem do ano": "véspera de Ano Novo", "terça-feira de carnaval": "Carnaval", "s. joão": "São João"},
    **{"corpo de deus": "Corpus Christi", "sexta-feira da paixão": "Sexta-feira Santa"},
}
_MASCULINE = ("Ano", "Dia", "Domingo", "Carnaval", "Natal", "São", "Santo", "Corpus", "mês", "ano", "próximo")


def _article(base: str) -> Callable[[str], str]:
    return lambda word: f"{FORMS[base][not word.startswith(_MASCULINE)]} "


_BASES = {"the": "o", "of": "do", "to": "ao", "within": "no", "by": "pelo"}  # "a" is no "à" that lost its accent
_AGREEING = {name: _article(base) for name, base in _BASES.items()}
_LEADS = f"(?:{'|'.join(f'(?P<{name}>{IN_TEXT[base]}{GAP})' for name, base in _BASES.items())})?"
_BEFORE = "desde|até|durante|para|após|a partir"
_OF_A_DAY = one_of("pela|na|da|a|nessa|naquela|durante a|cada|toda a|nesta|desta|dessa")
_DAY = "dia|o dia|no dia|a noite|na noite|antes|depois|desde|até|durante|para|após|véspera|na véspera|de|em|por"

RELATIVE = NamedDays.of(_RELATIVE, _OTHER_RELATIVE, f"{_BEFORE}|de|a partir de")
PERIODS = NamedDays.of(_PERIODS, _OTHER_PERIODS, _BEFORE, leads=_LEADS, agreeing=_AGREEING)
PARTS_OF_DAYS = NamedDays.of(
    _PARTS, {}, leads=rf"(?:{_OF_A_DAY}{GAP}|(?P<at>(?:de|à){GAP}))",
    agreeing={"at": lambda word: "à " if word in ("tarde", "noite") else "de "},
)  # fmt: skip
HOLIDAYS = NamedDays.of({"holiday": _HOLIDAYS}, _OTHER_HOLIDAYS, _DAY, True, _LEADS, _AGREEING)
