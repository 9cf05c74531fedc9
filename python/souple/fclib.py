"""Frictional contact problems in the form of FCLIB, the library of such problems of Siconos (HDF5), as dictionaries of arrays.

A problem has the keys global, dimension (2 or 3 rows per contact), contacts and equalities; the matrices W, V and R of a local
or M, H and G of a global one, each a dictionary of shape, start, column and value (rows of compressed entries); and the vectors q
and s, or f, w and b, and mu, as far as the form has them. A local problem is u = W r + V l + q, 0 = V^T r + R l + s, a global one
M v = H r + G l + f, u = H^T v + w, 0 = G^T v + b.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from . import _core


def read(path: Any, context: Any = None) -> Dict[str, Any]:
    """The problem of a file. Arrays are views of the memory of the library, read-only."""
    return _core._fclib_read(path, context)


def write(path: Any, problem: Mapping[str, Any], solution: Optional[Mapping[str, Any]] = None, context: Any = None) -> None:
    """Writes a problem, such as that of `read`. A matrix may also be a scipy.sparse.csr_matrix; contacts is the length of mu if
    it is not given. solution: u, r, v and l, as far as they are known."""
    _core._fclib_write(path, dict(problem), None if solution is None else dict(solution), context)
