"""The shards of a run, sanitized by actors of a Ray cluster and kept by the process that leads the run.

An actor gets the sanitizer once, reads a shard, and gives back the bytes that the shard becomes. So no private text
passes through the object store, except what it may spill of the actors' memory. The run's mark and its key do pass,
because every actor draws with them: anyone who reads the object store can repeat the draws.

Ray repeats a task whose actor died. That is harmless because draws are pinned: the same shard has the same release,
and it is counted when it is kept.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from sfumato import errors, version
from sfumato.errors import ConfigurationError, InputError, MissingExtraError, OutputError, SfumatoError
from sfumato.files import Counts, Part, Shard
from sfumato.release.chunks import Releasing, place_of
from sfumato.release.work import Work, part_of
from sfumato.release.workers import Known
from sfumato.runtime import processors

_TRIES = 3  # actors that may die while they have one shard
_INSTALL = "pip install 'sfumato[ray]'"
_SENTENCES = {
    "ObjectStoreFullError": "the object store of a node is full; give it more memory, or make the shards smaller",
    "OutOfMemoryError": "a node ran out of memory; take fewer --workers, or make the shards smaller",
    "OutOfDiskError": "the disk of a node is full, on which Ray keeps objects; free space",
    "NodeDiedError": "a node died; check the cluster",
    "ActorUnschedulableError": "the cluster has no room for the actors; take fewer --workers",
}
"""What went wrong, by the name of Ray's error. Its message is left out, because it may quote what an actor had."""
_DIED = (
    "an actor died again and again, for example for lack of memory; take fewer --workers, or make the shards smaller"
)


def finished_on_ray(work: Work, tasks: Iterable[Known], workers: int) -> Iterator[tuple[int, Counts]]:
    """Yield the bytes read and the counts of every shard, in order. Only ``workers`` actors work at one time.

    Raise MissingExtraError without Ray, OutputError if the cluster fails, and what reading a shard raises.
    """
    shards: list[Shard] = []
    known: dict[int, Counts] = {}
    for task, counts in tasks:
        if not isinstance(task, Shard):
            raise ConfigurationError(
                "The engine ray takes a folder of Parquet, a pattern or an address, whose files actors read; for one "
                "file on this machine give --workers."
            )
        shards.append(task)
        if counts is not None:
            known[task.number] = counts
    left = [shard for shard in shards if shard.number not in known]
    keeper = _Keeper(work, {})
    following = iter(shards)
    ready = next(following, None)
    with closing(_results(work.releasing, left, workers)) as results:
        for number, part in chain([(-1, None)], results):
            if part is not None:
                known[number] = keeper.keep(shards[number], part)
            while ready is not None and ready.number in known:
                yield ready.done, known[ready.number]
                ready = next(following, None)


@dataclass(frozen=True)
class _Keeper:
    """Keeps each part once, although Ray may deliver it twice; ``digests`` are those of the parts that it kept."""

    work: Work
    digests: dict[int, bytes]

    def keep(self, shard: Shard, part: Part) -> Counts:
        """Keep ``part``. Raise OutputError if it differs from an earlier one of the same shard."""
        digest = hashlib.sha256(part.body).digest()
        before = self.digests.setdefault(shard.number, digest)
        if before != digest:
            raise OutputError(
                f"{shard.name} has two different releases under one key, so that the nodes are not alike; give "
                "all of them the same processors and the same versions of every package."
            )
        return self.work.keep(shard, part)


def _results(releasing: Releasing, shards: Sequence[Shard], workers: int) -> Generator[tuple[int, Part], None, None]:
    """Yield the part of each shard by its number, in the order in which they are ready."""
    if not shards:
        return
    with _cluster(workers):
        rows = iter(_rows(releasing, shards, workers))
        while True:
            row, wrong = _next(rows)
            if wrong is not None:
                raise wrong  # outside the except block, so that no context drags Ray's message along
            if row is None:
                return
            number, part, kind, message = pickle.loads(row["result"])
            if part is None:
                raise getattr(errors, kind)(message)  # as the actor met it
            yield number, part


def _next(rows: Iterator[Any]) -> tuple[Any, OutputError | None]:
    """Return the next row (None at the end), or an error in sfumato's words if Ray raised one."""
    try:
        return next(rows, None), None
    except Exception as error:
        return None, OutputError(f"The run on Ray stopped: {_sentence(error)}; run again with --resume.")


