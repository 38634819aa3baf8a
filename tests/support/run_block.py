"""Runs blocks of pages, a JSON list on standard input; a server answers at the address that some of them name.

Its last line is a JSON list: what each block printed, and the traceback of one that failed. The public lists are
short, as they are for the blocks that run in the process of the tests.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from io import StringIO

import httpx

from served_doors import TOKEN, served_by_a_policy
from short_lists import short_families, short_lists

ADDRESS = "http://127.0.0.1:8411"


def run(blocks: list[str]) -> Iterator[tuple[str, str]]:
    """Run each block, and yield what it printed and how it failed."""
    asks = any(ADDRESS in block for block in blocks)
    with short_lists(), short_families(), served_by_a_policy("chat") if asks else nullcontext() as address:
        if address:  # its first answer takes longer than others, and a page may wait for five seconds only
            asked = {"text": "Anna Meier came.", "language": "en"}
            httpx.post(f"{address}/analyze", json=asked, headers={"x-api-key": TOKEN}, timeout=100)
        for block in blocks:
            code = block.replace(ADDRESS, address or ADDRESS).replace("THE TOKEN", TOKEN)
            printed, error = StringIO(), ""
            with redirect_stdout(printed):
                try:
                    exec(compile(code, "page", "exec", dont_inherit=True), {})
                except Exception:
                    error = traceback.format_exc()
            yield printed.getvalue(), error


if __name__ == "__main__":
    sys.stdout.write(json.dumps(list(run(json.load(sys.stdin)))))
