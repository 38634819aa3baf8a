"""Relatives of a record share a last name where the text between marks links them: "John Moss and his wife Elena".

Names are drawn one by one, so that "John Moss, his wife Elena Moss and their son Tom Moss" had three last names.

Analysis. The only input is the releases of a record, which are public: the drawn names, and the text between them.
Whatever is computed from them is as private as they are, so no ε grows, and nothing new is visible. Whether the true
names share a last name does not enter: where the text says "his wife", the released ones share it, whatever the true
ones are. So a reader must not conclude from equal last names that relatives have them in truth.

Whom "his" means is guessed by the text between marks too: the nearest person before, whose sex the text says, then
the nearest whose sex it does not say. Two people never become one: where two would then have one full name, the
second keeps the name that was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sfumato.abstract.kind import Reading
from sfumato.kinds.people.layouts import INSTITUTION, PLURAL, Style, split_name
from sfumato.kinds.people.person import Person
from sfumato.language.languages import language_of
from sfumato.language.people import Cues, Link, Titles
from sfumato.text.document import Release, labels_of
from sfumato.text.marks import Layout

_AS_FAR = 12
"""So many names before a relative are looked at."""


class _Mention(NamedTuple):
    """A released name: its release and its number there, what it says, and the text around it."""

    release: int
    number: int
    reading: Reading
    before: str
    after: str

    @property
    def style(self) -> Style:
        return Style(*self.reading.form.style)


@dataclass(frozen=True)
class Families:
    """Gives relatives of one record one last name, from the releases alone.

    Attributes:
        people: The kind that reads and writes names.
    """

    people: Person

    def held(self, releases: Sequence[Release]) -> list[Release]:
        """Return the ``releases`` of one record with one last name for relatives."""
        mentions = [mention for number, release in enumerate(releases) for mention in self._read(number, release)]
        if len(mentions) <= 1:
            return list(releases)
        persons = self.people.representatives([mention.reading for mention in mentions])
        names = self._renamed(mentions, persons)
        parts = {number: list(releases[number].parts) for number in {mention.release for mention in mentions}}
        for mention, person in zip(mentions, persons, strict=True):
            if person.value in names and mention.style.beside != INSTITUTION:
                parts[mention.release][2 * mention.number + 1] = self.people.write(names[person.value], person.form)
        return [
            release.of_parts(parts[number]) if names and number in parts else release
            for number, release in enumerate(releases)
        ]

    def _read(self, number: int, release: Release) -> Iterator[_Mention]:
        labels = labels_of(release)
        bounds = list(zip(release.bounds[::2], release.bounds[1::2], strict=True))
        layout = Layout(release.text, bounds, labels)
        for index, (start, end) in enumerate(bounds):
            reading = self.people.read(release.text[start:end]) if labels[index] == self.people.name else None
            if reading is not None:
                before, after = layout.around(index)
                yield _Mention(number, index, self.people.placed(reading, before, after), before, after)

    def _renamed(self, mentions: Sequence[_Mention], persons: Sequence[Reading]) -> dict[str, str]:
        """Return the new full name of each person whose last name becomes that of a relative."""
        heads, language = _Heads(), self.people.language
        for relative, owner in self._links(mentions, persons):
            heads.join(owner, relative)
        names = dict.fromkeys(person.value for person in persons)
        last_names: dict[str, str] = {}
        for name in names:  # of a head without a last name the first relative decides
            last_names[heads.of(name)] = last_names.get(heads.of(name)) or " ".join(split_name(name, language)[1])
        renamed, taken = dict[str, str](), set(names)
        for name in names:
            head = heads.of(name)
            given, family = (" ".join(words) for words in split_name(name, language))
            new = f"{given} {' '.join(split_name(head, language)[1]) or last_names[head]}".strip()
            if family and new not in taken:
                renamed[name] = new
                taken.add(new)
        return renamed

    def _links(self, mentions: Sequence[_Mention], persons: Sequence[Reading]) -> Iterator[tuple[str, str]]:
        """Yield a person and whose relative the text says it to be."""
        cues: Cues = language_of(self.people.language).cues
        for place, mention in enumerate(mentions):
            link = None if mention.style.beside == INSTITUTION else cues.link_of(mention.before, mention.after)
            owner = None if link is None else self._owner(link, place, mentions, persons)
            if owner is not None and owner != persons[place].value:
                yield persons[place].value, owner

    def _owner(self, link: Link, place: int, mentions: Sequence[_Mention], persons: Sequence[Reading]) -> str | None:
        """Return the person whom ``link`` means; of a narrator, a name that nobody has."""
        if link.narrator:
            return f"{link.narrator}\0"
        if link.step:
            beside = place + link.step
            near = 0 <= beside < len(mentions) and mentions[beside].release == mentions[place].release
            return persons[beside].value if near else None
        return self._before(link.sex, place, mentions, persons)

    def _before(
        self, sex: str | None, place: int, mentions: Sequence[_Mention], persons: Sequence[Reading]
    ) -> str | None:
        """Return the nearest person before the mention at ``place`` who may be meant by a pronoun of ``sex``."""
        language = language_of(self.people.language)
        unclear: str | None = None
        for other in range(place - 1, max(-1, place - 1 - _AS_FAR), -1):
            mention, person = mentions[other], persons[other]
            if mention.release != mentions[place].release:
                break
            if person.value == persons[place].value or _is_by_the_way(mention, language.titles, language.cues):
                continue
            grain = person.form.grain
            if sex is None or grain == sex:
                return person.value
            if grain not in ("woman", "man"):
                unclear = unclear or person.value
        return unclear


class _Heads:
    """Whose last name everyone has: the head of a family."""

    def __init__(self) -> None:
        self._heads: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the head of the family of ``name``."""
        passed = [name]
        while (above := self._heads.get(passed[-1])) is not None:
            passed.append(above)
        self._heads.update(dict.fromkeys(passed[:-1], passed[-1]))
        return passed[-1]

    def join(self, owner: str, relative: str) -> None:
        """Let the family of ``relative`` have the head of ``owner``."""
        first, second = self.of(owner), self.of(relative)
        if first != second:
            self._heads[second] = first


def _is_by_the_way(mention: _Mention, titles: Titles, cues: Cues) -> bool:
    """Return whether a text hardly speaks of a person's relatives: "by NAME", "Dr NAME", "the NAME family"."""
    style = mention.style
    of_work = bool(style.title) and titles.gender_of(style.title) is None and not titles.joins_two(style.title)
    of_many = style.layout == PLURAL or cues.says_last_name(mention.before, mention.after)
    of_thing = style.beside == INSTITUTION
    return of_work or of_many or of_thing or cues.aside.search(mention.before) is not None
