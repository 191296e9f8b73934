"""Phrases: what a statement says about one task, in English and Chinese.

A statement is read as a whole: as a title, a way of execution, dependencies, a criterion, a
removal, a replacement or paths, and as a requirement in its own words when it is none of these.
What only resembles one of them is `Unclear` and changes nothing.
"""

import re
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Text, say
from gitwfp.model import fields as f
from gitwfp.model.words import weight_of
from gitwfp.policy.request.addressing import without_echo
from gitwfp.policy.request.chatter import is_placeholder, one_of_it, why_idle
from gitwfp.policy.request.criteria import criterion_of, is_criterion, read_both
from gitwfp.policy.request.execution import Intent, read_intent
from gitwfp.policy.request.forms import TANGLED, is_tangled, without_wish
from gitwfp.policy.request.grammar import Lazy, Unclear, match_whole, patterns
from gitwfp.policy.request.labels import Label, label_before_colon, labelled
from gitwfp.policy.request.mentions import QUOTE, QUOTES, TASK, TASKS, Masked
from gitwfp.policy.request.needs import Needs, read_needs, speaks_of_needs
from gitwfp.policy.request.newtask import TASK_SIGN
from gitwfp.policy.request.pathwords import KnownPaths, Trust, is_outside, only_paths, paths_in
from gitwfp.policy.request.plantalk import why_no_requirement
from gitwfp.policy.request.replacing import (
    LISTS,
    Ended,
    Kept,
    Relisted,
    Removed,
    Replaced,
    is_negated,
    read_end,
    read_keeping,
    read_relisting,
    read_removal,
    read_removals,
    read_replacement,
)
from gitwfp.policy.request.values import Revalued
from gitwfp.policy.request.words import as_title, says_something, tidy


@dataclass(frozen=True, slots=True)
class Titled:
    """The task gets a title."""

    title: str


@dataclass(frozen=True, slots=True)
class Added:
    """Entries of one list; a sure one was said to belong there and not only taken for it."""

    field: str
    texts: tuple[str, ...]
    sure: bool = False


EntryEdit = Added | Removed | Kept | Ended | Replaced | Revalued | Relisted
"""What a statement may say of the entries of lists."""

Phrase = EntryEdit | Titled | Needs | Intent | Unclear
"""What a statement may say of a task."""


_BESIDE: Final = (Label.ACCEPTANCE, Label.REQUIREMENTS, Label.FOCUS_PATHS, Label.DEPENDS_ON)

