"""Shared by all tests: toy vocabularies made to break an analysis, and one table of mechanisms over them."""

from __future__ import annotations

import gc
import math
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building import methods
from sfumato.privacy.randomness import RandomDraws, SeededRandomness
from sfumato.types import Uniforms

_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30  # bytes: more than ten times what the whole suite leaves at its end
_STOPPING = {signal.SIGINT: signal.default_int_handler, getattr(signal, "SIGHUP", signal.SIGINT): signal.SIG_DFL}


def pytest_configure(config: pytest.Config) -> None:
    """Let the tests, and all that they start, be stopped: a suite that runs in the background ignores Ctrl-C.

    Where several processes share the tests, each model gets one thread: threads that wait for each other's cores make
    some tests ten times slower. Commands that the tests start may keep their compiled modules: without them each one
    compiles the whole package again, in half a second. Files are shared out in the order of
    :func:`pytest_collection_modifyitems`, not the file with the most tests first. Folders of tests lie in memory
    where it has room, because a disk takes up to half of a test's time; a test that passes leaves none.
    """
    config.option.loadscopereorder = False
    if _has_room(_MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if getattr(config.option, "numprocesses", None):
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # before the workers start, which import numpy and torch
    for number, handler in _STOPPING.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def _has_room(folder: Path) -> bool:
    """Whether the folders of all tests fit into ``folder``, and programs can be run there."""
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= _ROOM and not system.f_flag & os.ST_NOEXEC


_LONGEST = (
    "test_docs.py",
    "test_wheel.py",
    "test_synthesizing.py",
    "test_protecting.py",
    "test_silent_forms.py",
    "test_words_of_languages.py",
    "test_numbers_of_languages.py",
    "test_wrong_types.py",
    "test_missing.py",
    "test_bad_files.py",
    "test_review_page.py",
    "test_person.py",
    "test_compare.py",
    "test_kinds_of_languages.py",
    "test_place.py",
    "test_site.py",
    "test_typed_face.py",
    "test_exact_loss.py",
    "test_killed.py",
    "test_kind_contract.py",
    "test_evaluate.py",
    "test_treatment_laws.py",
    "test_audit.py",
    "test_marks_on_nothing.py",
    "test_synthesize.py",
    "test_contextual.py",
    "test_token_network.py",
    "test_word.py",
    "test_release.py",
    "test_rewriting.py",
    "test_dates_of_languages.py",
    "test_samplers.py",
    "test_examples.py",
    "test_identifiers_grid.py",
    "test_finetune.py",
    "test_causal.py",
    "test_processes.py",
    "test_choosing.py",
    "test_bert_networks.py",
    "test_presidio.py",
    "test_device_scores.py",
    "test_entity_tagger.py",
    "test_set_laws.py",
    "test_zoo.py",
    "test_protect.py",
    "test_attributes.py",
    "test_one_run_audit.py",
    "test_stopping.py",
    "test_policy_command.py",
    "test_cli.py",
    "test_sheet_bad_input.py",
    "test_identifiers.py",
    "test_look.py",
    "test_bad_input.py",
    "test_real_data.py",
)
"""Files that take longest, the longest first: if one began last, one worker would wait for the other."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the longest files first; all others keep their order."""
    items.sort(key=lambda item: _LONGEST.index(item.path.name) if item.path.name in _LONGEST else len(_LONGEST))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Let the collector of garbage pass over the modules and the tests, which stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        gc.enable()


WORDS = [
    "cat",
    "quixotic",
    "dog",
    "zeugma",
    "house",
    "obelisk",
    "river",
    "fjord",
    "stone",
    "halcyon",
    "green",
    "ocelot",
    "winter",
    "gossamer",
    "friend",
    "bucolic",
    "market",
    "lagniappe",
    "doctor",
    "petrichor",
    "window",
    "syzygy",
    "summer",
    "crwth",
    "garden",
]


def _made(vectors: Any, tokens: Any = None) -> Vocabulary:
    points = np.array(vectors, dtype=np.float64)
    return Vocabulary(tuple(tokens or WORDS[: len(points)]), points, "a toy made by the tests")


def _normal(seed: int, count: int, dimensions: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=(count, dimensions))


def _duplicates() -> Vocabulary:
    points = _normal(1, 9, 3)
    points[[4, 7]] = points[1]
    points[8] = points[0]
    return _made(points)


def _near() -> Vocabulary:
    points = _normal(2, 5, 3)
    step = 1e-6 / math.sqrt(3.0)
    return _made(np.concatenate([points, points + step]))


def _outlier() -> Vocabulary:
    return _made(np.concatenate([0.3 * _normal(3, 8, 2), [[25.0, 0.0], [-3.0, 30.0]]]))


def _unit() -> Vocabulary:
    points = _normal(4, 14, 6)
    return _made(points / np.linalg.norm(points, axis=1, keepdims=True))


def _offset() -> Vocabulary:
    return _made(1000.0 + _normal(5, 11, 4))


def _cases() -> Vocabulary:
    tokens = ["Polish", "polish", "May", "may", "the", "The", "Reading", "reading", "quixotic", "ocelot"]
    return _made(_normal(6, 10, 3), tokens)


VOCABULARIES: dict[str, Callable[[], Vocabulary]] = {
    "pair": lambda: _made([[0.0, 0.0], [1.0, 0.5]]),
    "duplicates": _duplicates,
    "near": _near,
    "outlier": _outlier,
    "unit": _unit,
    "offset": _offset,
    "line": lambda: _made([[0.0], [0.1], [0.35], [1.0], [1.05], [4.0], [4.7]]),
    "cases": _cases,
}
"""Two tokens only, equal vectors, pairs 1e-6 apart, far outliers, unit and huge norms, one dimension, case pairs."""

FINITE: dict[str, tuple[str, dict[str, Any]]] = {
    "santext": ("santext", {}),
    "santext-L1": ("santext", {"p": 1.0}),
    "santext+": ("santext+", {"sensitive_share": 0.6}),
    "custext": ("custext", {"set_size": 4}),
    "custext-pairs": ("custext", {"set_size": 2, "similarity": "cosine"}),
    "custext+": ("custext+", {"set_size": 3}),
    "clusant-k1": ("clusant", {"k": 1.0, "set_size": 3}),
    "clusant-k4": ("clusant", {"k": 4.0, "clusters": 2}),
    "clusant-k16": ("clusant", {"k": 16.0, "set_size": 3, "token_distance": "normalised"}),
    "clusant-stretched": ("clusant", {"k": 4.0, "set_size": 3, "token_distance": "stretched"}),
    "clusant-single": ("clusant", {"k": 1.0, "set_size": 1}),
    "clusant-inf": ("clusant", {"k": math.inf, "set_size": 4}),
    "tem": ("tem", {}),
    "tem-short": ("tem", {"threshold": 0.8}),
}
"""Every mechanism with a finite law, by the name of its case: name and options."""

NOISE: dict[str, tuple[str, dict[str, Any]]] = {
    "fbdd": ("fbdd", {}),
    "mahalanobis": ("mahalanobis", {}),
    "vickrey": ("vickrey", {}),
}
"""Every mechanism that adds noise to the vector."""


@dataclass(frozen=True)
class Case:
    """One mechanism of the table; :meth:`on` builds it."""

    id: str
    name: str
    options: dict[str, Any] = field(default_factory=dict)

    def on(self, vocabulary: Vocabulary, epsilon: Any = 2.0, **more: Any) -> Mechanism:
        options = {**self.options, **more}
        if self.id == "clusant-single":  # one cluster a token
            options.pop("set_size")
            options["clusters"] = len(vocabulary)
        if "clusters" in options and isinstance(options["clusters"], int):
            options["clusters"] = min(options["clusters"], len(vocabulary))
        return methods.mechanism(self.name, vocabulary, epsilon, **options)


def _each(table: dict[str, tuple[str, dict[str, Any]]]) -> list[Any]:
    return [pytest.param(Case(id, *entry), id=id) for id, entry in table.items()]


@pytest.fixture(params=_each(FINITE))
def finite(request: pytest.FixtureRequest) -> Case:
    """A mechanism with a finite law."""
    return request.param


@pytest.fixture(params=_each(NOISE))
def noise(request: pytest.FixtureRequest) -> Case:
    """A noise mechanism."""
    return request.param


@pytest.fixture(params=_each({**FINITE, **NOISE}))
def case(request: pytest.FixtureRequest) -> Case:
    """Any mechanism."""
    return request.param


@pytest.fixture
def case_of() -> Callable[[str], Case]:
    """``case_of(id)``: one mechanism with a finite law."""
    return lambda id: Case(id, *FINITE[id])


@pytest.fixture(params=list(VOCABULARIES))
def toy(request: pytest.FixtureRequest) -> Vocabulary:
    """Each adversarial vocabulary."""
    return VOCABULARIES[request.param]()


@pytest.fixture
def toys() -> dict[str, Vocabulary]:
    """The adversarial vocabularies by name."""
    return {name: make() for name, make in VOCABULARIES.items()}


@pytest.fixture
def make_vocabulary() -> Callable[..., Vocabulary]:
    """``make_vocabulary(vectors, tokens)``: a vocabulary of these vectors."""
    return _made


@pytest.fixture
def uniforms() -> Callable[[int, int], Uniforms]:
    """``uniforms(seed, n)`` is what ``Mechanism.draw`` asks for: reproducible, a context for each of n draws."""

    def of(seed: int, n: int) -> Uniforms:
        return _SameDraws(SeededRandomness(seed), n, _contexts(n))

    return of


class _SameDraws(RandomDraws):
    """Draws of a seed, made once for all tests that ask for the same ones in turn; nobody writes to them."""

    def __call__(self, width: int) -> Any:
        return _drawn(self.source, self.n, width, RandomDraws.__call__)

    def words(self, width: int) -> Any:
        return _drawn(self.source, self.n, width, RandomDraws.words)


@lru_cache(maxsize=2)
def _contexts(n: int) -> list[bytes]:
    return [number.to_bytes(8, "little") for number in range(n)]


@lru_cache(maxsize=8)
def _drawn(source: SeededRandomness, n: int, width: int, draw: Callable[[RandomDraws, int], Any]) -> Any:
    made = draw(RandomDraws(source, n, _contexts(n)), width)
    made.flags.writeable = False
    return made


@pytest.fixture(scope="module", name="short_lists")
def _short_lists() -> Iterator[None]:
    """Short public lists for all tests of a file that asks for this: see :mod:`short_lists`."""
    from short_lists import short_lists

    with short_lists():
        yield


@pytest.fixture(scope="module", name="shared_models")
def _shared_models() -> Iterator[None]:
    """Models that are loaded once: see :mod:`shared_models`."""
    from shared_models import shared_models

    with shared_models():
        yield


@pytest.fixture(scope="module", autouse=True)
def _loaded_once(request: pytest.FixtureRequest) -> None:
    """Share models in all files except those of ``tests/models``, which look at how they are loaded, and may ask."""
    if request.path.parent.name != "models":
        request.getfixturevalue("shared_models")


@pytest.fixture
def scripted() -> Any:
    """The module of a scripted sanitizer, which notes what it is given: see :mod:`scripted_sanitizer`."""
    import scripted_sanitizer

    return scripted_sanitizer


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for all tests of a file: see :mod:`browsing`. Each opens pages that know nothing of each other."""
    from browsing import started

    with started() as running:
        yield running


@pytest.fixture(autouse=True)
def plain_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that nothing is known of, so that a test computes alike on all; a test of formats names another."""
    monkeypatch.setattr("sfumato.models.devices.processor_features", frozenset)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing is read from, or left in, the user's folders: a cache and a key for the whole run, of all workers.

    It is set before any fixture of a file, which may fill the cache, and in the environment, which commands inherit.
    """
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SFUMATO_CACHE", str(base / "cache"))
        patch.setenv("XDG_CONFIG_HOME", str(base / "config"))
        patch.delenv("SFUMATO_CACHE_KEY", raising=False)
        yield base / "cache"
