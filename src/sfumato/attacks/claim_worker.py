"""A process that splits texts into claims for another process: lines of JSON in, lines of JSON out."""

from __future__ import annotations

import json
import sys

from sfumato.attacks.claims import ClauseSplitter


def main() -> None:
    """Answer lists of texts by their claims, a line each. The first line names the pipeline."""
    [pipeline] = json.loads(sys.stdin.readline())
    splitter = ClauseSplitter(pipeline)
    splitter.parse(["ready"])
    answer = sys.stdout
    sys.stdout = sys.stderr  # a library's output must not become an answer
    print(json.dumps("ready"), file=answer, flush=True)
    for line in sys.stdin:
        print(json.dumps(splitter.parse(json.loads(line))), file=answer, flush=True)


if __name__ == "__main__":
    main()
