"""A policy over records of several people, whose dates are drawn for each of them."""

from __future__ import annotations

from pathlib import Path

import sfumato

_OF_PEOPLE = """
    [find]
    detect = ["{detect}"]
    [[treat]]
    kinds = ["DATE"]
    mechanism = "{mechanism}"
    epsilon = {epsilon}
    [treat_others]
    method = "label"
    [fields]
    text = ["text"]
    id = "id"
    subject = "who"
    [randomness]
    scope = "{scope}"
"""


def policy_of_people(
    folder: Path, detect: str, mechanism: str, epsilon: float, scope: str = "record"
) -> sfumato.Policy:
    """Write the policy into ``folder`` and open it."""
    content = _OF_PEOPLE.format(detect=detect, mechanism=mechanism, epsilon=epsilon, scope=scope)
    (folder / "mine.toml").write_text(content)
    return sfumato.Policy.load(folder / "mine.toml")
