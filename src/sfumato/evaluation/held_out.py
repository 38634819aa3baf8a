"""People held out of training, beside the members whom synthetic records were made from.

Whatever an attack finds about them it would have found without the training, since the release does not depend on
them. So the difference between members and them is what training tells.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sfumato.errors import InputError
from sfumato.evaluation.pairs import Pairs, facts_of, records_of
from sfumato.files import FileOptions

IN_BOTH = "in both"
"""The fact about the file held out that says how many records were left out of both."""


def with_held_out(pairs: Pairs, path: Path, options: FileOptions) -> Pairs:
    """Return ``pairs`` with the people in the file at ``path``, which is read like the originals.

    A text that is in both files tells nothing of training, so its records are left out of both and counted. Raise
    InputError for a file that cannot be read, an id that is in both files, or if nobody is left on a side.
    """
    people = records_of(path, options)
    shared_ids = set(pairs.ids) & {name for name, _ in people} if options.id_field is not None else ()
    if shared_ids:
        raise InputError(
            f"{path.name} holds {len(shared_ids):,} ids that the original has too, so these people were not held out "
            "of training; name a file of other people with --held-out."
        )
    texts = {text for _, (text, _) in people}
    members = [index for index, text in enumerate(pairs.originals) if text not in texts]
    own = set(pairs.originals)
    others = [(name, record) for name, record in people if record[0] not in own]
    if not members or not others:
        raise InputError(
            f"Every text of {path.name} is one of the original's, or there is none; name a file of people who were "
            "held out of training with --held-out."
        )
    facts = {**facts_of(path, len(people)), IN_BOTH: len(pairs) - len(members) + len(people) - len(others)}
    return replace(
        pairs.keeping(members),
        held_out=[record[0] for _, record in others],
        held_out_ids=[name for name, _ in others],
        held_out_fields=[record[1] for _, record in others],
        sources={**pairs.sources, "held-out": facts},
    )
