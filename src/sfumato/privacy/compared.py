"""The adjacency of a guarantee in words: which inputs it compares. Every statement takes the sentence from here.

Facts come first that both inputs share: the places and labels of their marks, then which places are taken for equal
tokens where these share a draw, then, at each place where the inputs differ, the domain and the written form.
"""

from __future__ import annotations

from collections.abc import Sequence

MENTION = "mention"
"""A draw is for a single mention, so that equal tokens do not show."""


TOKENS = "tokens"

OF_KINDS = "as the same kinds"
"""How marks are alike where each kind of value has a treatment of its own."""

RECORDS = {"record": "two records", "subject": "two versions of the records of a subject"}
"""What is compared where a draw is for a record, or for a subject."""


def marked_alike(inputs: str = "two texts", marks: str = "with the same labels") -> str:
    """Return the clause of two ``inputs`` in which a detector marks the same places in the same way."""
    return f"{inputs} in which the same places are marked {marks} and the text between is equal"


def compared(
    texts: str, differ: str, *, drawn_for: str = MENTION, of: str = TOKENS, sharing: Sequence[str] = ()
) -> str:
    """Return which inputs a guarantee compares.

    ``texts`` says which texts they are, and ``differ`` how two tokens at one place differ. A draw is for a mention,
    or for all that is taken for one token in a document, record or subject (``drawn_for``): then it shows which
    places are. Unequal texts may be taken for one: parts of a person's name, or two words that the vocabulary lacks.
    ``of`` names the tokens, and ``sharing`` lists what the two at one place have in common.
    """
    pattern = "" if drawn_for == MENTION else f", with the same places in each {drawn_for} taken for equal {of}"
    named = " ".join([of, " and ".join(sharing)]).strip() if sharing or of != TOKENS else ""
    return f"{texts}{pattern}; where they differ, {f'{named}, ' if named else ''}{differ}"
