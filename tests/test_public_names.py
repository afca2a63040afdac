"""The public names are sorted and exist, and the version has one home."""

import importlib
import importlib.metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FACES = {
    package: ROOT / package.replace(".", "/") / "__init__.py"
    for package in ("piquet_env", "piquet_env.rules", "agents")
}
PACKAGES = [
    package for package, path in FACES.items() if path.exists() and "__all__" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("package", PACKAGES)
def test_all_is_sorted_without_repetition(package: str) -> None:
    names = importlib.import_module(package).__all__
    assert list(names) == sorted(set(names))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_in_all_exists(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


def test_version_is_that_of_the_installed_package() -> None:
    package = importlib.import_module("piquet_env")
    if not hasattr(package, "__version__"):
        pytest.skip("piquet_env has no __version__ yet")
    assert package.__version__ == importlib.metadata.version("piquet-env")
