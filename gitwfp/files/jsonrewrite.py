"""JSON text brought to another value by edits between and inside its items.

Every item but the first owns the separator before it, and a new item gets a copy of the
separator at its place. So whatever is put in can be taken out without a trace.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from gitwfp.classes import dataclass
from gitwfp.files.jsonalign import Sameness, paired
from gitwfp.files.jsonlayout import Spot, colon_of, compose, is_like, line_indent, scalar, survey
from gitwfp.files.jsonspans import Json, Node
from gitwfp.patterns import regex

_LAST_LINE_BREAK = regex(r"\r?\n[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class _Kept:
    """An item of the text that stays, perhaps with another value."""

    index: int
    value: Json


@dataclass(frozen=True, slots=True)
class _Fresh:
    """An item that the text does not have yet."""

    key: str | None
    value: Json


_Slot = _Kept | _Fresh


def rewritten(text: str, root: Node, value: Json) -> str:
    """Returns the text changed as little as possible so that it means a value.

    Args:
        text: The text as it is.
        root: Its tree of spans.
        value: What it shall mean, a value that text can carry.
    """
    return _Rewriting(text, root).result(value)


class _Rewriting:
    """One text on its way to another value."""

    def __init__(self, text: str, root: Node) -> None:
        self._text = text
        self._root = root
        self._style = survey(text, root)
        self._same = Sameness()
        self._edits: list[tuple[int, int, str]] = []
        self._filled: dict[int, tuple[list[int], list[int]]] = {}

    def result(self, value: Json) -> str:
        """Returns the new text."""
        number = self._same.number
        work: list[tuple[Node, Json]] = [(self._root, value)]
        while work:
            node, wanted = work.pop()
            if number(node.value) == number(wanted):
                continue
            if is_like(node, wanted):
                slots = tuple(self._slots(node, wanted))
                self._arrange(node, slots)
                work += [(node.children[s.index], s.value) for s in slots if isinstance(s, _Kept)]
            else:
                self._edit(node.start, node.end, self._replacement(node, wanted))
        pieces, at = [], 0
        for start, end, new in sorted(self._edits):
            pieces += [self._text[at:start], new]
            at = end
        return "".join([*pieces, self._text[at:]])

    def _edit(self, start: int, end: int, new: str) -> None:
        if self._text[start:end] != new:
            self._edits.append((start, end, new))

    def _slots(self, node: Node, wanted: Json) -> Iterator[_Slot]:
        """Yields the items that a container shall have, in the order of the new text."""
        if isinstance(wanted, dict):
            yield from _member_slots(node, wanted)
        elif isinstance(wanted, list):
            pairs = paired([child.value for child in node.children], wanted, self._same)
            old = {j: i for i, j in pairs}
            for j, value in enumerate(wanted):
                yield _Kept(old[j], value) if j in old else _Fresh(None, value)

    def _replacement(self, node: Node, wanted: Json) -> str:
        if not isinstance(wanted, list | dict):
            return scalar(wanted, self._style)
        indent = line_indent(self._text, node.start)
        spot = Spot(indent, self._style.newline, self._has_own_line(node))
        model = self._style.model(node.key, wanted)
        return compose(wanted, self._style, spot, self._text, model)

    def _has_own_line(self, node: Node) -> bool:
        """Tells whether an item begins its line, so that what is in it may take lines too."""
        line_start = self._text.rfind("\n", 0, node.begin) + 1
        begins_line = not self._text[line_start : node.begin].strip(" \t,")
        return begins_line and self._style.is_multiline

    def _arrange(self, node: Node, slots: Sequence[_Slot]) -> None:
        """Edits what lies between the items of a container."""
        items = node.children
        if not items:
            self._fill(node, slots)
            return
        head = self._text[node.start + 1 : items[0].begin]
        tail = self._text[items[-1].end : node.end - 1]
        if not slots:
            self._edit(node.start + 1, node.end - 1, _emptied(head, tail))
            return
        separators = self._separators(node, head)
        at, last = node.start + 1, -1
        fresh: list[_Fresh] = []
        for slot in slots:
            if isinstance(slot, _Fresh):
                fresh.append(slot)
                continue
            if last < 0:
                lead, separator = head, separators[max(slot.index - 1, 0)]
            else:
                lead = separator = _joint(separators[last : slot.index])
            new = self._run(node, fresh, lead, separator, last)
            self._edit(at, items[slot.index].begin, new + (separator if fresh else lead))
            at, last, fresh = items[slot.index].end, slot.index, []
        separator = separators[max(last - 1, 0)]
        new = self._run(node, fresh, head if last < 0 else separator, separator, last)
        self._edit(at, node.end - 1, new + tail)

    def _separators(self, node: Node, head: str) -> list[str]:
        """Returns what stands between the items; for a single one, what would stand there."""
        items = node.children
        if len(items) > 1:
            return [self._text[items[i].end : items[i + 1].begin] for i in range(len(items) - 1)]
        line_break = _LAST_LINE_BREAK.search(head)
        return ["," + (line_break[0] if line_break else self._style.gap)]

    def _run(
        self, node: Node, fresh: Sequence[_Fresh], lead: str, separator: str, last: int
    ) -> str:
        """Returns new items in a row, each with what stands before it.

        Args:
            node: Their container.
            fresh: The items.
            lead: What stands before the first of them.
            separator: What stands before each other one.
            last: The index of the item before them, or -1.
        """
        if not fresh:
            return ""
        indent = line_indent(self._text, node.children[last].end if last >= 0 else node.start)
        parts: list[str] = []
        for place, item in enumerate(fresh):
            before = separator if place else lead
            newline = self._style.newline
            if "\n" in before:
                indent = before.rpartition("\n")[2].replace(",", " ")
                newline = "\r\n" if "\r\n" in before else "\n"
            spot = Spot(indent, newline, "\n" in before)
            parts += [before, self._fresh_text(node, item, spot, last)]
        return "".join(parts)

    def _fill(self, node: Node, slots: Sequence[_Slot]) -> None:
        """Edits the inside of an empty container.

        White space that was between the brackets stays in front, where `_emptied` finds it.
        """
        space = self._text[node.start + 1 : node.end - 1]
        indent, newline = line_indent(self._text, node.start), self._style.newline
        is_multiline = self._has_own_line(node) or "\n" in space
        if is_multiline and not space.endswith("\r"):
            spot = Spot(indent + self._style.unit, newline, is_multiline=True)
            opening, closing = newline + spot.indent, newline + indent
            comma = "," + opening
        else:
            spot = Spot(indent, newline, is_multiline=False)
            opening, closing, comma = "", "", "," + self._style.gap
        new = [self._fresh_text(node, slot, spot, -1) for slot in slots if isinstance(slot, _Fresh)]
        self._edit(node.start + 1, node.end - 1, space + opening + comma.join(new) + closing)

    def _fresh_text(self, node: Node, item: _Fresh, spot: Spot, last: int) -> str:
        """Returns a new item; a container in it is laid out like its nearest of kin."""
        text, style = self._text, self._style
        if item.key is None:
            return compose(item.value, style, spot, text, self._sibling(node, item.value, last))
        model = style.model(item.key, item.value)
        member = scalar(item.key, style) + colon_of(text, node, style)
        return member + compose(item.value, style, spot, text, model)

    def _sibling(self, node: Node, value: Json, last: int) -> Node | None:
        """Returns the filled list or object, like a value, that is nearest to an index."""
        if not isinstance(value, list | dict):
            return None
        if node.start not in self._filled:
            filled = [i for i, child in enumerate(node.children) if child.children]
            self._filled[node.start] = (
                [i for i in filled if isinstance(node.children[i].value, list)],
                [i for i in filled if isinstance(node.children[i].value, dict)],
            )
        places = self._filled[node.start][isinstance(value, dict)]
        return node.children[places[max(bisect_right(places, last) - 1, 0)]] if places else None


def _member_slots(node: Node, wanted: dict[str, Json]) -> Iterator[_Slot]:
    """Yields the members of an object; a new one comes before the old one that it precedes."""
    index = {child.key: place for place, child in enumerate(node.children)}
    groups: dict[int, list[_Slot]] = {}
    waiting: list[_Slot] = []
    for key, value in wanted.items():
        if key in index:
            groups[index[key]] = [*waiting, _Kept(index[key], value)]
            waiting = []
        else:
            waiting.append(_Fresh(key, value))
    for place in sorted(groups):
        yield from groups[place]
    yield from waiting


def _joint(separators: Sequence[str]) -> str:
    """Returns what joins two items between which others went: rather a line break than none."""
    own = separators[-1]
    return own if "\n" in own else next((s for s in separators if "\n" in s), own)


def _emptied(head: str, tail: str) -> str:
    """Returns what is left between the brackets when the last item goes.

    That is nothing, or what `_fill` found there: padding and line break are of its making.
    """
    line_break = _LAST_LINE_BREAK.search(head)
    if line_break is not None:
        return head[: line_break.start()]
    return head[: len(head) - len(tail)] if head.endswith(tail) else ""
