"""Writing files so that a reader finds the old file or the whole new one, never a half."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to a temporary file beside `path` and rename it, replacing a file that stands there.

    Raises OSError where the folder cannot be written to; the temporary file is then removed.
    """
    # Opened like any new file, not by tempfile, so that it gets the user's usual permissions.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
