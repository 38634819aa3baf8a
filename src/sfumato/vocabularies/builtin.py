"""The built-in public vocabulary: seven families of phrases, so that nothing has to be configured.

The phrases come from lists inside installed packages and from rules (:mod:`sfumato.vocabularies.builtin_phrases`),
never from a text to be protected and never from a random draw: the same package versions give the same vocabulary on
every machine. The first use embeds the phrases, and every later use reads the vectors from the cache folder. Insults
and vulgar words are left out (:mod:`sfumato.language.en.offensive`). A :class:`PhraseStore` takes phrases by label
from a user's file, and from these families for labels that the file lacks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sfumato.abstract.vocabulary import SourceFile, Vocabulary
from sfumato.errors import ConfigurationError, VocabularyError
from sfumato.kinds.phrases.word import words
from sfumato.kinds.places.geonames import NAME as GEONAMES
from sfumato.kinds.places.geonames import version_of
from sfumato.language.en.offensive import PACKAGE, is_offensive
from sfumato.storage import cache
from sfumato.storage.digests import digest_of_sources
from sfumato.types import Progress, part_of
from sfumato.vocabularies import builtin_phrases as phrases
from sfumato.vocabularies.load import embed, source_file

if TYPE_CHECKING:
    from sfumato.abstract.models import Encoder

ANY = "ANY"


class Family(NamedTuple):
    """One family: a ``description``, its ``size``, the ``packages`` that list its phrases, and ``candidates``."""

    description: str
    size: int
    packages: tuple[str, ...]
    candidates: Callable[[], Iterable[str]]


FAMILIES = MappingProxyType(
    {
        "WORDS": Family("common English words and whole numbers", 13_000, ("wordfreq",), words),
        "PLACE": Family("cities, countries and US states", 2_800, (GEONAMES,), phrases.places),
        "ORG": Family("institution names made of places", 2_500, (GEONAMES,), phrases.organisations),
        "PERSON": Family("first and last names, joined by rule", 3_000, ("faker",), phrases.persons),
        "DATE": Family("dates, times and durations, by rule", 2_500, (), phrases.dates),
        "CODE": Family("numbers, amounts and identifiers, by rule", 2_500, (), phrases.codes),
        "GROUP": Family("nationalities, religions and languages", 450, ("pycountry",), phrases.groups),
    }
)
"""The families in the order in which they are built."""

_LABELS = {
    "PERSON": "PERSON PER NAME FIRST_NAME LAST_NAME GIVENNAME SURNAME FULL_NAME PATIENT DOCTOR",
    "PLACE": "PLACE GPE LOC LOCATION FAC ADDRESS STREET STREET_ADDRESS CITY STATE COUNTRY COUNTY REGION",
    "ORG": "ORG ORGANIZATION ORGANISATION COMPANY COMPANY_NAME INSTITUTION HOSPITAL EMPLOYER",
    "DATE": "DATE TIME DATETIME DATE_TIME AGE DOB DATE_OF_BIRTH BIRTHDATE DURATION YEAR",
    "GROUP": "GROUP NORP NRP DEM LANGUAGE NATIONALITY RELIGION ETHNICITY",
    "CODE": (
        "CODE ID MONEY CARDINAL ORDINAL QUANTITY PERCENT LAW AMOUNT NUMBER CASE_NUMBER EMAIL EMAIL_ADDRESS "
        "PHONE PHONE_NUMBER URL DOMAIN_NAME IP_ADDRESS IP MAC_ADDRESS CREDIT_CARD CREDIT_CARD_NUMBER IBAN "
        "IBAN_CODE SSN "
        "US_SSN US_PASSPORT US_DRIVER_LICENSE US_BANK_NUMBER US_ITIN UK_NHS UK_NINO PASSPORT DRIVER_LICENSE "
        "MEDICAL_LICENSE MEDICAL_RECORD_NUMBER ACCOUNT_NUMBER ID_NUMBER USERNAME USER_NAME PASSWORD CRYPTO "
        "ZIP ZIP_CODE ZIPCODE POSTAL_CODE POSTCODE LICENSE_PLATE VEHICLE_ID SWIFT_CODE"
    ),
    "WORDS": "WORDS WORD EVENT PRODUCT WORK_OF_ART MISC TITLE OCCUPATION PROFESSION",
}
_FAMILY_OF = MappingProxyType({label: name for name, labels in _LABELS.items() for label in labels.split()})


def family(label: str) -> str:
    """Return the family whose phrases replace spans labelled ``label``: the labels of spaCy, TAB and Presidio.

    Case, hyphens and blanks make no difference. An unknown label gives "WORDS".
    """
    return _FAMILY_OF.get(plain_label(label), "WORDS")


def plain_label(label: str) -> str:
    """Return ``label`` in the form of labels: capitals, with _ for hyphens and blanks."""
    return label.strip().upper().replace("-", "_").replace(" ", "_")


def family_phrases(name: str) -> tuple[str, ...]:
    """Return the phrases of family ``name``, in a fixed order, exactly as many as its size says.

    Phrases that differ in case only count once; offensive ones are left out. Raise :class:`VocabularyError` if the
    installed packages list too few.
    """
    return _chosen(name)[0]


def _chosen(name: str) -> tuple[tuple[str, ...], int]:
    """Return the phrases of family ``name``, and how many before the last of them are offensive.

    They are kept, because the packages that list them take longer to import than the rest of a small run.
    """
    versions = [version_of(package) for package in (*FAMILIES[name].packages, PACKAGE)]
    sources, size = digest_of_sources("vocabularies", "kinds", "text"), str(FAMILIES[name].size)
    key = cache.content_key("family", name, size, sources, *versions)
    kept = cache.load_json(key)
    if kept is not None:
        return tuple(kept["phrases"]), int(kept["offensive"])
    chosen, offensive = _listed(name)
    cache.save_json(key, {"phrases": chosen, "offensive": offensive})
    return chosen, offensive


def _listed(name: str) -> tuple[tuple[str, ...], int]:
    wanted = FAMILIES[name].size
    chosen: dict[str, str] = {}
    left_out: set[str] = set()
    for phrase in FAMILIES[name].candidates():
        if is_offensive(phrase):
            left_out.add(phrase.casefold())
            continue
        chosen.setdefault(phrase.casefold(), phrase)
        if len(chosen) == wanted:
            return tuple(chosen.values()), len(left_out)
    raise VocabularyError(
        f"The built-in family {name} has {len(chosen)} phrases where {wanted} are expected; "
        "reinstall sfumato's dependencies, because an unknown version of their lists is in use."
    )


def builtin_vocabularies(
    encoder: Encoder | None = None, progress: Progress | None = None, labels: Iterable[str] | None = None
) -> dict[str, Vocabulary]:
    """Return the built-in vocabularies by family, embedded by ``encoder`` (by default all-MiniLM-L6-v2).

    ``labels`` (labels of spans, or names of families) limits them to the families that those need; None builds all.
    ``progress`` receives the share of the phrases that have their vectors. Raise :class:`VocabularyError` if the
    installed packages list too few phrases.
    """
    if encoder is None:
        from sfumato.models.encoders.sentence import SentenceEncoder

        encoder = SentenceEncoder()
    needed = set(FAMILIES) if labels is None else {family(label) for label in labels}
    names = [name for name in FAMILIES if name in needed]
    total = sum(FAMILIES[name].size for name in names)
    built: dict[str, Vocabulary] = {}
    done = 0
    for name in names:
        built[name] = _built(name, encoder, part_of(progress, done / total, FAMILIES[name].size / total))
        done += FAMILIES[name].size
    return built


def _built(name: str, encoder: Encoder, progress: Progress | None) -> Vocabulary:
    tokens, left_out = _chosen(name)
    vectors = embed(tokens, encoder, progress)
    built_from = FAMILIES[name]
    source = "".join(f", {version_of(package)}" for package in built_from.packages)
    about = (
        f"built-in {name}: {len(tokens)} {built_from.description}{source}, {left_out} offensive left out ({PACKAGE} "
        f"{metadata.version(PACKAGE)}), {vectors.shape[1]} dimensions by {encoder.id}"
    )
    return Vocabulary(tokens, vectors, about, encoder)


@dataclass(frozen=True, eq=False)
class PhraseStore:
    """A store in ``path``, a JSON object of labels (or families, or "ANY") with lists of phrases; None: built in.

    If the file holds neither a label nor its family, the phrases of the built-in family are used. Raises
    ConfigurationError for a file of another form.
    """

    path: Path | None = None
    _families: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def sources(self) -> tuple[SourceFile, ...]:
        """Return the file, which must be public."""
        return () if self.path is None else (source_file(self.path),)

    @property
    def described(self) -> str:
        """Return where the phrases come from."""
        if self.path is None:
            return "built in"
        return f"{self.path.name} (sha256 {self.sources[0].sha256[:12]}), else built in"

    @cached_property
    def _listed(self) -> dict[str, tuple[str, ...]]:
        if self.path is None:
            return {}
        self.sources  # noqa: B018 (reports a file that cannot be read)
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            return {plain_label(label): _checked(phrases) for label, phrases in dict(content).items()}
        except (ValueError, TypeError):
            raise ConfigurationError(
                f"{self.path.name} is not a store of phrases; write a JSON object of labels with a list of phrases "
                "each."
            ) from None

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that the file itself holds. Raise ConfigurationError as reading does."""
        return tuple(self._listed)

    def load(self) -> None:
        """Read the file now, so that its errors are reported now. Raise ConfigurationError."""
        self._listed  # noqa: B018

    def of(self, label: str) -> tuple[str, ...]:
        """Return the phrases that may replace a span with ``label``."""
        name = family(label)
        for key in (plain_label(label), name, ANY):
            if key in self._listed:
                return self._listed[key]
        if name not in self._families:
            self._families[name] = family_phrases(name)
        return self._families[name]


def _checked(phrases: list[str]) -> tuple[str, ...]:
    """Return the phrases, each once in any case. Raise ValueError for anything else, and for an empty list."""
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        raise ValueError("no phrases")
    distinct = {phrase.casefold(): phrase.strip() for phrase in reversed(phrases) if phrase.strip()}
    if not distinct:
        raise ValueError("no phrases")
    return tuple(reversed(distinct.values()))
