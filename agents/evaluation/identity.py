"""What an agent is: its spec, and the content of everything of ours or its own that decides how it plays.

Two runs may share results only where these are equal. An identity covers the sources of both packages, the files that
a spec names, and for a user's class the modules in its folder (or package) that have been imported. It cannot cover
what an agent reads by itself, other packages, or the clock.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import sys
from pathlib import Path

import piquet_env
from agents.base import AgentError
from agents.registry import BUILDERS, split_spec

_SUFFIXES = (".py", ".npz", ".safetensors", ".json")
_ROOTS = (Path(piquet_env.__file__).resolve().parent, Path(__file__).resolve().parent.parent)


def version() -> str:
    """Return the version of the installed package."""
    try:
        return importlib.metadata.version("piquet-env")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


@functools.cache
def sources_hash() -> str:
    """Return a digest of the sources and data of `piquet_env` and `agents`; 16 hex digits."""
    digest = hashlib.sha256()
    for root in _ROOTS:
        for path in sorted(path for path in root.rglob("*") if path.suffix in _SUFFIXES and path.is_file()):
            digest.update(path.relative_to(root.parent).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def identity(spec: str) -> dict[str, str]:
    """Return the identity of an agent that has been made from `spec`: the spec, and digests of files by name.

    Files of arguments are named as in the spec, modules as Python names them, so that it is the same in every folder.
    Raises AgentError for a file that cannot be read.
    """
    return {"spec": spec, **{name: _file_hash(path) for name, path in sorted(_files_of(spec).items())}}


def _files_of(spec: str) -> dict[str, Path]:
    """Return the files of an agent by name, those of an agent in its arguments among them."""
    head, arguments = split_spec(spec)
    files = {value: Path(value) for value in arguments.values() if isinstance(value, str) and _is_file(value)}
    if head not in BUILDERS:
        return files | _own_modules(head)
    inner = arguments.get(BUILDERS[head].takes_spec)
    return files | _files_of(inner) if isinstance(inner, str) else files


def _own_modules(head: str) -> dict[str, Path]:
    """Return a user's file and the imported modules and packages beside it, or the imported modules of a package."""
    files = dict(_module_files())
    if not head.endswith(".py"):
        package = head.partition(".")[0]
        return {name: file for name, file in files.items() if name.partition(".")[0] == package}
    own = Path(head).resolve()
    beside = {own.name: own}
    for name, file in files.items():
        top = files.get(name.partition(".")[0], file)
        place = top.parent if top.name == "__init__.py" else top
        if place.parent == own.parent and place not in _ROOTS and file != own:
            beside[name] = file
    return beside


def _module_files() -> list[tuple[str, Path]]:
    """Return the imported modules that come from files."""
    named = [(name, getattr(module, "__file__", None)) for name, module in list(sys.modules.items())]
    # The script itself is not what an agent plays by, and it differs from caller to caller.
    return [(name, Path(file).resolve()) for name, file in named if isinstance(file, str) and name != "__main__"]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # too long for a file's name
        return False


def _file_hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise AgentError(f"{path} cannot be read: {error.strerror}") from None
