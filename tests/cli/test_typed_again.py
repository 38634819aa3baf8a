"""Options that are typed again in a command that another command names."""

from __future__ import annotations

from dataclasses import fields

from sfumato.cli.flags import typed_again
from sfumato.cli.options import TextOptions
from sfumato.cli.policy_flags import PolicyFlags


def test_options_are_typed_as_they_were() -> None:
    texts = TextOptions(["a", "b c"], "no", True, "none", "latin-1", "pass")
    assert typed_again(texts) == [
        "--field", "a", "--field", "b c", "--id-field", "no", "--lines", "--quoting", "none", "--encoding", "latin-1",
        "--missing", "pass",
    ]  # fmt: skip
    assert all(getattr(texts, one.name) != one.default for one in fields(TextOptions))  # none is left out above
    assert typed_again(PolicyFlags("clinical", ["a=1", "b=2"])) == [
        "--policy", "clinical", "--set", "a=1", "--set", "b=2",
    ]  # fmt: skip
    assert typed_again(TextOptions()) == []
