"""From Polars to NumPy: columns become integer codes, code tuples exact packed words. Never a hash: it can collide."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.errors import InputError, type_name
from anonym.hierarchy.places import Finder, finder, is_searchable

Normal = Literal["trim", "casefold", "nfkc"]
FOLD: tuple[Normal, ...] = ("trim", "casefold", "nfkc")
WORD_BITS = 64
BLOCK = 1 << 14  # words recoded at a time: what is worked out on the way stays in the cache

Coder = Callable[[pl.Series], pl.Series]


def canonical(name: str, dtype: pl.DataType, normalise: Sequence[Normal] = ()) -> pl.Expr:
    """The column in the form in which values are compared: NaN is null, -0.0 is 0.0, Categorical and Enum are text.

    `normalise` makes spellings of a text column equal, see `normalised`.
    """
    column = pl.col(name)
    if dtype.is_float():
        # `+ 0.0` would keep the sign of a zero.
        return (
            pl.when(column.is_nan()).then(None).when(column == 0.0).then(0.0).otherwise(column).cast(dtype).alias(name)
        )
    if not isinstance(dtype, pl.String | pl.Categorical | pl.Enum | pl.Null):
        return column
    column = column.cast(pl.String)
    steps = tuple(normalise)
    return (
        column
        if not steps
        else column.map_batches(lambda s: normalised(s, steps), return_dtype=pl.String, is_elementwise=True)
    )


def canonical_type(dtype: pl.DataType) -> pl.DataType:
    """The type of `canonical`."""
    return pl.String() if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null) else dtype


def normalised(texts: pl.Series, steps: Sequence[Normal] = FOLD) -> pl.Series:
    """Texts after NFKC, full Unicode case folding (ß is ss, which lower case is not) and trimming, as far as named.

    Worked out once per distinct text.
    """
    distinct = texts.unique().drop_nulls()
    folded = pl.Series([_normalised(text, steps) for text in distinct], dtype=pl.String)
    return folded.gather(_enum_codes(texts, pl.Enum(distinct)))


def _normalised(text: str, steps: Sequence[Normal]) -> str:
    if "nfkc" in steps:
        text = unicodedata.normalize("NFKC", text)
    if "casefold" in steps:
        text = text.casefold()
    if "nfkc" in steps:
        text = unicodedata.normalize("NFKC", text)  # folding can undo it
    return text.strip() if "trim" in steps else text


def fold(values: pl.Series) -> NDArray[np.int32]:
    """(size,) class of the values that are equal for l (trim, casefold, NFKC), numbered as they appear; -1 for null."""
    if values.dtype == pl.String:
        values = normalised(values)
    frame = pl.DataFrame({"value": values})
    classes = frame.unique(maintain_order=True).drop_nulls().with_row_index("class")
    joined = frame.join(classes, on="value", how="left", maintain_order="left")
    return joined["class"].cast(pl.Int32).fill_null(-1).to_numpy()


def domain(
    frame: pl.LazyFrame, name: str, dtype: pl.DataType, normalise: Sequence[Normal] = (), unit: str | None = None
) -> pl.DataFrame:
    """DataFrame[value, rows]: the distinct canonical values of a column, sorted, null last, with their rows (Int64).

    With `unit` also `units`, the distinct units that hold each value (rows without a unit are one). One streaming pass
    over what is named. Errors of the engine pass through: the caller guards against what they print.
    """
    value = canonical(name, dtype, normalise).alias("value")
    rows, units = pl.len().cast(pl.Int64).alias("rows"), pl.col("unit").n_unique().cast(pl.Int64).alias("units")
    if unit is None:
        counts = frame.select(value).group_by("value").agg(rows)
    else:
        counts = frame.select(value, pl.col(unit).alias("unit")).group_by("value").agg(rows, units)
    return counts.collect(engine="streaming").sort("value", nulls_last=True)


def leaf_code(domain: pl.Series, name: str, normalise: Sequence[Normal] = ()) -> pl.Expr:
    """Int32 leaf codes of a raw column: positions in `domain` (distinct canonical values, sorted, null last).

    Raises InputError while it runs if a value is not in the domain: the input changed between two passes.
    """
    value = canonical(name, domain.dtype, normalise)
    return value.map_batches(coder(domain, name), return_dtype=pl.Int32, is_elementwise=True).alias(name)


class ChangedInputError(InputError):
    """The input changed between two passes. Polars appends the failing expression to a message; it is cut off."""

    def __init__(self, message: str) -> None:
        super().__init__(message.partition("\n\nThis error occurred")[0])


def _changed(name: str) -> str:
    return (
        f"the input changed between two passes: column '{name}' now holds values that it did not have at first. "
        "Start again from a copy that nobody writes to"
    )


def changed_rows(rows: int) -> ChangedInputError:
    """For an input that does not have as many rows as at first."""
    return ChangedInputError(
        f"the input changed between two passes: it had {rows:,} rows and has others now. "
        "Start again from a copy that nobody writes to"
    )


def coder(domain: pl.Series, name: str) -> Coder:
    """A function from canonical values to their positions in the domain (Int32)."""
    values = domain.drop_nulls()
    find = finder(values) if is_searchable(domain.dtype) else _as_text(values)

    def code(column: pl.Series) -> pl.Series:
        if column.dtype != domain.dtype:
            raise ChangedInputError(
                f"the input changed between two passes: column '{name}' was {type_name(domain.dtype)}, "
                f"now it is {type_name(column.dtype)}"
            )
        found = find(column)
        missing = found.null_count()
        if missing > column.null_count() or (missing and not domain.null_count()):
            raise ChangedInputError(_changed(name))
        return found.fill_null(len(values)) if missing else found

    return code


def _as_text(values: pl.Series) -> Finder:
    """Look-up by text, for types that NumPy has no number for: their text is exact."""
    find = finder(values.cast(pl.String))
    return lambda column: find(column.cast(pl.String))


def _enum_codes(texts: pl.Series, categories: pl.Enum) -> pl.Series:
    """Positions among the categories, null where a text is none of them."""
    return texts.cast(categories, strict=False).to_physical().cast(pl.Int32)


def pack(codes: Sequence[pl.Expr], sizes: Sequence[int]) -> list[pl.Expr]:
    """Exact UInt64 words `key_0`, `key_1`, ... of code tuples; code j is below `sizes[j]`.

    Earlier codes take the higher bits, and no code is split: words sort as the tuples do.
    """
    words = []
    for number, members in enumerate(_layout(sizes)):
        parts = [codes[j].cast(pl.UInt64) * pl.lit(1 << shift, dtype=pl.UInt64) for j, shift in members]
        words.append(pl.sum_horizontal(parts).cast(pl.UInt64).alias(f"key_{number}"))
    return words


def pack_codes(codes: NDArray[np.int32], sizes: Sequence[int]) -> pl.DataFrame:
    """The words of `pack` for an array of code tuples (tuples, columns)."""
    words = {}
    for number, members in enumerate(_layout(sizes)):
        word = np.zeros(len(codes), dtype=np.uint64)
        for j, shift in members:
            word |= codes[:, j].astype(np.uint64) << np.uint64(shift)
        words[f"key_{number}"] = word
    return pl.DataFrame(words)


def pack_batch(codes: pl.DataFrame, sizes: Sequence[int]) -> NDArray[np.uint64]:
    """The words of `pack` for code columns whose tuples take one: in a quarter of the engine's time."""
    (members,) = _layout(sizes)
    columns = codes.get_columns()
    words = np.zeros(codes.height, dtype=np.uint64)
    for j, shift in members:
        words |= columns[j].to_numpy().astype(np.uint64) << np.uint64(shift)
    return words


