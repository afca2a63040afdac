"""`jit` and `inner` for these kernels: as in agents/jit.py, keyed by this folder's sources too."""

from __future__ import annotations

from pathlib import Path

from piquet_env.rules.jit import KERNEL_SOURCES, make_jit

_HERE = Path(__file__).resolve().parent

jit, inner, _ = make_jit(_HERE, _HERE, *KERNEL_SOURCES)