def _sentence(error: BaseException) -> str:
    """Return what went wrong, by the names of Ray's errors alone."""
    names, cause = list[str](), error
    while cause is not None and len(names) < 20:
        names += [kind.__name__ for kind in type(cause).__mro__]
        cause = cause.__cause__ or getattr(cause, "cause", None)  # type: ignore[assignment]
    for name in names:
        if name in _SENTENCES:
            return _SENTENCES[name]
    if "RayActorError" in names or "ActorDiedError" in names:
        return _DIED
    return f"{type(error).__name__}, whose message is not shown because it may hold text; see Ray's own log"


@contextmanager
def _cluster(workers: int) -> Iterator[None]:
    """Be connected to a cluster: the caller's, that of RAY_ADDRESS, or one on this machine, which then ends."""
    ray = _ray()
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report its use to its makers
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "include_dashboard": False}
    address = os.environ.get("RAY_ADDRESS")
    if address:
        quiet.pop("include_dashboard")
    own = {"address": address} if address else {"address": "local", "num_cpus": max(workers, processors())}
    try:
        ray.init(**own, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputError(f"Ray cannot be started or reached ({type(error).__name__}); check RAY_ADDRESS.") from None
    try:
        yield
    finally:
        ray.shutdown()


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError(f"The engine ray needs the package ray; type: {_INSTALL}") from None
    return ray


def _rows(releasing: Releasing, shards: Sequence[Shard], workers: int) -> Iterable[Any]:
    """Yield the rows that the actors give back: Ray Data shares the shards out and repeats what was lost."""
    ray = _ray()
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what matters is raised
    # The sanitizer may be large, and goes once to each node. The key is small, and stays out of the object store.
    shared, randomness = ray.put(replace(releasing, randomness=None)), releasing.randomness
    # A cluster that grows by itself adds nodes while actors wait for them.
    least = max(1, min(workers, int(ray.cluster_resources().get("CPU", 1))))
    tries = ray.remote(num_cpus=0)(Tries).remote()
    items = [{"shard": pickle.dumps(shard)} for shard in shards]
    rows = ray.data.from_items(items, override_num_blocks=len(items)).map_batches(
        ShardActor, fn_constructor_args=(shared, randomness, tries, version.VERSION), batch_size=1,
        batch_format="pyarrow", compute=ray.data.ActorPoolStrategy(min_size=least, max_size=workers), num_cpus=1,
    )  # fmt: skip
    made: Iterable[Any] = rows.iter_rows()
    return made


class Tries:
    """Counts how often each shard was begun: Ray would give a shard that ends its actors to another one for ever."""

    def __init__(self) -> None:
        self._begun: Counter[int] = Counter()

    def begin(self, shard: int) -> int:
        """Return how often ``shard`` was begun, this time included."""
        self._begun[shard] += 1
        return self._begun[shard]


class ShardActor:
    """Sanitizes shards in a process of the cluster. It never raises: Ray would log what an error quotes."""

    def __init__(self, shared: Any, randomness: Any, tries: Any, driver: str) -> None:
        import ray
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)  # an actor has one processor
        self._tries, self._get, self._wrong = tries, ray.get, ""
        if driver != version.VERSION:
            self._wrong = "A node of the cluster has another version of sfumato; install the same one on every node."
            return
        try:
            keyless: Releasing = ray.get(shared)
        except Exception as error:
            self._wrong = (
                f"A node of the cluster cannot load the sanitizer ({type(error).__name__}); install the same "
                "packages on every node."
            )
            return
        self._releasing = replace(keyless, randomness=randomness)

    def __call__(self, batch: Any) -> Any:
        """Return the part of each shard of ``batch``, or the error that it met."""
        import pyarrow as pa

        results = [self._result(pickle.loads(shard)) for shard in batch.column("shard").to_pylist()]
        return pa.table({"result": pa.array([pickle.dumps(result) for result in results], pa.large_binary())})

    def _result(self, shard: Shard) -> tuple[int, Part | None, str, str]:
        if self._wrong:
            return shard.number, None, "ConfigurationError", self._wrong
        if self._get(self._tries.begin.remote(shard.number)) > _TRIES:
            return shard.number, None, "OutputError", (
                f"{shard.name}: {_TRIES} actors died while they had it, perhaps for lack of memory; take fewer "
                "--workers, or make the shards smaller, and run again with --resume."
            )  # fmt: skip
        try:
            return shard.number, part_of(shard, self._releasing), "", ""
        except SfumatoError as error:
            kind = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
            return shard.number, None, kind.__name__, str(error)
        except Exception as error:
            return shard.number, None, InputError.__name__, (
                f"{shard.name} cannot be sanitized ({place_of(error)}); write it again, or report it."
            )  # fmt: skip
