"""Which elements of one list are which of another.

Equal elements are matched first, by a longest common subsequence; what is left between two
matches is paired by `id`, and then by position. If one list is the other with elements added,
all of them match, and they match the same way in both directions.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from gitwfp.files.jsonspans import Json

_TABLE_LIMIT = 250_000
"""Cells of the exact comparison; beyond that, only elements that occur once are matched."""

Pair = tuple[int, int]


class Sameness:
    """Numbers values so that two have one number exactly if they are the same JSON.

    True is not 1, 1 is not 1.0, and the order of members means nothing. The containers that
    are numbered must stay alive and unchanged as long as this is in use.
    """

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._containers: dict[int, int] = {}

    def number(self, value: Json) -> int:
        """Returns the number of a value."""
        stack = [value] if self._is_open(value) else []
        while stack:
            top = stack[-1]
            open_children = [c for c in _inside(top) if self._is_open(c)]
            if open_children:
                stack += open_children
                continue
            stack.pop()
            if isinstance(top, list | dict):
                self._containers[id(top)] = self._intern(top)
        return self._known(value)

    def _is_open(self, value: Json) -> bool:
        return isinstance(value, list | dict) and id(value) not in self._containers

    def _known(self, value: Json) -> int:
        if isinstance(value, list | dict):
            return self._containers[id(value)]
        return self._intern(value)

    def _intern(self, value: Json) -> int:
        face: object
        if isinstance(value, dict):
            face = ("object", frozenset((k, self._known(v)) for k, v in value.items()))
        elif isinstance(value, list):
            face = ("list", tuple(map(self._known, value)))
        elif isinstance(value, float):
            # 0.0 and -0.0 are equal and are not the same.
            face = ("float", repr(value))
        elif isinstance(value, bool) or value is None:
            face = ("word", value)
        else:
            face = ("text" if isinstance(value, str) else "integer", value)
        return self._numbers.setdefault(face, len(self._numbers))


def paired(old: Sequence[Json], new: Sequence[Json], same: Sameness) -> list[Pair]:
    """Pairs the elements of two lists.

    Args:
        old: One list.
        new: The other.
        same: Tells equal values.

    Returns:
        Index pairs, rising on both sides; what is in none of them was removed or added.
    """
    equal = matches([same.number(v) for v in old], [same.number(v) for v in new])
    pairs = list(equal)
    for i, i_end, j, j_end in _gaps(equal, len(old), len(new)):
        heads = _heads(old[i:i_end], same, -1), _heads(new[j:j_end], same, -2)
        named = [(i + p, j + q) for p, q in matches(*heads)]
        pairs += named
        inner = [(p - i, q - j) for p, q in named]
        for p, p_end, q, q_end in _gaps(inner, i_end - i, j_end - j):
            pairs += zip(range(i + p, i + p_end), range(j + q, j + q_end), strict=False)
    return sorted(pairs)


def matches(a: Sequence[int], b: Sequence[int]) -> list[Pair]:
    """Returns index pairs of a longest common subsequence.

    Where the lists are long and differ a lot it is a common subsequence, not always a longest.
    """
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    rest = 0
    while rest < shorter - start and a[-1 - rest] == b[-1 - rest]:
        rest += 1
    found = [(i, i) for i in range(start)]
    middle = a[start : len(a) - rest], b[start : len(b) - rest]
    found += [(start + i, start + j) for i, j in _middle_matches(*middle)]
    found += [(len(a) - k, len(b) - k) for k in range(rest, 0, -1)]
    return found


def _middle_matches(a: Sequence[int], b: Sequence[int]) -> list[Pair]:
    if len(a) * len(b) <= _TABLE_LIMIT:
        return _exact(a, b)
    anchors = _anchors(a, b)
    found = list(anchors)
    for i, i_end, j, j_end in _gaps(anchors, len(a), len(b)):
        if (i_end - i) * (j_end - j) <= _TABLE_LIMIT:
            found += [(i + p, j + q) for p, q in _exact(a[i:i_end], b[j:j_end])]
    return sorted(found)


def _exact(a: Sequence[int], b: Sequence[int]) -> list[Pair]:
    """Returns the first of the longest common subsequences, by the classic table."""
    if not a or not b:
        return []
    table = [[0] * (len(b) + 1)]
    for element in reversed(a):
        below, row = table[-1], [0] * (len(b) + 1)
        for j in range(len(b) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if element == b[j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    found: list[Pair] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[Pair]:
    """Returns a longest rising row of matches between elements that each list has once."""
    in_a, in_b = Counter(a), Counter(b)
    places = {element: j for j, element in enumerate(b) if in_b[element] == 1}
    ends: list[int] = []
    tops: list[Pair] = []
    before: dict[Pair, Pair | None] = {}
    for i, element in enumerate(a):
        if in_a[element] != 1 or element not in places:
            continue
        pair = (i, places[element])
        length = bisect_left(ends, pair[1])
        before[pair] = tops[length - 1] if length else None
        ends[length : length + 1] = [pair[1]]
        tops[length : length + 1] = [pair]
    row: list[Pair] = []
    top = tops[-1] if tops else None
    while top is not None:
        row.append(top)
        top = before[top]
    return row[::-1]


def _gaps(pairs: Sequence[Pair], a: int, b: int) -> Iterator[tuple[int, int, int, int]]:
    """Yields what lies between pairs, as start and end on both sides."""
    i = j = 0
    for next_i, next_j in [*pairs, (a, b)]:
        if i < next_i and j < next_j:
            yield i, next_i, j, next_j
        i, j = next_i + 1, next_j + 1


def _heads(values: Sequence[Json], same: Sameness, filler: int) -> list[int]:
    """Returns a number for the `id` of each object, and one that matches nothing for the rest."""
    return [
        same.number(value["id"])
        if isinstance(value, dict) and "id" in value
        else filler - 2 * place
        for place, value in enumerate(values)
    ]


def _inside(value: Json) -> Sequence[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()
