"""What reading a damaged or foreign npz file with JSON in it may raise; readers turn it into one clear ValueError."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib

DAMAGED: tuple[type[Exception], ...] = (
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error),  # cut off, no zip file, a byte changed in what is packed
    *(struct.error, SyntaxError, tokenize.TokenError, MemoryError),  # a byte changed in a head that NumPy reads
    *(NotImplementedError, RecursionError, OverflowError),  # another kind of zip, endless JSON, infinity
    *(ValueError, TypeError, KeyError, IndexError),  # other names, kinds and shapes
)
