"""Durations and ages of a language that lists describe: "vor 2 Jahren", "45-jährig", "âgé de 45 ans", "la sesentena".

A pattern can hold every number, so what only some numbers show is not kept. "Einer Woche" and "zwei Wochen" have one
pattern, because weeks look alike in every case: a noun is in the dative if the words before it take the dative, which
are in the text, or beside it in the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import regex

from sfumato.language.accents import any_accents, plain
from sfumato.language.counting import DECADE_OF_LIFE, AgesInText, Counted, Counts
from sfumato.language.forms import keys_of, spellings
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.lists import lists_of, words_of
from sfumato.language.nouns import AgreeingNouns, nouns_of
from sfumato.language.numbers import BESIDE, DIGITS, Numbers
from sfumato.language.patterns import FLAGS, GAP, choice, filled, matched, pattern_of
from sfumato.language.spelling import LETTER, phrase

_PLACED = re.compile(r"(.*?)\{number(?: [a-z])?\}([^{}]+)\{([^{}|]+)\|[^{}|]+\}(.*)", re.DOTALL)
_TENS = range(20, 100, 10)


class ListedCounts(Counts):
    """Reads and writes counts of units of time as the lists ``units`` of a language say."""

    def __init__(self, code: str, numbers: Numbers) -> None:
        self._numbers = numbers
        self._lists = lists_of(code, "units")

    @property
    def units(self) -> Sequence[str]:
        """Return the units of durations, by their English names, the shortest first."""
        return tuple(self._lists["time"])

    @cached_property
    def below_a_year(self) -> re.Pattern[str]:
        """Return a pattern for a unit of the ages of small children."""
        nouns = [
            form for noun in self._nouns.nouns for form in noun[1:] if self._unit(form) in ("month", "week", "day")
        ]
        return re.compile(any_accents(choice(nouns)), FLAGS)

    @cached_property
    def ages_in_text(self) -> AgesInText | None:  # type: ignore[override]  # made when it is first asked for
        """Return what shows an age inside a text; None where the lists do not say."""
        ages, units = self._lists["ages"], ("year", "month", "week")
        if "cue" not in ages:
            return None
        nouns = [form for noun in self._nouns.nouns for form in noun[1:] if self._unit(form) in units]
        return AgesInText(
            frozenset(spelled for noun in nouns for spelled in spellings(noun.lower())),
            regex.compile(rf"{GAP}{phrase(ages['after'])}(?!{LETTER})", regex.IGNORECASE),
            *(
                regex.compile(rf"(?r)(?<!{LETTER}){phrase(ages[name])}(?:{GAP}|(?<=['’]))\Z", regex.IGNORECASE)
                for name in ("cue", "of")
            ),
        )

    def duration(self, text: str) -> Counted | None:
        """Return the duration that ``text`` is, or None."""
        match = matched(text, self.duration_shapes)
        return None if match is None else self._counted(match)

    def age(self, text: str) -> Counted | None:
        """Return the age that ``text`` is, or None; of a decade of life the year that it begins with."""
        for field, words, shape in self.decade_shapes:
            if match := matched(text, (shape,)):
                return _decade(match, field, words)
        match = matched(text, self.age_shapes)
        return None if match is None else self._counted(match)

    def written(self, counted: Counted) -> str:
        """Return its number as it is written in its pattern and notation."""
        _, number, pattern, notation = counted
        fields = {
            f"number {key}".strip(): self._numbers.counted(number, notation, key)
            for key in re.findall(r"\{number ?([a-z]?)\}", pattern)
        }
        fields |= {
            name: cased(words[number // 10 - 2].lower(), notation)
            for name, words in self._decades.items()
            if f"{{{name}}}" in pattern
        }
        return self._numbers.joined(filled(pattern, fields, is_one=number == 1))

    def public_duration(self, unit: str) -> str:
        """Return the pattern of "3 Wochen"."""
        noun = self._noun_of[unit]
        return f"{{number}} {{{noun}}}" if "|" in noun else f"{{number}} {noun}"

    def public_age(self, unit: str) -> tuple[str, str]:
        """Return the pattern and the notation of the public form of ages in ``unit``."""
        ages = self._lists["ages"]
        if unit == DECADE_OF_LIFE:
            return ages["public_decade"], DIGITS if "{number}" in ages["public_decade"] else "words"
        return (ages["public"] if unit == "year" else self.public_duration(unit)), DIGITS

    def at_least(self, years: int) -> str:
        """Return "90 oder älter" for 90 years."""
        return str(self._lists["ages"]["at_least"]).format(years)

    def placed(self, pattern: str, before: str, after: str) -> str:
        """Return ``pattern`` in the dative behind a text that takes it: "vor [2 Jahre]"."""
        match = _PLACED.fullmatch(pattern)
        if self._takes_dative is None or match is None:
            return pattern
        lead, gap, noun, rest = match.groups()
        if rest.strip() in self._lists["cases"]["accusative_before"].split():
            return pattern
        if not self._takes_dative.search(before[-48:] + lead):
            return pattern
        word = f"{lead}{{{self._number_field(noun, 'dative')}}}" if "{number}" not in pattern else f"{lead}{{number}}"
        return f"{word}{gap}{{{self._nouns.agreeing(noun, is_dative=True)}}}{rest}"

    @cached_property
    def _noun_of(self) -> Mapping[str, str]:
        """Return the field of the noun of each unit, or the noun if it has one form."""
        nouns = {unit: listed.partition(" ")[2] for unit, listed in self._lists["time"].items()}
        return {unit: self._nouns.agreeing(noun.split(":")[0]) or noun for unit, noun in nouns.items()}

    @cached_property
    def _listed(self) -> Mapping[str, tuple[str, str]]:
        """Return the unit and the gender of each form of a noun of time, in small letters without accents."""
        rows = [row for name in ("more_time", "time") for row in self._lists.get(name, {}).items()]
        return {
            plain(form): (unit, listed.partition(" ")[0])
            for unit, listed in rows
            for form in listed.partition(" ")[2].split(":")
        }

    @cached_property
    def _nouns(self) -> AgreeingNouns:
        listed = [row for name in ("time", "more_time") for row in self._lists.get(name, {}).values()]
        genders: dict[str, str] = {}
        for row in listed:
            gender, _, noun = row.partition(" ")
            genders[gender] = f"{genders.get(gender, '')} {noun}"
        return nouns_of(genders)

    @cached_property
    def _short_pairs(self) -> Mapping[str, str]:
        """Return the field of each short unit that has a plural."""
        pairs = [pair for short in self._lists["short"].values() for pair in keys_of(short) if "|" in pair]
        return {each: pair for pair in pairs for each in pair.split("|")}

    def _unit(self, noun: str) -> str | None:
        return self._listed.get(plain(noun), (None, ""))[0]

    @cached_property
    def _cases(self) -> Mapping[str, Mapping[str, str]]:
        cases = self._lists.get("cases", {})
        return {
            case: dict(pair.split("=") for pair in cases.get(case, "").split()) for case in ("accusative", "dative")
        }

    def _number_field(self, noun: str, case: str) -> str:
        """Return the field of a number in words before the ``noun`` in a ``case``."""
        gender = self._listed.get(plain(noun), ("", ""))[1]
        return f"number {self._cases[case].get(gender, gender)}"

    @cached_property
    def _takes_dative(self) -> re.Pattern[str] | None:
        """Return a pattern for a text behind which a noun is in the dative."""
        behind = self._lists.get("cases", {}).get("dative_behind")
        if behind is None:
            return None
        return re.compile(rf"(?<!{LETTER}){phrase(behind)}{GAP}{self._numbers.hedges}\Z", FLAGS)

    @cached_property
    def _decades(self) -> Mapping[str, tuple[str, ...]]:
        return {name: words_of(table["words"]) for name, table in self._lists.get("decades", {}).items()}

    @cached_property
    def duration_shapes(self) -> tuple[re.Pattern[str], ...]:
        """Return patterns for durations."""
        return tuple(re.compile(shape, FLAGS) for shape in self._shapes("durations", is_age=False))

    @cached_property
    def age_shapes(self) -> tuple[re.Pattern[str], ...]:
        """Return patterns for ages in years, months, weeks and days."""
        return tuple(re.compile(shape, FLAGS) for shape in self._shapes("ages", is_age=True))

    def _shapes(self, name: str, is_age: bool) -> Iterator[str]:
        lists = self._lists[name]
        before = rf"(?:{phrase(lists['before'])}{BESIDE}){{0,2}}"
        after = rf"(?:{GAP}{phrase(lists['after'])})?"
        count, figures = self._numbers.count, r"(?:0|[1-9][0-9]{0,2})(?![0-9])"
        unit = rf"(?:{BESIDE}(?P<unit>{self._nouns.pattern}))"
        for unit_name, short in self._lists["short"].items():
            spellings = choice(re.escape(each) for pair in keys_of(short) for each in pair.split("|"))
            yield rf"{before}(?P<count>{figures})(?:{GAP})?(?P<{unit_name}>(?-i:{spellings}))(?!{LETTER}){after}"
        adjectives = self._lists.get("adjectives", {})
        endings = f"(?:{choice(words_of(adjectives['endings']))})?" if adjectives else ""
        words = "" if adjectives.get("figures_only") else rf"|{LETTER}{{2,30}}?"
        for unit_name, adjective in adjectives.items():
            if unit_name in self.units:
                yield (
                    rf"{before}(?P<compound>{figures}{words})(?:-|{GAP})?(?P<{unit_name}>{any_accents(adjective)})"
                    rf"{endings}{after}"
                )
        yield rf"{before}(?P<count>{count}){unit}{'?' if is_age else ''}{after}"

    def _counted(self, match: re.Match[str]) -> Counted | None:
        """Return what a match of one of the shapes says, or None."""
        groups = {name: part for name, part in match.groupdict().items() if part is not None}
        group = "compound" if "compound" in groups else "count"
        said = self._numbers.count_of(groups[group])
        if said is None or (groups[group][-1] in "'’" and "unit" not in groups):
            return None
        number, notation = said
        if "unit" not in groups:
            unit = next((name for name in self.units if name in groups), "year")
            field = "number c" if group == "compound" and notation != DIGITS else "number"
            fields = {group: field}
            if pair := self._short_pairs.get(groups.get(unit, "")):
                fields[unit] = pair
            return Counted(unit, number, self._numbers.apart(pattern_of(match, fields)), notation)
        lead, noun = match.string[: match.start("count")], groups["unit"]
        is_dative = self._takes_dative is not None and self._takes_dative.search(lead) is not None
        field = "number" if notation == DIGITS else self._number_field(noun, "dative" if is_dative else "accusative")
        agreeing = self._nouns.agreeing(noun, is_dative)
        unit_of = self._unit(noun)
        if unit_of is None or agreeing is None:
            return None
        pattern = pattern_of(match, {"count": field, "unit": agreeing} if agreeing else {"count": field})
        return Counted(unit_of, number, self._numbers.apart(pattern), notation)

    @cached_property
    def decade_shapes(self) -> tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]:
        """Return for each way to write a decade of life its field, its words (none: figures) and its shape."""
        shapes: list[tuple[str, tuple[str, ...], re.Pattern[str]]] = []
        for name, table in self._lists.get("decades", {}).items():
            words = self._decades[name]
            shapes += [
                (name, words, _filled_shape(lead, any_accents(choice(words)))) for lead in keys_of(table["phrases"])
            ]
        for lead in keys_of(self._lists["ages"].get("decade_figures", "")):
            shapes.append(("number", (), _filled_shape(lead, "[2-9]0")))
        return tuple(shapes)


def _filled_shape(lead: str, words: str) -> re.Pattern[str]:
    """Return a pattern for the phrase ``lead`` with one of the ``words`` in the place of its "#"."""
    return re.compile(phrase(lead).replace("#", f"(?P<decade>{words})"), FLAGS)


def _decade(match: re.Match[str], field: str, words: tuple[str, ...]) -> Counted | None:
    text = match["decade"]
    if not words:
        return Counted(DECADE_OF_LIFE, int(text), pattern_of(match, {"decade": field}), DIGITS)
    number = dict(zip(map(plain, words), _TENS, strict=True)).get(plain(text))
    notation = in_case_of("words", text)
    if number is None or notation is None:
        return None
    return Counted(DECADE_OF_LIFE, number, pattern_of(match, {"decade": field}), notation)