def unpack(words: pl.DataFrame, sizes: Sequence[int]) -> NDArray[np.int32]:
    """(tuples, columns) codes of packed words."""
    codes = np.empty((words.height, len(sizes)), dtype=np.int32)
    for number, members in enumerate(_layout(sizes)):
        word = words[f"key_{number}"].to_numpy()
        for j, shift in members:
            codes[:, j] = (word >> np.uint64(shift)) & np.uint64((1 << _bits(sizes[j])) - 1)
    return codes


def picker(sizes: Sequence[int], column: int) -> Callable[[NDArray[np.uint64]], NDArray[np.int32]]:
    """A function that gives one column's codes, of words of tuples that take one."""
    (members,) = _layout(sizes)
    shift = np.uint64(dict(members)[column])
    mask = np.uint64((1 << _bits(sizes[column])) - 1)
    return lambda words: ((words >> shift) & mask).astype(np.int32)


def recoder(
    tables: Mapping[int, NDArray[np.int64]], sizes: Sequence[int]
) -> Callable[[NDArray[np.uint64]], NDArray[np.uint64]]:
    """A function that looks up some columns' codes, in words of tuples that take one: `tables` by column."""
    (members,) = _layout(sizes)
    parts = []
    for j, shift in members:
        if j in tables:
            change = (tables[j] - np.arange(len(tables[j]))).astype(np.uint64) << np.uint64(shift)
            parts.append((np.uint64(shift), np.uint64((1 << _bits(sizes[j])) - 1), change))

    def recode(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        recoded = np.empty_like(words)
        for at in range(0, len(words), BLOCK):
            block = words[at : at + BLOCK]
            found = block.copy()
            for shift, mask, change in parts:
                found += change[((block >> shift) & mask).view(np.int64)]  # modulo 2^64, as the sum is
            recoded[at : at + BLOCK] = found
        return recoded

    return recode


def words_of(sizes: Sequence[int]) -> int:
    """How many words tuples of codes take."""
    return len(_layout(sizes))


def _layout(sizes: Sequence[int]) -> list[list[tuple[int, int]]]:
    """For each word the (column, shift) pairs that it holds."""
    words: list[list[tuple[int, int]]] = []
    free = 0
    for j, size in enumerate(sizes):
        if _bits(size) > free:
            words.append([])
            free = WORD_BITS
        free -= _bits(size)
        words[-1].append((j, free))
    return words


def _bits(size: int) -> int:
    return max(1, (size - 1).bit_length())
