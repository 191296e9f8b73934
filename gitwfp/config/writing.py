r"""One setting of a settings file set or taken out; every other byte of the file stays.

The file is cut into statements, and only the one concerned is changed, so that no line can end up
in another table. What was set anew and is taken out again leaves the bytes from before. The result
is read back with another parser and must differ in that setting and nothing else.

Example:
    >>> with_value(b"[replan] # ours\n", "replan.landing", "merge")
    b'[replan] # ours\nlanding = "merge"\n'
"""

from collections.abc import Iterator, Mapping
from typing import Final

from gitwfp.config.keys import Value
from gitwfp.config.layout import Header, Member, Pair, Path, members, statements
from gitwfp.config.reading import FILE_NAME
from gitwfp.config.sample import toml_value
from gitwfp.config.tomltext import BYTE_ORDER_MARK, parse_document
from gitwfp.errors import ExitCode, Location, Refusal, say

_ABSENT: Final = object()


def with_value(toml: bytes, name: str, value: Value, *, path: str = FILE_NAME) -> bytes:
    """Returns a settings file in which a setting has a value.

    Args:
        toml: The content of the file.
        name: The setting, `tools.codex.enabled`.
        value: A value that it can have.
        path: The name of the file in messages.

    Raises:
        Refusal: The file cannot be parsed, or the setting cannot be set without another one.
    """
    text = _Text(toml, tuple(name.split(".")), path)
    written = text.replaced(value) if text.is_set else text.added(value)
    return text.checked(written, value, name)


def without_value(toml: bytes, name: str, *, path: str = FILE_NAME) -> bytes:
    """Returns a settings file in which a setting is not set.

    A table that holds nothing else, not even a comment, goes with it.

    Args:
        toml: The content of the file.
        name: The setting.
        path: The name of the file in messages.

    Raises:
        Refusal: The file cannot be parsed, or the setting cannot be taken out without another one.
    """
    text = _Text(toml, tuple(name.split(".")), path)
    return text.checked(text.removed(), _ABSENT, name) if text.is_set else toml


