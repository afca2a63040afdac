"""Why an action is not legal: one sentence with the law, and the position."""

from __future__ import annotations

from typing import Any

import numpy as np

from .variants import Rules


def explain_refusal(row: np.void, rules: Rules, action: Any) -> str:
    """Return why `action` is refused in the position of `row`."""
    return f"action {action!r} is not legal now"
