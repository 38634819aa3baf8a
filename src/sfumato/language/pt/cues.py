"""Portuguese words beside a value that say what it is about: a date of birth, a relative's age, a woman or a man.

An article before a name says the sex of its person: "o João", "da Inês". A lone "a" may be a preposition, so it has
to begin a sentence, or stand behind a word that no preposition follows.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from sfumato.language.accents import any_accents
from sfumato.language.cue_words import cues_of
from sfumato.language.lists import lists_of, phrases_of
from sfumato.language.patterns import any_of
from sfumato.language.people import OTHER_NAME, Beside, Titles

_WORDS = cues_of(
    births=r"nascid[oa] a|nascid[oa] em|nascid[oa] no dia|nascid[oa] aos|nascid[oa]|nasceu a|nasceu em|nasceu no dia"
    r"|nasceu|nascid[oa]\(a\) em|data de nascimento|data de nasc\.?|dt\.? nasc\.?|d\.?n\.?|nascimento|nasc\.?",
    women="mulher|esposa|filha|mãe|mamã|mamãe|irmã|tia|avó|neta|prima|sobrinha|cunhada|sogra|nora|madrasta|enteada"
    "|madrinha|afilhada|companheira|namorada|noiva|viúva|vizinha|amiga|arguida|ré|autora|senhora"
    "|menina|rapariga|moça|chamada|denominada|sinistrada|acusada|mandatária",
    men="marido|esposo|filho|pai|papá|papai|irmão|tio|avô|neto|primo|sobrinho|cunhado|sogro|genro|padrasto|enteado"
    "|padrinho|afilhado|companheiro|namorado|noivo|viúvo|vizinho|amigo|arguido|réu|autor|senhor|menino|rapaz|moço"
    "|chamado|denominado|sinistrado|acusado|mandatário",
    others="filhos|pais|cônjuge|gémeo|gêmeo|gémea|gêmea|familiar|parente|cuidador|cuidadora|bebé|bebê",
    born_woman="nascida|casada|solteira|viúva|divorciada|portadora|domiciliada|internada"
    "|foi internada|foi admitida|foi ouvida|foi atendida|foi observada",
    born_man="nascido|casado|solteiro|viúvo|divorciado|portador|domiciliado|internado"
    "|foi internado|foi admitido|foi ouvido|foi atendido|foi observado",
    maiden="nome de solteira|apelido de solteira|apelido|sobrenome|nome de família",
    families="família|casal|irmãos|irmãs|herdeiros",
)
_TITLES = Titles.of(lists_of("pt", "titles"))
_PAIRS = [pair.split("|") for pair in phrases_of(lists_of("pt", "occupations")["pairs"]) if "|" in pair]
_MEN_AT_WORK, _WOMEN_AT_WORK = (
    any_of({words for words in side if " " not in words}) for side in zip(*_PAIRS, strict=True)
)
_COMMON = (
    "utente|doente|paciente|cliente|requerente|recorrente|agente|estudante|docente|jornalista|gerente|dentista"
    "|assistente|colega|agravante|impetrante|exequente|demandante|reclamante|denunciante|declarante|motorista"
)
"""Words for women and men, whose article says the sex."""
_APART = r"(?<![\p{L}\p{N}-])"
_LONE = r"(?:(?:^|[.!?;:,(\n]\s*)|\b(?:e|que|com|mas|porque|quando|se|como|é|para|ou|depois)\s)"


def _with_articles(words: Beside, parent: str, articles: str, lone: str, titles: Iterable[str], works: str) -> Beside:
    """Return the cues of ``words``, and articles, titles and works before a name; ``lone`` may be another word."""
    titled = rf"(?:{any_of(titles)}\.?|{works}|{parent}[ \u00a0]?:|(?:{articles}|{lone})[ \u00a0](?:{_COMMON}))"
    ends = rf"(?:{_APART}(?i:{articles}|{titled})|{_LONE}(?i:{lone}))[ \u00a0](?!{OTHER_NAME})"
    return words._replace(before=regex.compile(rf"{words.before.pattern}|(?:{ends})\Z"))


CUES = _WORDS._replace(
    woman=_with_articles(
        _WORDS.woman, any_accents("mãe"), r"da|na|à|a\u0300|pela", "a", _TITLES.women, _WOMEN_AT_WORK
    ),
    man=_with_articles(_WORDS.man, "pai", "do|no|ao|pelo|o", "o", _TITLES.men, _MEN_AT_WORK),
)
