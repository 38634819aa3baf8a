"""The search of a release by a chat model that extracts profiles and verifies candidates, as figures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.abstract.chat import ChatModel
from sfumato.abstract.models import Encoder
from sfumato.attacks.linkage import Knowledge
from sfumato.attacks.verified_linkage import ABSTAINED, NO_PROFILE, UNREADABLE, Verified, profiles
from sfumato.evaluation.pairs import drawn
from sfumato.evaluation.results import Figure, Skipped
from sfumato.evaluation.studies._search import Search
from sfumato.types import Progress, part_of

VERIFIED = "extract, embed, verify"
"""The name of the linker."""
_PEOPLE = 200
_RECORDS = 2_000  # a question each
_WHAT = "linkage verified by the language model"


class Verification(NamedTuple):
    """The ``figures``, what was ``skipped``, and how many answers were which (``counts``)."""

    figures: list[Figure]
    skipped: list[Skipped]
    counts: dict[str, int]


def verified(
    search: Search, model: ChatModel, encoder: Encoder, knowledge: Knowledge, k: int, everything: bool,
    progress: Progress | None = None,
) -> Verification:  # fmt: skip
    """Return what ``model`` finds of up to 200 people, drawn at random.

    Each record is a question to the model: of more than 2,000 none is asked about unless ``everything`` is True.
    """
    if len(search.texts) > _RECORDS and not everything:
        slow = f"asking about {len(search.texts):,} records takes long; add --dense to run it"
        return Verification([], [Skipped(_WHAT, slow)], {})
    chosen = np.array(drawn(len(search.claims), _PEOPLE, search.seed, 43), dtype=np.int64)
    noted = profiles(model, search.texts, part_of(progress, 0.0, 0.5))
    linker = Verified(search.texts, noted, model, encoder, seed=search.seed)
    figures = search.only(chosen).by(linker, VERIFIED, knowledge, k, part_of(progress, 0.5, 0.5))
    counts = {
        "people": len(chosen), **{what: linker.counts[what] for what in (ABSTAINED, UNREADABLE)},
        "texts": len(noted), NO_PROFILE: noted.count(None),
    }  # fmt: skip
    return Verification(figures, _told(counts), counts)


def _told(counts: dict[str, int]) -> list[Skipped]:
    """Return what the model did not answer."""
    skipped = []
    if unread := counts[UNREADABLE]:
        why = f"of {counts['people']:,} answers {unread:,} could not be read or are missing, and count as abstentions"
        skipped.append(Skipped(f"{_WHAT}, some people", why))
    if without := counts[NO_PROFILE]:
        why = f"of {counts['texts']:,} texts {without:,} have no readable profile, and were searched as they are"
        skipped.append(Skipped(f"{_WHAT}, some profiles", why))
    return skipped
