"""Machine code in the cache is never older than any source that it came from, and no cache is no obstacle."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from piquet_env.rules import jit

CALLER = """
from pathlib import Path
from piquet_env.rules.jit import make_jit
here = Path(__file__).resolve().parent
compiled, inner, _ = make_jit(here, here)
from callee import value

@compiled
def twice(number):
    return 2 * value(number)
"""
CALLEE = """
from pathlib import Path
from piquet_env.rules.jit import make_jit
here = Path(__file__).resolve().parent
compiled, inner, _ = make_jit(here, here)

@compiled
def value(number):
    return number + {addend}
"""


def run(folder: Path, program: str, **environment: str) -> str:
    settings = {name: text for name, text in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=folder, env=settings | environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_edit_in_a_callee_of_another_module_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "callee.py").write_text(CALLEE.format(addend=1))
    program = "from caller import twice; print(twice(10), sum(twice.stats.cache_hits.values()))"
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(tmp_path, program, **cache) == "22 0"
    assert run(tmp_path, program, **cache) == "22 1"
    (tmp_path / "callee.py").write_text(CALLEE.format(addend=2))
    assert run(tmp_path, program, **cache) == "24 0"


def test_without_a_writable_cache_kernels_still_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_is_writable", lambda _: False)
    assert jit.find_cache_folder(tmp_path, "digest") is None
    compiled, _, _ = jit.make_jit(tmp_path, tmp_path)
    assert compiled(lambda number: number + 1)(1) == 2


def test_every_module_with_kernels_is_in_the_digest() -> None:
    package = Path(jit.__file__).resolve().parent.parent
    own_file_suffices = {package / "batch_kernel.py"}  # no other module calls its kernels
    for path in package.rglob("*.py"):
        if re.search(r"^@(jit|inner|inline)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            covered = path.parent in jit.KERNEL_SOURCES or path in jit.KERNEL_SOURCES or path in own_file_suffices
            assert covered, path


def test_folders_of_old_machine_code_are_removed(tmp_path: Path) -> None:
    old, new = tmp_path / "kernels-old", tmp_path / "kernels-new"
    for folder in (old, new):
        folder.mkdir()
    month_ago = old.stat().st_mtime - jit.KEEP_SECONDS - 60
    os.utime(old, (month_ago, month_ago))
    jit._remove_old(tmp_path)
    assert not old.exists()
    assert new.exists()
