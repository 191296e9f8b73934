"""Three-way merge of sequences: lists of texts, lists of objects, lines of a document.

An element is kept, deleted or inserted. Two sides conflict only where both of them took away
the same element of the base and put different things in its place. Insertions at the same
place are both kept, so three people who each add a criterion never conflict. An element that
both sides moved stays where our side put it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from gitwfp.classes import dataclass


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Base elements `start:end` give way to the elements `new_start:new_end` of one side.

    `follows` marks an insertion that is the rest of a replacement right before it.
    """

    start: int
    end: int
    new_start: int
    new_end: int
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Overlap:
    """Where two sides took away the same elements and put different ones in their place.

    Attributes:
        base: The elements of the base concerned.
        ours: What our side has there.
        theirs: What their side has there.
    """

    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


Settle = Callable[[Overlap], Sequence[str] | None]


def merge_sequences(
    base: Sequence[str],
    ours: Sequence[str],
    theirs: Sequence[str],
    *,
    settle: Settle,
    theirs_first: bool = False,
) -> tuple[tuple[str, ...], tuple[Overlap, ...]]:
    """Merges two descendants of a sequence.

    Args:
        base: The common ancestor.
        ours: One descendant.
        theirs: The other.
        settle: Decides an overlap: the elements to take, or None to leave it a conflict.
        theirs_first: Whether their insertions go before ours where both insert at one place.

    Returns:
        The merged sequence, with our elements where there is a conflict, and the conflicts.
    """
    hunks = _hunks(base, ours), _hunks(base, theirs)
    moves = _Moves(base, ours, theirs, *hunks)
    merged = _merged(base, ours, theirs, hunks, settle, theirs_first, moves)
    if moves.by_both <= frozenset(merged[0]):
        return merged
    # The place that our side gave one of them has gone in an overlap; better twice than not at all.
    return _merged(base, ours, theirs, hunks, settle, theirs_first, None)


def _merged(
    base: Sequence[str],
    ours: Sequence[str],
    theirs: Sequence[str],
    hunks: tuple[list[_Hunk], list[_Hunk]],
    settle: Settle,
    theirs_first: bool,
    moves: "_Moves | None",
) -> tuple[tuple[str, ...], tuple[Overlap, ...]]:
    result: list[str] = []
    overlaps: list[Overlap] = []
    at = 0
    for start, end, own, other in _groups(*hunks):
        result.extend(base[at:start])
        at = end
        mine = _side(base, ours, start, end, own)
        their = _side(base, theirs, start, end, other)
        if moves is not None and mine != their:
            mine, their = moves.ours(mine), moves.theirs(their)
        if not other or mine == their:
            result.extend(mine)
        elif not own:
            result.extend(their)
        elif start == end:
            rests = [any(hunk.follows for hunk in hunks) for hunks in (own, other)]
            swap = rests[1] if rests[0] != rests[1] else theirs_first
            first, second = (their, mine) if swap else (mine, their)
            result.extend(first)
            result.extend(second)
        else:
            overlap = Overlap(tuple(base[start:end]), mine, their)
            settled = settle(overlap)
            if settled is None:
                overlaps.append(overlap)
                settled = mine
            result.extend(settled)
    result.extend(base[at:])
    return tuple(result), tuple(overlaps)


class _Moves:
    """Elements that stand once in each version that has them, and that a side moved.

    What both sides moved stays where our side put it. What one side moved and the other changed
    is changed in its new place, and what the other took away is away.
    """

    def __init__(
        self,
        base: Sequence[str],
        ours: Sequence[str],
        theirs: Sequence[str],
        own: list[_Hunk],
        other: list[_Hunk],
    ) -> None:
        counts = [Counter(side) for side in (base, ours, theirs)]
        mine, their = (
            {each for each in _moved_by(base, side, hunks) if all(c[each] <= 1 for c in counts)}
            for side, hunks in ((ours, own), (theirs, other))
        )
        self.by_both = frozenset(mine & their)
        self._ours = _changes(base, theirs, other, [e for e in mine if not counts[2][e]], counts)
        self._theirs = _changes(base, ours, own, [e for e in their if not counts[1][e]], counts)
        self._theirs.update(dict.fromkeys(self.by_both))

    def ours(self, side: tuple[str, ...]) -> tuple[str, ...]:
        """Returns elements of our side with the moved ones as they shall be."""
        return _swapped(side, self._ours, self._theirs)

    def theirs(self, side: tuple[str, ...]) -> tuple[str, ...]:
        """Returns elements of their side with the moved ones as they shall be."""
        return _swapped(side, self._theirs, self._ours)


