"""`jit` and `inner` for the agents' kernels: as in piquet_env/rules/jit.py, keyed by the sources of both packages.

An agent's kernel calls kernels of the rules, so an edit in either package must find no old machine code.
"""

from __future__ import annotations

from pathlib import Path

import piquet_env.rules.jit
from piquet_env.rules.jit import make_jit

_AGENTS = Path(__file__).resolve().parent
_PIQUET_ENV = Path(piquet_env.rules.jit.__file__).resolve().parent.parent

jit, inner = make_jit(_AGENTS, _PIQUET_ENV)
