"""`jit` and `inner` for the kernels of search, keyed by the sources of this package and of the rules."""

from __future__ import annotations

from pathlib import Path

from piquet_env.rules.jit import KERNEL_SOURCES, make_jit

_SEARCH = Path(__file__).resolve().parent

jit, inner, _ = make_jit(_SEARCH.parent, _SEARCH, *KERNEL_SOURCES)
