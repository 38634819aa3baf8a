"""Runs a block of a page, given on standard input; a server answers at the address that the page names.

The public lists are short, as they are for the blocks that run in the process of the tests.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext

from served_doors import TOKEN, served_by_a_policy
from short_lists import short_families, short_lists

ADDRESS = "http://127.0.0.1:8411"

if __name__ == "__main__":
    code = sys.stdin.read()
    with short_lists(), short_families(), served_by_a_policy("chat") if ADDRESS in code else nullcontext() as address:
        code = code.replace(ADDRESS, address or ADDRESS).replace("THE TOKEN", TOKEN)
        exec(compile(code, "page", "exec", dont_inherit=True), {})
