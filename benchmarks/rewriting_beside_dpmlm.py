"""The PyPI package dpmlm 1.3.0, timed in its own environment; rewriting.py starts this and talks to it line by line.

What is changed from outside, none of it in the timed path but the tokenizer: ``nltk.word_tokenize`` is the Treebank
tokenizer that it ends in (the punkt data cannot be had), NLTK's stop word list is read from a given file, and
presidio, used only where PII is asked for, may be absent.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any


def loaded(job: dict[str, Any]) -> tuple[Any, list[int]]:
    """Its class on the model of ``job``, and a list that grows by the rows of every call of the network."""
    data = Path(tempfile.mkdtemp())
    (data / "corpora" / "stopwords").mkdir(parents=True)
    shutil.copyfile(job["stopwords"], data / "corpora" / "stopwords" / "english")
    os.environ["NLTK_DATA"] = str(data)
    if importlib.util.find_spec("presidio_analyzer") is None:
        sys.modules["presidio_analyzer"] = types.ModuleType("presidio_analyzer")
        sys.modules["presidio_analyzer"].AnalyzerEngine = None  # type: ignore[attr-defined]

    import nltk
    import torch

    torch.set_num_threads(job["threads"])
    nltk.word_tokenize = nltk.tokenize.TreebankWordTokenizer().tokenize
    import dpmlm

    lower, upper = job["clip"]
    bounds = {"clip_min": lower, "clip_max": upper, "sensitivity": upper - lower}
    made = dpmlm.DPMLM(MODEL=job["folder"], calibration=bounds)
    calls: list[int] = []
    made.lm_model.register_forward_hook(lambda _, __, output: calls.append(len(output.logits)))
    return made, calls


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print is no answer
    job = json.loads(sys.stdin.readline())
    made, calls = loaded(job)
    made.dpmlm_rewrite(job["texts"][0], job["epsilon"], REPLACE=True, STOP=True)
    print(json.dumps("ready"), file=out, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        calls.clear()
        started = time.perf_counter()
        for text in job["texts"]:
            if asked["batched"]:
                made.dpmlm_rewrite_batch(text, job["epsilon"], STOP=asked["stop"])
            else:
                made.dpmlm_rewrite(text, job["epsilon"], REPLACE=True, STOP=asked["stop"])
        print(json.dumps([time.perf_counter() - started, sum(calls)]), file=out, flush=True)


if __name__ == "__main__":
    main()