_TITLE: Final = patterns(
    rf"(?:rename|retitle)(?: (?:it|this|this task|the task|{TASK}))? (?:to|as) (?P<title>.+)",
    r"(?:change|update) (?:the |its )?(?:task )?title (?:to|into) (?P<title>.+)",
    r"set (?:its|the task(?:'s)?) title to (?P<title>.+)",
    rf"set the title to (?P<title>{QUOTE}|(?-i:[A-Z]).+)",
    rf"(?:the |its )?title (?:should|must|shall) (?:be|read|become) (?P<title>{QUOTE}|[A-Z].+)",
    rf"(?:(?:it|this|this task|the task|{TASK}) )?(?:should be|is(?: now)?|must be|be|gets?) "
    rf"(?:called|named|titled|renamed to) (?P<title>{QUOTE}|[A-Z].+)",
    rf"call (?:it|this|this task|the task|{TASK}) (?P<title>{QUOTE}|[A-Z].+)",
    r"(?:the |its )?new title (?:is|should be|becomes) (?P<title>.+)",
    rf"(?:把|将)?(?:{TASK} ?|该|此|本)?(?:任务)?的?(?:标题|任务名称?) ?"
    r"(?:改为|改成|更改为|修改为|更新为|设为|变更为|应为|是) ?(?P<title>.+)",
    r"(?:把|将)?(?:该|此|本)?(?:任务)?(?:(?:重命名|改名|更名)(?:为|成|叫做?)|改叫) ?(?P<title>.+)",
)
_FOCUS: Final = patterns(
    r"(?:focus|concentrate|work)(?: also| only)? (?:on|in) (?P<paths>.+)",
    r"(?:focus(?:[ _]paths?)?|paths?|files?) (?P<paths>.+)",
    r"(?:in|(?:take a )?look at|look in(?:to)?|see|check|touch|cover|include) (?P<paths>.+)",
    r"(?:add|include) (?P<paths>.+) (?:to|in) (?:the |its )?focus(?: paths?)?",
    r"(?:affects?|concerns?|touches) (?P<paths>.+)",
    r"(?:重点)?(?:聚焦|关注|(?:还|也)?涉及|(?:修改)?范围(?:是|为)?|(?:也|同时)在)"
    r"(?:于|到|文件|路径|目录)? ?(?P<paths>.+?)(?:中|里|下|目录|文件)?",
    r"(?:增加|添加|新增)(?:关注|聚焦)?(?:路径|文件|目录) ?[:：]? ?(?P<paths>.+)",
    r"(?:同时|也|还要?|另外|顺便|再|请)*(?:查看|看看?|参考|检查|留意)(?:一下)? ?(?P<paths>.+)",
    r"(?:关注|聚焦|文件|相关|涉及)?(?:路径|范围|文件) ?(?P<paths>.+)",
    r"(?:把|将)? ?(?P<paths>.+?) ?(?:也)?(?:加入|加到|添加到|增加到|纳入|放入|放到|列入)(?:到)?"
    r"(?:任务的?)?(?:关注|聚焦|文件|相关)?(?:路径|范围|文件列表)(?:中|里)?",
)
_NOT_IN: Final = Lazy(
    r"(?:(?:focus|work)(?: only)? (?:on|in)|look (?:only )?at|in) (?P<paths>[^,]+?),? "
    r"(?:and |but )?not (?:in |on |at )?(?P<gone>\S+)",
    re.IGNORECASE,
)

_PUT: Final = Lazy(
    r"(?:append|add|include|insert|push|追加|新增|增加|添加|加入|加上)(?:一[条项个])? ?[:：]? ?"
    rf"(?P<what>{QUOTES})",
    re.IGNORECASE,
)
_TAKE: Final = Lazy(
    rf"(?:remove|delete|drop|移除|删除|去掉|删掉) ?[:：]? ?(?P<what>{QUOTE})", re.IGNORECASE
)
_ARROW: Final = Lazy(r"(?P<old>\S(?:.*\S)?) ?(?:->|=>|→|⇒) ?(?P<new>\S.*)")


def read_phrase(
    masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...]
) -> tuple[Phrase, ...]:
    """Reads what a statement says about a task.

    Args:
        masked: The request.
        words: The statement, masked, without courtesy and addressee.
        known: Which paths the tree has.
        tools: The tools that may execute tasks.

    Returns:
        One or more phrases: a statement may ask for a requirement and name paths.

    Raises:
        Refusal: It asks for execution by a tool that is not enabled (usage).
    """
    labelled = _read_label(masked, words, known)
    if labelled:
        return labelled
    bare = without_echo(without_wish(words))
    special = (
        read_relisting(masked, bare, ())
        or read_needs(masked, bare)
        or _read_title(masked, bare)
        or read_intent(masked, bare, tools)
    )
    if special:
        return (special,)
    both = read_both(masked, bare)
    if both:
        return tuple(
            Added(name, (text,), sure=True)
            for name, text in zip((f.REQUIREMENTS, f.ACCEPTANCE), both, strict=True)
        )
    if is_criterion(words):
        return (Added(f.ACCEPTANCE, (criterion_of(masked, words),)),)
    vague = _why_vague(words)
    if vague is not None:
        return (Unclear(vague),)
    edit = _read_put(masked, bare, known) or _read_edit(masked, words, bare)
    several: tuple[Phrase, ...] = read_removals(masked, bare)
    said = several or ((edit,) if edit is not None else ())
    said = said or _read_paths(masked, words, known)
    idle = None if said else why_idle(words) or why_no_requirement(words)
    if idle is not None:
        return (Unclear(idle),)
    return said or plain_requirement(masked, words, known)


