"""The pause of the search for cycles ends, whatever happens inside it; releases made by column are the same."""

from __future__ import annotations

import gc
import subprocess
import sys
from array import array

import pytest

from sfumato.runtime import search_paused, search_seldom
from sfumato.text.document import Release


def test_the_search_is_on_again_after_an_error() -> None:
    assert gc.isenabled()
    seen = []

    def fail() -> None:
        with search_paused():
            with search_paused():
                pass
            seen.append(gc.isenabled())
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert seen == [False]
    assert gc.isenabled()


def test_a_search_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with search_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_thresholds_return() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), search_seldom():
        raise KeyError
    assert gc.get_threshold() == before
    with search_seldom():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before


ENDING = """
import atexit, gc
from sfumato.runtime import end_without_search
atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 1000))  # what is registered first runs last
end_without_search()
print(gc.isenabled())
"""


def test_a_process_ends_without_a_search() -> None:
    ran = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True", "False", "True"]


def test_releases_by_column_are_those_of_single_calls() -> None:
    columns = (["a", "b"], ["An x.", ""], [array("q", [3, 4]), array("q")], ["WORD", ("A", "B")], [1, 0])
    several = Release.several(*columns)
    assert several == list(map(Release, *columns))
    assert [hash(release.id) for release in several] == [hash("a"), hash("b")]
    assert several[0].draws_by == {}
    with pytest.raises(ValueError, match="different lengths"):
        Release.several(["a"], ["An x.", ""], [array("q")], ["WORD"], [1])
    assert several[0].draws_by is not several[1].draws_by  # to write in one would write in all
