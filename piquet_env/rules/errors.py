"""The errors that users meet: text that cannot be read, and actions that are not legal now. Both are ValueErrors."""

from __future__ import annotations


class NotationError(ValueError):
    """Raised for text that cannot be read, or that describes no possible deal."""


class IllegalActionError(ValueError):
    """Raised for an action that the laws do not allow now; the message names the law and shows the position as text."""