def _why_vague(words: str) -> Text | None:
    """Returns why a statement about tasks and what they depend on is left out, if it is one."""
    if is_tangled(words):
        return TANGLED
    if speaks_of_needs(words):
        return say("It speaks of a dependency, but not in a form that is known.")
    return None


def _read_put(masked: Masked, words: str, known: KnownPaths) -> Added | None:
    """Reads "add '...'" where no list is named: a path is a focus path, else a requirement."""
    one = one_of_it(words)
    if one is not None and says_something(one):
        return Added(f.REQUIREMENTS, (tidy(masked.literal(one)),))
    put = _PUT.fullmatch(words)
    if put is None:
        return None
    paths = only_paths(masked.plain(put["what"]), known)
    return Added(f.FOCUS_PATHS, paths) if paths else Added(f.REQUIREMENTS, _entries(masked, put[1]))


def _read_edit(masked: Masked, words: str, bare: str) -> Phrase | None:
    """Reads a removal, a replacement, or the demand that something stay."""
    if is_negated(words) or is_negated(bare):
        return read_end(masked, bare) or read_keeping(masked, bare)
    return (
        read_removal(masked, bare)
        or (read_removal(masked, words) if words != bare else None)
        or read_keeping(masked, bare)
        or read_end(masked, bare)
        or read_replacement(masked, bare)
    )


def is_plain(masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...]) -> bool:
    """Tells whether a statement is a requirement in its own words and nothing else."""
    return read_phrase(masked, words, known, tools) == plain_requirement(masked, words, known)


def is_order(masked: Masked, words: str, tools: tuple[str, ...]) -> bool:
    """Tells whether words are a dependency or an execution intent, which take no object more."""
    return read_needs(masked, words) is not None or isinstance(
        read_intent(masked, words, tools), Intent
    )


def is_special(masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...]) -> bool:
    """Tells whether a part of a sentence is a statement of its own whatever stands beside it."""
    if label_before_colon(words) in _BESIDE:
        said = _read_label(masked, words, known)
        return bool(said) and not isinstance(said[0], Unclear)
    return is_order(masked, words, tools)


def read_under(masked: Masked, label: Label, words: str, known: KnownPaths) -> tuple[Phrase, ...]:
    """Reads a statement that a label says the meaning of."""
    added = _PUT.fullmatch(words)
    words = added["what"] if added else words
    text = tidy(masked.literal(words))
    if is_placeholder(text):
        return (Unclear(say("It is a placeholder.")),)
    match label:
        case Label.TITLE:
            return (Titled(text),)
        case Label.REMOVE:
            several = re.fullmatch(QUOTES, words) is not None
            texts = _entries(masked, words) if several else (text,)
            return tuple(Removed(LISTS, each) for each in texts)
        case Label.DEPENDS_ON:
            is_list = re.fullmatch(TASKS, words, re.IGNORECASE)
            unclear = Unclear(say("It should name tasks, but not all of it is a task id."))
            return (Needs(add=masked.tasks_in(words)) if is_list else unclear,)
        case _:
            edit = _edit_under(masked, label, words)
            return (edit or _added_under(masked, label, words, text, known),)


def _added_under(
    masked: Masked, label: Label, words: str, text: str, known: KnownPaths
) -> Added | Unclear:
    """Reads what the name of a list says is to be added to it."""
    if label is not Label.FOCUS_PATHS:
        several = re.fullmatch(QUOTES, words) is not None
        return Added(label.value, _entries(masked, words) if several else (text,), sure=True)
    paths = only_paths(masked.plain(words), known, Trust.EXPECTED)
    unclear = Unclear(say("It should name paths, but not all of it looks like one."))
    return Added(f.FOCUS_PATHS, paths, sure=True) if paths else unclear


