"""The example with MaskablePPO as sb3-contrib ships it: short, and its policy plays in evaluate.py."""

import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("safetensors")

from agents.arena import play_match

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "train_with_maskable_ppo.py"


@pytest.mark.slow
def test_what_it_learns_beats_random(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.safetensors"
    options = ["--decisions", "60000", "--opponent", "random", "--policy", str(policy)]
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *options])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert "against random" in capsys.readouterr().out
    match = play_match(f"policy:{policy}", "random", parties=200, seed=5)
    assert match.settlement.low > 0


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 100
