"""Settings that every test shares: hypothesis profiles, the golden files' option, plots without a screen."""

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "Agg")

# No deadline and no check for slow data: the first example may compile a kernel.
settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same commit always gets the same verdict; the other profiles go on looking in new places.
settings.register_profile("ci", settings.get_profile("dev"), max_examples=300, derandomize=True, print_blob=True)
settings.register_profile("thorough", settings.get_profile("dev"), max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden files instead of comparing with them; review the difference before committing it",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether a test shall rewrite its golden file."""
    return bool(request.config.getoption("--update-golden"))
