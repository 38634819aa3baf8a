"""Compiled loops: what is imported for them, and that functions of numba's own work as ever."""

from __future__ import annotations

import json
import subprocess
import sys

ASK = """
import json, sys
import numpy as np
from sfumato.privacy.kernels import order_by
told = {"order": order_by(np.array([2, 0, 1, 0]), 3).tolist(), "before": "scipy.linalg" in sys.modules}
import numba
from numba.np import arraymath, linalg
told["same"] = arraymath.ensure_blas is linalg.ensure_blas and linalg.ensure_blas.__module__ == linalg.__name__
told["have"] = arraymath._HAVE_BLAS
told["product"] = numba.njit(lambda x: np.dot(x, x))(np.arange(4.0))
told["after"] = "scipy.linalg" in sys.modules
print(json.dumps(told))
"""


def test_loops_import_no_linear_algebra_until_one_uses_it() -> None:
    ran = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(ran.stdout) == {
        "order": [1, 3, 2, 0],
        "before": False,
        "same": True,
        "have": True,
        "product": 14.0,
        "after": True,
    }
