"""The one place where the project compiles: `jit`, numba's `njit` with its flags and a cache that cannot go stale.

`NUMBA_DISABLE_JIT=1` leaves every kernel as plain Python; the results are the same.

numba keys its cache by the file of the compiled function alone, so an edit in a function that it calls in another
module would be answered with old machine code. The cache therefore lives in a folder named by a digest of all sources
that hold
kernels: other sources, other folder. Where no folder can be written, kernels compile without a cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numba

KEEP_SECONDS = 30 * 24 * 3600
Function = TypeVar("Function", bound=Callable[..., Any])


def digest_sources(*places: Path) -> str:
    """Return a short hexadecimal digest of Python sources, files or all of a folder, by name and content."""
    digest = hashlib.sha256()
    for place in places:
        for path in [place] if place.is_file() else sorted(place.glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _is_writable(folder: Path) -> bool:
    """Return whether `folder` can be made and written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def find_cache_folder(package: Path, digest: str) -> Path | None:
    """Return the folder for machine code of these sources, or None where no place can be written.

    `NUMBA_CACHE_DIR` comes first, then the package's own `__pycache__`, then the user's cache.
    """
    given = numba.config.CACHE_DIR
    places = [Path(given)] if given else [package / "__pycache__", *_user_caches()]
    for place in places:
        folder = place / f"kernels-{digest}"
        if _is_writable(folder):
            _remove_old(place)
            return folder
    return None


def _user_caches() -> list[Path]:
    """Return the user's cache folder, if there is one: a user without a name may have no home."""
    try:
        return [Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "piquet_env"]
    except RuntimeError:
        return []


def _remove_old(place: Path) -> None:
    """Remove folders of machine code that have not been written to for a month."""
    old = time.time() - KEEP_SECONDS
    for folder in place.glob("kernels-*"):
        if folder.is_dir() and folder.stat().st_mtime < old:
            shutil.rmtree(folder, ignore_errors=True)


class Decorators(NamedTuple):
    """The decorators of `make_jit`."""

    jit: Callable[[Function], Function]
    inner: Callable[[Function], Function]
    inline: Callable[[Function], Function]


def make_jit(owner: Path, *places: Path) -> Decorators:
    """Return the decorators `jit`, `inner` and `inline`, with a cache keyed by the sources in `places`, in `owner`.

    places: all files and folders with kernels that another module's kernels call (numba itself sees to a kernel's own
            file)

    A function under `inner` compiles in half the time, but can be called from compiled code alone: a call from Python
    would crash the interpreter. All functions that take a row are of this kind; Python goes through the doors `…_at`.
    One under `inline` is moreover put in place at each call: for the short ones of every decision that take several
    arrays, since each array is passed as seven words or more. A long one under `inline` compiles for minutes.
    """
    cache_folder = find_cache_folder(owner, digest_sources(*places))

    def compile_function(function: Function, **options: Any) -> Function:
        # numba reads its cache folder while it decorates; the user's own setting is put back at once.
        before = numba.config.CACHE_DIR
        if cache_folder is not None:
            numba.config.CACHE_DIR = str(cache_folder)
        try:
            # No fastmath: the kernels are integer code. nogil: a batch may run in threads of its caller.
            dispatcher = numba.njit(cache=cache_folder is not None, nogil=True, **options)(function)
        finally:
            numba.config.CACHE_DIR = before
        _share_literals(dispatcher)
        return cast(Function, dispatcher)

    def jit(function: Function) -> Function:
        return compile_function(function)

    def inner(function: Function) -> Function:
        return compile_function(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)

    def inline(function: Function) -> Function:
        return compile_function(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)

    return Decorators(jit, inner, inline)


def _share_literals(dispatcher: Any) -> None:
    """Let calls with constant arguments share one compiled version of the function.

    numba would compile `book(row, 0, …)` and `book(row, 1, …)` anew for each constant, which doubles the first start.
    Uncompiled functions, and versions of numba without this hook, are left as they are.
    """
    find_template = getattr(dispatcher, "get_call_template", None)
    if find_template is None:
        return

    def find_shared(args: Any, kws: Any) -> Any:
        plain = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
        return find_template(tuple(numba.types.unliteral(kind) for kind in args), plain)

    dispatcher.get_call_template = find_shared


_RULES = Path(__file__).resolve().parent
KERNEL_SOURCES = (_RULES, _RULES.parent / "observation.py", _RULES.parent / "memory.py")

jit, inner, inline = make_jit(_RULES.parent, *KERNEL_SOURCES)