def _edit_under(masked: Masked, label: Label, words: str) -> Removed | Replaced | None:
    """Reads "remove '...'" and "old -> new" under the name of a list."""
    removed = _TAKE.fullmatch(words)
    if removed:
        return Removed((label.value,), masked.literal(removed["what"]))
    arrow = _ARROW.fullmatch(words)
    if arrow:
        old, new = masked.literal(arrow["old"]), masked.literal(arrow["new"])
        return Replaced((label.value,), ((old, new),), new)
    return None


def _entries(masked: Masked, quoted: str) -> tuple[str, ...]:
    """Returns the entries that some quotations are, each without its quotes."""
    return tuple(tidy(masked.literal(sign)) for sign in re.findall(QUOTE, quoted))


def plain_requirement(masked: Masked, words: str, known: KnownPaths) -> tuple[Phrase, ...]:
    """Reads a statement as a requirement in its own words, with the paths that it names."""
    text = tidy(masked.plain(words))
    if not says_something(text):
        return (Unclear(say("It holds no word.")),)
    if TASK_SIGN.search(words) and weight_of(TASK_SIGN.sub(" ", words)) <= 1:
        return (Unclear(say("It does not say what is to change.")),)
    paths = () if is_negated(text, anywhere=True) else paths_in(text, known)
    requirement = Added(f.REQUIREMENTS, (text,))
    return (requirement, Added(f.FOCUS_PATHS, paths)) if paths else (requirement,)


def _read_label(masked: Masked, words: str, known: KnownPaths) -> tuple[Phrase, ...]:
    for label, rest in labelled(words):
        said = read_under(masked, label, rest, known)
        # "Scope: the whole login" and "files: at most 10 MB" are requirements.
        if label is Label.FOCUS_PATHS and isinstance(said[0], Unclear):
            return ()
        return said
    return ()


def _read_title(masked: Masked, words: str) -> Titled | Unclear | None:
    found = match_whole(_TITLE, words)
    if found is None:
        return None
    text = _without_aside(tidy(found["title"]))
    if re.match(QUOTE, text) and len(text) > 1:
        return Unclear(say("It is not clear where the title ends; put all of it in quotes."))
    if TASK_SIGN.search(text):
        return Unclear(
            say("The title would name a task; put the title in quotes if that is meant.")
        )
    literal = masked.literal(text)
    return Titled(literal if re.fullmatch(QUOTE, text) else as_title(literal))


def _without_aside(title: str) -> str:
    """Takes off what stands in brackets behind a title in quotes."""
    found = re.fullmatch(rf"(?P<title>{QUOTE}) ?(?:[(（].*[)）]|{QUOTE})", title)
    return found["title"] if found else title


def _read_paths(masked: Masked, words: str, known: KnownPaths) -> tuple[Phrase, ...]:
    text = masked.plain(words)
    alone = only_paths(text, known)
    if alone:
        return (Added(f.FOCUS_PATHS, alone),)
    apart = _NOT_IN.fullmatch(words)
    if apart is not None:
        paths = only_paths(masked.plain(apart["paths"]), known, Trust.EXPECTED)
        gone = only_paths(masked.plain(apart["gone"]), known, Trust.EXPECTED)
        removed = tuple(Removed((f.FOCUS_PATHS,), path) for path in gone)
        return (Added(f.FOCUS_PATHS, paths), *removed) if paths and gone else ()
    found = match_whole(_FOCUS, words)
    if is_outside(text) or (found is not None and is_outside(masked.plain(found["paths"]))):
        return (Unclear(say("It names a path outside of the repository.")),)
    if found is not None:
        trust = Trust.ALONE if words.lower().startswith(("include", "cover")) else Trust.EXPECTED
        paths = only_paths(masked.plain(found["paths"]), known, trust)
        if paths:
            return (Added(f.FOCUS_PATHS, paths),)
    return ()
