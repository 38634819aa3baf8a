"""Words beside a number that leave it as it is: "about", "at least", "more than". They are kept as they are."""

from __future__ import annotations

from sfumato.kinds.patterns import GAP

_HEDGES = """
about|approximately|approx.|around|roughly|some|circa|ca.|almost|nearly|just over|just under|well over|over|under
above|below|only|just|exactly|at least|at most|up to|more than|less than|fewer than|no more than|no less than
a total of|an estimated|a mere|as many as|as much as|another|the
""".strip().replace("\n", "|")


def one_of(words: str) -> str:
    """Return a pattern for one of the ``words``, which bars separate; their blanks may be any gap."""
    choices = sorted(words.split("|"), key=len, reverse=True)
    return "(?:" + "|".join(choice.replace(".", r"\.").replace(" ", GAP) for choice in choices) + ")"


HEDGES = rf"(?:{one_of(_HEDGES)}{GAP})?"
"""A pattern for one hedge and the gap after it, or for nothing."""
