"""No import runs upward.

A module may import its own layer and those below. The files are read, not run, so an import inside a function or
under `TYPE_CHECKING` counts like any other.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

# From low to high. A module belongs to the layer that names the longest prefix of its dotted name.
LAYERS = (
    ("piquet_env.rules",),
    (
        "piquet_env.observation",
        "piquet_env.rewards",
        "piquet_env.damaged",
        "piquet_env.equity",
        "piquet_env.render",
        "piquet_env.game",
    ),
    ("piquet_env",),  # all the rest: the environments and their entry points
    ("agents",),
    ("train", "evaluate"),
)
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}

# What the rules may import beside themselves and the standard library: they are of use with no learning library.
RULES_MAY_IMPORT = {"numpy", "numba"}

# What `import piquet_env` must not load: everything of the extras, and the frameworks that adapters are for.
NOT_LOADED = (
    "matplotlib",
    "pyspiel",
    "ray",
    "rich",
    "safetensors",
    "sb3_contrib",
    "stable_baselines3",
    "tensorboard",
    "torch",
    "tyro",
)


class Import(NamedTuple):
    """One imported module: who imports it, in which function ("" at module level), what, and where."""

    importer: str
    function: str
    target: str
    line: int


# The single exception: an opponent given as a spec string is looked up among the agents when an environment is made.
UPWARD_EXCEPTION = ("piquet_env.opponents", "resolve_opponent", "agents.registry")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def source_files() -> list[Path]:
    packages = [path for package in ("piquet_env", "agents") for path in sorted((ROOT / package).rglob("*.py"))]
    scripts = [path for path in (ROOT / "train.py", ROOT / "evaluate.py") if path.exists()]
    return packages + scripts


MODULES = {module_name(path): path for path in source_files()}


def imports_of(source: str, importer: str, *, is_package: bool = False) -> Iterator[Import]:
    """Every import in a source text, with `from package import submodule` resolved to the submodule."""
    package = importer if is_package else importer.rpartition(".")[0]

    def visit(node: ast.AST, function: str) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(importer, function, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module or ""
            for alias in node.names:
                submodule = f"{base}.{alias.name}"
                target = submodule if submodule in MODULES or submodule in LAYER_OF else base
                yield Import(importer, function, target, node.lineno)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        for child in ast.iter_child_nodes(node):
            yield from visit(child, function)

    return visit(ast.parse(source), "")


def imports_of_module(name: str) -> list[Import]:
    path = MODULES[name]
    return list(imports_of(path.read_text(encoding="utf-8"), name, is_package=path.name == "__init__.py"))


def layer_of(module: str) -> int | None:
    """The number of a module's layer, None for a module that is not ours."""
    parts = module.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((LAYER_OF[prefix] for prefix in prefixes if prefix in LAYER_OF), None)


def is_upward(found: Import) -> bool:
    importer_layer, target_layer = layer_of(found.importer), layer_of(found.target)
    return importer_layer is not None and target_layer is not None and target_layer > importer_layer


def agent_family(module: str) -> str | None:
    """The family of agents that a module belongs to: a sub-package of `agents`."""
    parts = module.split(".")
    if parts[0] != "agents" or len(parts) == 1 or not (ROOT / "agents" / parts[1]).is_dir():
        return None
    return parts[1]


@pytest.mark.parametrize("name", MODULES)
def test_no_import_runs_upward(name: str) -> None:
    upward = [found for found in imports_of_module(name) if is_upward(found) and found[:3] != UPWARD_EXCEPTION]
    assert not upward


@pytest.mark.parametrize("name", [name for name in MODULES if layer_of(name) == 0])
def test_rules_import_only_numpy_numba_and_the_standard_library(name: str) -> None:
    foreign = [
        found
        for found in imports_of_module(name)
        if layer_of(found.target) != 0 and found.target.split(".")[0] not in RULES_MAY_IMPORT | sys.stdlib_module_names
    ]
    assert not foreign


@pytest.mark.parametrize("name", [name for name in MODULES if agent_family(name)])
def test_families_of_agents_do_not_import_each_other(name: str) -> None:
    across = [
        found for found in imports_of_module(name) if agent_family(found.target) not in {None, agent_family(name)}
    ]
    assert not across


@pytest.mark.parametrize(
    ("importer", "statement", "target", "upward"),
    [
        ("piquet_env.rules.play", "from .cards import hand", "piquet_env.rules.cards", False),
        ("piquet_env.rules.play", "from piquet_env.observation import encode", "piquet_env.observation", True),
        ("piquet_env.rules.play", "from piquet_env import Rules", "piquet_env", True),
        ("piquet_env.game", "from piquet_env import rules", "piquet_env.rules", False),
        ("piquet_env.game", "from . import aec", "piquet_env", True),
        ("piquet_env.aec", "import agents.registry", "agents.registry", True),
        ("agents.arena", "import piquet_env.rules.cards as cards", "piquet_env.rules.cards", False),
        ("agents.arena", "def f():\n    import train", "train", True),
        ("train", "import numpy", "numpy", False),
    ],
)
def test_the_test_itself_resolves_imports(importer: str, statement: str, target: str, upward: bool) -> None:
    (found,) = imports_of(statement, importer)
    assert found.target.startswith(target)
    assert is_upward(found) is upward


@pytest.mark.nojit
def test_importing_the_package_loads_no_training_library() -> None:
    if "piquet_env" not in MODULES:
        pytest.skip("there is no piquet_env yet")
    code = f"import sys, piquet_env; print(*sorted(set({NOT_LOADED!r}) & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []
