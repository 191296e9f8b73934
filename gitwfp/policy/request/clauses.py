"""Clauses: statements that stand in one sentence with others, joined by a comma or "and".

"Add rate limiting and use codex for execution" says two things. A sentence is divided only where
one side is beyond doubt a statement of its own (dependencies, execution, a labelled criterion, a
structural form that names its tasks), and never behind "if", "unless" or "do not".
"""

import re
from itertools import islice
from typing import Final

from gitwfp.model import fields as f
from gitwfp.policy.request.addressing import addressed
from gitwfp.policy.request.criteria import is_criterion
from gitwfp.policy.request.forms import (
    is_tangled,
    opens_task,
    read_form,
    takes_list,
    without_wish,
)
from gitwfp.policy.request.goal import goal_edit
from gitwfp.policy.request.grammar import Lazy, Unclear, match_whole, patterns
from gitwfp.policy.request.leads import is_lead
from gitwfp.policy.request.mentions import QUOTE, QUOTES, TASK, TASKS, Masked
from gitwfp.policy.request.needs import read_needs
from gitwfp.policy.request.newtask import names_new_task
from gitwfp.policy.request.pathwords import KnownPaths
from gitwfp.policy.request.phrases import Added, is_order, is_special, read_phrase
from gitwfp.policy.request.replacing import is_negated
from gitwfp.policy.request.statements import without_courtesy

_JOINT: Final = Lazy(
    r" ?[,，、;；] ?(?:and |then |but |并且|并|同时|然后|且|而且|再)?"
    r"| (?:and|then|but|plus) (?:also |then )?| [&+|] "
    r"| ?(?:并且|同时|然后|接着|随后|以及|还有|并"
    r"|(?<!不)(?:再|和)(?=新增|增加|添加|创建|新建|删|移|拆|合并|把|将))",
    re.IGNORECASE,
)
_LIST: Final = Lazy(TASKS, re.IGNORECASE)
_LEADS: Final = Lazy(
    r"after\b|use\b|using\b|execute\b|switch\b|在|使用|改为|改用|用", re.IGNORECASE
)
_COMPLETE: Final = Lazy(
    rf"(?:remove\b|delete\b|drop\b|take\b|replace\b|删除|删掉|去掉|移除|替换).*"
    rf"(?:requirement|criterion|criteria|focus(?: paths?)?|{QUOTE}|需求|标准|路径)"
    r"|(?:add|append|新增|增加|添加|补充)(?:一[条项个])?(?: ?(?:an? |the |new )*"
    r"(?:acceptance|criteri|requirement|focus|验收|需求|要求)[^,，;；]{0,20}?)? ?[:：]? ?"
    rf"{QUOTE}|(?:remove|delete|drop) {QUOTES} from {TASK}"
    rf"|从 ?{TASK} ?(?:中|里)?(?:删除|去掉|移除) ?{QUOTES}",
    re.IGNORECASE,
)
# "... and add it to IMPL-2" goes on with what was removed.
_SAME: Final = Lazy(
    r"(?:add|move|put|give|copy|include) (?:it|them|that|this|these|those)\b"
    r"|(?:并|再)?(?:加|移|放)到",
    re.IGNORECASE,
)
_SWAP_ZH: Final = r"(?:改为|改成|替换为|替换成|换成|换为|更改为|修改为|设为|是)"
_IT: Final = rf"(?: (?:it|this|(?:this|the) task|{TASK}))?"
# What ends with a quotation that is its last word: nothing more can belong to it.
_QUOTED: Final = patterns(
    rf"(?:rename|retitle){_IT} (?:to|as) {QUOTE}",
    rf"(?:change |set |update )?(?:the |its )?(?:new )?(?:task )?title(?: of {TASK})? "
    rf"(?:to |is |should be |becomes )?{QUOTE}",
    rf"(?:replace|change|swap|exchange) {QUOTE} (?:with|by|to|for|into) {QUOTE}",
    rf"(?:keep|leave) {QUOTES}",
    rf"(?:把|将)?(?:{TASK} ?|该|此|本)?(?:任务)?的?(?:标题|任务名称?) ?{_SWAP_ZH} ?{QUOTE}",
    rf"(?:把|将)?(?:{TASK} ?|该|此|本)?(?:任务)?(?:重命名|改名|更名)(?:为|成) ?{QUOTE}",
    rf"(?:把|将)? ?{QUOTE} ?{_SWAP_ZH} ?{QUOTE}|保留 ?{QUOTES}",
    r"(?:把|将) ?[^，,]+ ?(?:也)?(?:加入|加到|添加到|纳入|放入)(?:到)?(?:任务的?)?(?:关注|聚焦)"
    r"(?:路径|范围)(?:中|里)?",
)
_PATH_ONLY: Final = Lazy(
    r"(?:focus|concentrate|work)(?: only)? (?:on|in) [^\s,]*/[^\s,]*"
    r"|(?:重点)?(?:聚焦|关注)(?:于|到|路径)? ?[^\s，,]*/[^\s，,]*",
    re.IGNORECASE,
)
_BESIDES: Final = Lazy(r"(?:not|rather|instead|no longer)\b|而不是|而非", re.IGNORECASE)
_ONLY_QUOTES: Final = Lazy(QUOTES)
_SAME_AGAIN: Final = Lazy(rf"{QUOTE} (?:with|by|to|for|into) {QUOTE}(?P<more>.*)", re.IGNORECASE)
_NAMED_AGAIN: Final = Lazy(rf"{TASK} (?:to|as) {QUOTE}(?P<more>.*)", re.IGNORECASE)
_AGAIN: Final = Lazy(r"(?P<verb>replace|change|swap|exchange) ", re.IGNORECASE)
_DROPS: Final = Lazy(
    rf"(?:remove|delete|drop|删除|删掉|去掉|移除) ?{QUOTES}(?: ?[,，;；]| and |并|\Z)",
    re.IGNORECASE,
)
_FROM_ZH: Final = r"从 ?(?:关注|聚焦)?(?:路径|需求|验收标准)(?:中|里)? ?(?:移除|删除|去掉|删掉)"
# "... and drop src/a.ts from the focus paths" names the list of the plan that it is about.
_OF_LIST: Final = Lazy(
    r"(?:remove|drop|delete|take|strike|add|include|put) (?!(?:it|them|that|this|those) )"
    r"(?:(?! and ).)+ (?:from|out of|off|to|in|into) (?:the |its )?(?:list of )?"
    r"(?:focus paths?|requirements|acceptance criteria|criteria)"
    r"|(?:remove|drop|delete) (?:the )?(?:requirement|acceptance criterion|criterion|focus path) "
    r"(?:about|for|on|that|saying) .+"
    rf"|(?:把|将) ?(?!它)[^，,]+ ?{_FROM_ZH}"
    rf"|{_FROM_ZH} ?[^，,]+",
    re.IGNORECASE,
)
_ORDER: Final = Lazy(
    r"(?:add|remove|delete|drop|rename|replace|use|support|implement|make|introduce|keep|depends?)\b"
    r"|增加|新增|添加|删除|去掉|移除|支持|改|加上|加一|补一|把|将|保留|依赖|不再",
    re.IGNORECASE,
)
_EDITS: Final = Lazy(
    r"(?:rename|retitle|remove|delete|drop|replace)\b|删|去掉|移除|把|将", re.IGNORECASE
)
# "Don't delete IMPL-3, just rename it": the second half is said of the same task.
_NOT_BUT: Final = Lazy(
    r"(?P<no>(?:do not|don't|please don't|不要|别) ?"
    r"(?:delete|remove|drop|split|merge|删除?掉?|拆分?|合并)"
    rf" ?(?:the )?(?:task |任务 ?)?(?P<task>{TASK}))[,，;；] ?"
    r"(?:(?:but|just|only|instead|rather)\b ?|只是|而是|只要|只|仅)*(?P<rest>.+)",
    re.IGNORECASE,
)
_MOST: Final = 24
_HEDGED: Final = Lazy(
    r"(?:if|when|whenever|unless|once|until|while|because|maybe|perhaps|consider|should|whether|"
    r"either|instead|do not|don't|never|must not|should not|avoid)\b"
    r"|如果|若|当|除非|一旦|假如|要是|也许|或许|考虑|因为|由于|不要|不得|禁止|切勿|勿|别|避免|是否",
    re.IGNORECASE,
)


def clauses_of(
    masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...]
) -> tuple[str, ...]:
    """Divides a sentence into the statements that it holds.

    Args:
        masked: The request.
        words: The sentence, masked and without courtesy.
        known: Which paths the tree has.
        tools: The tools that may execute tasks.

    Returns:
        The statements in order; one for a sentence that says one thing, or may.
    """
    clauses: list[str] = []
    rest = words
    while True:
        divided = _first(masked, rest, known, tools)
        if divided is None:
            return (*clauses, rest)
        # Only the last of several is a form to its end, so what is before it may be several.
        clauses.extend(clauses_of(masked, divided[0], known, tools))
        rest = divided[1]


def stands_alone(masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...]) -> bool:
    """Tells whether words are beyond doubt a statement of their own."""
    return is_form(masked, words) or is_special(masked, addressed(masked, words).rest, known, tools)


def _first(
    masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...]
) -> tuple[str, str] | None:
    """Takes the first clause off, if there is more than one."""
    apart = _NOT_BUT.fullmatch(words)
    if apart is not None:
        return apart["no"], f"{apart['task']} {apart['rest']}"
    if _HEDGED.match(words) or is_order(masked, addressed(masked, words).rest, tools):
        return None
    lists = [found.span() for found in _LIST.finditer(words)]
    for joint in islice(_JOINT.finditer(words), _MOST):
        left = words[: joint.start()].strip()
        right = without_courtesy(words[joint.end() :])[0]
        if not left or not right:
            continue
        inside = next((s for s in lists if s[0] < joint.start() and joint.end() < s[1]), None)
        if inside is not None:
            # "Delete IMPL-3, IMPL-5 depends on IMPL-2" is no list; of three it may be one.
            is_pair = len(re.findall(TASK, words[slice(*inside)])) == 2 and is_form(masked, left)
            if is_pair and is_order(masked, addressed(masked, right).rest, tools):
                return left, right
            continue
        if is_lead(left) and opens_task(right):
            return None
        divided = _divided(masked, left, right, known, tools)
        if divided is not None:
            return divided
    return None


def _divided(
    masked: Masked, left: str, right: str, known: KnownPaths, tools: tuple[str, ...]
) -> tuple[str, str] | None:
    """Returns the two sides of a joint as statements of their own, None if they may be one."""
    after = _behind_quoted(left, right)
    if after is not None:
        return left, after
    is_left_order = is_order(masked, addressed(masked, left).rest, tools)
    # "Depends on IMPL-2, the schema and Redis" goes on, "after IMPL-2, ..." does not.
    leads = _LEADS.match(left) or is_criterion(right) or _EDITS.match(right)
    # "Delete the cart requirement and add a wishlist" are two: the first one is complete.
    is_complete = _COMPLETE.fullmatch(left) and _ORDER.match(right) and not _SAME.match(right)
    says_list = _DROPS.match(right) or _OF_LIST.fullmatch(addressed(masked, right).rest)
    # What follows the parts of a split may be one more.
    splits = takes_list(left, is_heading=True) and not opens_task(left)
    if (
        (leads and is_left_order)
        or ((opens_task(left) or is_left_order) and is_beside_new(masked, right, known, tools))
        or is_complete
        or (says_list and not opens_task(left))
        or is_form(masked, right)
        or (not splits and stands_alone(masked, right, known, tools))
    ):
        return left, right
    return None


def _behind_quoted(left: str, right: str) -> str | None:
    """Returns what stands behind a clause that ends with its quotation, None if it is no such.

    "Replace 'a' with 'b' and 'c' with 'd'" says its verb once for both.
    """
    if _PATH_ONLY.fullmatch(left) and is_negated(right) and not _BESIDES.match(right):
        return right
    is_more = _ONLY_QUOTES.fullmatch(right) or _BESIDES.match(right)
    if match_whole(_QUOTED, left) is None or is_more:
        return None
    verb = _AGAIN.match(left)
    if verb and _SAME_AGAIN.fullmatch(right):
        return f"{verb['verb']} {right}"
    return f"rename {right}" if _NAMED_AGAIN.fullmatch(right) else right


def is_beside_new(masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...]) -> bool:
    """Tells whether words say of something new what it depends on or which files it touches."""
    if is_order(masked, words, tools):
        return read_needs(masked, words) is not None
    said = read_phrase(masked, words, known, tools)
    return all(isinstance(each, Added) and each.field == f.FOCUS_PATHS for each in said)


def begins_anew(masked: Masked, words: str) -> bool:
    """Tells whether words begin another structural statement, so that they belong to no list."""
    bare = without_courtesy(words)[0]
    return (
        is_form(masked, bare)
        or opens_task(bare)
        or is_tangled(bare)
        or goal_edit(masked, bare, None, about_task=False) is not None
    )


def surely_begins_anew(masked: Masked, words: str) -> bool:
    """Tells the same, beyond doubt: the statement names its tasks, or the one that it adds."""
    bare = without_wish(without_courtesy(words)[0])
    return names_new_task(bare) or (not opens_task(bare) and is_form(masked, bare))


def is_form(masked: Masked, words: str) -> bool:
    """Tells whether words are a structural form that names its tasks."""
    form = read_form(masked, words, about_task=False)
    return form is not None and not isinstance(form, Unclear)