def _moved_by(base: Sequence[str], side: Sequence[str], hunks: list[_Hunk]) -> set[str]:
    gone = {base[at] for hunk in hunks for at in range(hunk.start, hunk.end)}
    come = {side[at] for hunk in hunks for at in range(hunk.new_start, hunk.new_end)}
    return gone & come


def _changes(
    base: Sequence[str],
    side: Sequence[str],
    hunks: list[_Hunk],
    moved: list[str],
    counts: list[Counter[str]],
) -> dict[str, str | None]:
    """Returns what a side made of elements that the other side moved: another, or nothing."""
    pairs = {
        base[h.start]: side[h.new_start]
        for h in hunks
        if h.start < h.end and h.new_start < h.new_end
    }
    made: dict[str, str | None] = {}
    for each in moved:
        new = pairs.get(each)
        made[each] = new if new and sum(count[new] for count in counts) == 1 else None
    return made


def _swapped(
    side: tuple[str, ...], made: dict[str, str | None], other: dict[str, str | None]
) -> tuple[str, ...]:
    taken = {new for new in other.values() if new is not None}
    swapped = (made.get(each, each) for each in side if each not in taken)
    return tuple(each for each in swapped if each is not None)


def _groups(
    own: list[_Hunk], other: list[_Hunk]
) -> list[tuple[int, int, list[_Hunk], list[_Hunk]]]:
    """Joins the hunks of both sides that take away a common element, or insert at one place."""
    marked = sorted(
        [(hunk.start, hunk.end, 0, hunk) for hunk in own]
        + [(hunk.start, hunk.end, 1, hunk) for hunk in other],
        key=lambda item: (item[0], item[1], item[2]),
    )
    groups: list[tuple[int, int, list[_Hunk], list[_Hunk]]] = []
    for start, end, side, hunk in marked:
        joins = False
        if groups:
            last_start, last_end, _, _ = groups[-1]
            both_insert = start == end == last_start == last_end
            joins = start < last_end or both_insert
        if joins:
            first, until, mine, theirs = groups.pop()
        else:
            first, until, mine, theirs = start, end, [], []
        (theirs if side else mine).append(hunk)
        groups.append((first, max(until, end), mine, theirs))
    return groups


def _side(
    base: Sequence[str], side: Sequence[str], start: int, end: int, hunks: list[_Hunk]
) -> tuple[str, ...]:
    """Returns what a side has in place of the base elements `start:end`."""
    result: list[str] = []
    at = start
    for hunk in hunks:
        result.extend(base[at : hunk.start])
        result.extend(side[hunk.new_start : hunk.new_end])
        at = hunk.end
    result.extend(base[at:end])
    return tuple(result)


def _hunks(base: Sequence[str], side: Sequence[str]) -> list[_Hunk]:
    """Returns where a side differs from the base, element by element.

    A block that gives way to another block is taken apart into pairs, and what is left over is
    a deletion or an insertion of its own: the smaller the hunks, the fewer false conflicts.
    """
    head = 0
    limit = min(len(base), len(side))
    while head < limit and base[head] == side[head]:
        head += 1
    tail = 0
    while tail < limit - head and base[-1 - tail] == side[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(
        None, base[head : len(base) - tail], side[head : len(side) - tail], autojunk=False
    )
    hunks: list[_Hunk] = []
    for tag, a, b, c, d in middle.get_opcodes():
        if tag == "equal":
            continue
        old, new, until, new_until = a + head, c + head, b + head, d + head
        while old < until:
            step = 1 if new < new_until else 0
            hunks.append(_Hunk(old, old + 1, new, new + step))
            old, new = old + 1, new + step
        if new < new_until:
            hunks.append(_Hunk(old, old, new, new_until, follows=tag == "replace"))
    return hunks
