"""How an option of Python is spelled on the command line."""

from __future__ import annotations

_FLAGS = {
    "overwrite": "--force",
    "keep": "--keep-field",
    "text_field": "--field",
    "spans_field": "--set detect.spans_field",
    "skip_labels": "--set detect.skip_labels",
    "merge_spans": "--set detect.merge_spans",
}


def flag_of(name: str) -> str:
    """Return the flag of the option ``name``."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")