class _Text:
    """The text of a settings file, and the setting in it that is meant."""

    def __init__(self, toml: bytes, wanted: Path, path: str) -> None:
        self._path = path
        self._values = parse_document(toml, path).values
        self._mark = BYTE_ORDER_MARK if toml.startswith(BYTE_ORDER_MARK) else b""
        self._text = toml.removeprefix(BYTE_ORDER_MARK).decode("utf-8")
        self._wanted = wanted
        self._statements = tuple(statements(self._text))
        first = self._text.partition("\n")
        self._newline = "\r\n" if first[1] and first[0].endswith("\r") else "\n"

    @property
    def is_set(self) -> bool:
        """Whether the file sets it."""
        found: object = self._values
        for part in self._wanted:
            if not isinstance(found, Mapping) or part not in found:
                return False
            found = found[part]
        return True

    def replaced(self, value: Value) -> str | None:
        """Returns the text with another value in its place, None where that cannot be done."""
        import tomlkit
        from tomlkit.exceptions import TOMLKitError

        for pair in self._pairs():
            if self._wanted[: len(pair.path)] == pair.path:
                above = 0 if pair.header is None else len(pair.header.path)
                *outer, last = self._wanted[above:]
                statement = self._text[pair.start : pair.end]
                try:
                    document = tomlkit.parse(statement)
                    holder: object = document
                    for part in outer:
                        holder = holder[part]  # type: ignore[index]
                    plain = list(value) if isinstance(value, tuple) else value
                    holder[last] = plain  # type: ignore[index]
                    return self._spliced(pair.start, pair.end, tomlkit.dumps(document))
                except (TOMLKitError, TypeError):
                    return None
        return None

    def added(self, value: Value) -> str:
        """Returns the text with the setting where one would look for it."""
        spelled = toml_value(value)
        inline = self._inline_table()
        if inline is not None:
            return self._added_inline(*inline, spelled)
        table = self._wanted[:-1]
        headers = [one for one in self._statements if isinstance(one, Header) and one.path == table]
        if headers and not headers[0].is_item:
            return self._added_below(headers[0], spelled)
        dotted = [
            pair
            for pair in self._pairs()
            if pair.path[:-1] == table and (pair.header is None or not pair.header.is_item)
        ]
        if dotted:
            return self._added_after(dotted[-1], spelled)
        line = f"[{'.'.join(table)}]{self._newline}{self._wanted[-1]} = {spelled}"
        if not self._text:
            return line + self._newline
        return self._inserted(len(self._text), self._newline + line)

    def removed(self) -> str | None:
        """Returns the text without the setting, None where that cannot be done."""
        for pair in self._pairs():
            if pair.path == self._wanted:
                return self._without_lines(pair)
            for inner, around in self._members(pair):
                if inner.path == self._wanted:
                    return self._without_member(inner, around)
        return None

    def checked(self, written: str | None, value: Value | object, name: str) -> bytes:
        """Returns the bytes of a new text if it differs in the one setting and nothing else."""
        after = None if written is None else self._mark + written.encode("utf-8")
        wanted = {path: told for path, told in _leaves(self._values) if path != self._wanted}
        if value is not _ABSENT:
            plain = list(value) if isinstance(value, tuple) else value
            wanted[self._wanted] = repr(plain)
        if after is None or self._read(after) != wanted:
            raise Refusal(
                "setting-entangled",
                say(
                    "{name} cannot be changed in {path} without touching other settings.",
                    name=name,
                    path=self._path,
                ),
                ExitCode.REFUSED,
                hint=say("Change it by hand: git wfp config edit."),
                location=Location(self._path),
            )
        return after

    def _read(self, toml: bytes) -> Mapping[Path, str] | None:
        try:
            return dict(_leaves(parse_document(toml, self._path).values))
        except Refusal:
            return None

    def _pairs(self) -> Iterator[Pair]:
        return (one for one in self._statements if isinstance(one, Pair))

    def _members(self, pair: Pair) -> Iterator[tuple[Member, tuple[Member, ...]]]:
        """Yields each member of the inline tables in a pair, with all of its table."""
        waiting: list[Pair | Member] = [pair]
        while waiting:
            holder = waiting.pop()
            if self._text.startswith("{", holder.value):
                around = tuple(members(self._text, holder.value, holder.path))
                waiting += around
                yield from ((member, around) for member in around)

    def _inline_table(self) -> tuple[Path, int] | None:
        """Returns the innermost inline table on the way to the setting, and its place."""
        found: list[Pair | Member] = []
        for pair in self._pairs():
            if self._wanted[: len(pair.path)] == pair.path:
                found += [pair, *(member for member, _ in self._members(pair))]
        for holder in sorted(found, key=lambda one: len(one.path), reverse=True):
            on_the_way = self._wanted[: len(holder.path)] == holder.path
            if on_the_way and self._text.startswith("{", holder.value):
                return holder.path, holder.value
        return None

    def _added_inline(self, path: Path, at: int, spelled: str) -> str:
        member = f"{'.'.join(self._wanted[len(path) :])} = {spelled}"
        around = tuple(members(self._text, at, path))
        if around:
            return self._spliced(around[-1].end, around[-1].end, f", {member}")
        return self._spliced(at + 1, at + 1, member)

    def _added_below(self, header: Header, spelled: str) -> str:
        pairs = [pair for pair in self._pairs() if pair.header is header]
        if pairs:
            return self._added_after(pairs[-1], spelled)
        line = f"{self._wanted[-1]} = {spelled}"
        # A blank line tells later that the empty header was there before.
        is_empty = header.is_bare and not self._body(header).strip()
        return self._inserted(header.end, self._newline + line if is_empty else line)

    def _added_after(self, pair: Pair, spelled: str) -> str:
        above = 0 if pair.header is None else len(pair.header.path)
        indent = self._text[pair.start : pair.key]
        line = f"{indent}{'.'.join(self._wanted[above:])} = {spelled}"
        return self._inserted(pair.end, line)

    def _inserted(self, at: int, line: str) -> str:
        """Returns the text with a line more; a missing end of line at the very end stays so."""
        if self._text[:at].endswith("\n"):
            return self._spliced(at, at, line + self._newline)
        return self._spliced(at, at, self._newline + line)

    def _without_lines(self, pair: Pair) -> str:
        start = pair.start
        header = pair.header
        if header is not None and header.is_bare:
            gap, rest = self._text[header.end : start], self._text[pair.end : self._end(header)]
            if not gap and not rest.strip() and not header.is_item:
                start = self._without_blank(header.start)
            elif not (gap + rest).strip():
                start = self._without_blank(start)
        left = self._spliced(start, pair.end, "")
        if pair.end == len(self._text) and not self._text.endswith("\n"):
            left = left.removesuffix("\n").removesuffix("\r")
        return left

    def _without_member(self, member: Member, around: tuple[Member, ...]) -> str:
        place = around.index(member)
        if place > 0:
            return self._spliced(around[place - 1].end, member.end, "")
        after = around[1].start if len(around) > 1 else member.end
        return self._spliced(member.start, after, "")

    def _without_blank(self, at: int) -> int:
        """Returns where the empty line before a line begins, if there is one."""
        before = self._text[:at]
        for blank in ("\r\n", "\n"):
            line = before.removesuffix(blank)
            if line != before and (not line or line.endswith("\n")):
                return len(line)
        return at

    def _body(self, header: Header) -> str:
        return self._text[header.end : self._end(header)]

    def _end(self, header: Header) -> int:
        headers = (one.start for one in self._statements if isinstance(one, Header))
        return next((start for start in headers if start > header.start), len(self._text))

    def _spliced(self, start: int, end: int, instead: str) -> str:
        return self._text[:start] + instead + self._text[end:]


def _leaves(values: Mapping[str, object], above: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yields every setting with its value, so spelled that NaN is itself and 1 is not true."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), repr(value)
