"""Where a call is made: in a process of its own, or in one of an engine, which may make the call again.

A callable without a run key cannot be sent to another process, and is not called in one that was forked with it.
That holds for every engine. What is left is a callable that is made inside the task of an engine. It is refused where
the engine is known here; of an engine that is not, the caller must know.
"""

from __future__ import annotations

import os
import sys
from multiprocessing import parent_process
from typing import Any

from sfumato.run.checks import no_run_key


def check_alone(made_in: int) -> None:
    """Raise ConfigurationError if this process is a worker of an engine, or not the process ``made_in``.

    Nothing is imported to find out.
    """
    engines = (_of_ray, _of_spark, _of_multiprocess, _of_dask)
    if os.getpid() != made_in or parent_process() is not None or any(known() for known in engines):
        raise no_run_key()


def _of_ray() -> bool:
    ray: Any = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return False
    return bool(ray.get_runtime_context().worker.mode == ray.WORKER_MODE)


def _of_spark() -> bool:
    spark: Any = sys.modules.get("pyspark.taskcontext")
    return spark is not None and spark.TaskContext.get() is not None


def _of_multiprocess() -> bool:
    """Return whether this is a process of the package multiprocess, which `datasets` uses."""
    multiprocess: Any = sys.modules.get("multiprocess.process")
    return multiprocess is not None and multiprocess.parent_process() is not None


def _of_dask() -> bool:
    worker: Any = sys.modules.get("distributed.worker")
    try:
        return worker is not None and worker.get_worker() is not None
    except ValueError:  # this is no task
        return False
