"""Texts as NumPy sees them: each as the two words that Arrow holds of it, through Arrow's C interface, without PyArrow.

Of up to 12 bytes a text is its words: its length and its bytes, padded with zeros. A longer one is its length, its
first bytes, and where in which buffer it stands. So within one chunk equal words are equal texts, and texts that differ
have words that differ; equal long texts may stand in two places.
Layouts: https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html, Columnar.html ("view layout").
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_VIEWS = b"vu"  # the format of texts held by views
_BYTES = 16  # a view
SHORT = 12  # bytes of the longest text that its words hold whole


class _Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


class _Array(ctypes.Structure):
    """`struct ArrowArray`."""


class _Stream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Schema))
_GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Array))

_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", _Release),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", _Release),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _GetSchema),
    ("get_next", _GetNext),
    ("get_last_error", ctypes.c_void_p),
    ("release", _Release),
    ("private_data", ctypes.c_void_p),
]

_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def words(texts: pl.Series) -> Iterator[Words] | None:
    """(n, 2) the words of each text of a chunk, chunk by chunk; no text is null. None where the engine does not hold
    texts by views. Each chunk's words stand in the engine's memory, and only until the next chunk is asked for.
    """
    capsule = texts.__arrow_c_stream__()
    stream = _Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
    return _arrays(stream, capsule) if _format(stream) == _VIEWS else None


def _format(stream: _Stream) -> bytes | None:
    schema = _Schema()
    if stream.get_schema(ctypes.addressof(stream), schema):
        return None
    format_ = schema.format
    schema.release(ctypes.addressof(schema))
    return bytes(format_)


def _arrays(stream: _Stream, _owner: object) -> Iterator[Words]:
    """Each chunk's views. The stream lives as long as its owner."""
    while True:
        array = _Array()
        if stream.get_next(ctypes.addressof(stream), array) or not array.release:
            return
        try:
            if array.length:
                held = ctypes.c_uint64 * (2 * array.length)
                views = held.from_address(array.buffers[1] + _BYTES * array.offset)
                yield np.frombuffer(views, np.uint64).reshape(-1, 2)
        finally:
            array.release(ctypes.addressof(array))
