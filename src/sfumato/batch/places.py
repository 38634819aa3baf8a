"""Where a call is made: in a process of its own, or in one of an engine, which may make the call again."""

from __future__ import annotations

import sys
from multiprocessing import parent_process
from typing import Any

from sfumato.release.files import no_run_key


def check_alone() -> None:
    """Raise ConfigurationError if this process is a worker of an engine. Nothing is imported to find out."""
    if parent_process() is not None or any(known() for known in (_of_ray, _of_spark, _of_multiprocess)):
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
