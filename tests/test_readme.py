"""The README's programs run, and the commands that it names exist."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_of_the_readme_runs(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(PROGRAMS[number], f"README.md program {number + 1}", "exec"), {"__name__": "readme"})
    capsys.readouterr()


def test_the_first_program_is_a_game_in_fifteen_lines() -> None:
    lines = [line for line in PROGRAMS[0].splitlines() if line.strip()]
    assert "piquet_v0" in PROGRAMS[0]
    assert len(lines) <= 15


def test_the_files_that_the_readme_names_exist() -> None:
    root = Path(__file__).resolve().parent.parent
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (root / target).exists(), target


def test_the_makefile_has_the_verbs_that_the_readme_names() -> None:
    makefile = (Path(__file__).resolve().parent.parent / "Makefile").read_text(encoding="utf-8")
    for verb in set(re.findall(r"\bmake ([a-z]+)", README)) - {"and"}:
        assert re.search(rf"^{verb}:", makefile, flags=re.MULTILINE), verb
