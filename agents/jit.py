"""`jit` and `inner` for the agents' kernels: as in piquet_env/rules/jit.py, keyed by the sources of both packages.

An agent's kernel calls kernels of the rules, so an edit in either package must find no old machine code.
"""

from __future__ import annotations

from pathlib import Path

from piquet_env.rules.jit import KERNEL_SOURCES, make_jit

_AGENTS = Path(__file__).resolve().parent

jit, inner, _ = make_jit(_AGENTS, _AGENTS, *KERNEL_SOURCES)
