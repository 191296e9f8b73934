"""Acceptance criteria in what people write, where no label announces them.

"Update acceptance criteria to include rate limiting" asks for two things: that rate limiting be
done, and that it be looked at. The words of both are the request's own.
"""

import re
from typing import Final

from gitwfp.policy.request.grammar import Lazy, match_whole, patterns
from gitwfp.policy.request.mentions import QUOTE, TASK, Masked
from gitwfp.policy.request.words import tidy

_LIST: Final = r"(?:the |its )?(?:acceptance(?: criteri(?:on|a))?|criteria)"
_LIST_ZH: Final = r"验收(?:标准|条件|准则)?"
_VERB: Final = r"(?P<verb>include|cover|contain|mention|require|check)"
_BOTH: Final = patterns(
    rf"(?:update|change|extend|adjust|modify|expand|amend) {_LIST}(?: so that they| so they)? "
    rf"(?:to )?{_VERB} (?P<what>.+)",
    rf"(?:extend|expand|amend|update) {_LIST} (?:with|by) (?P<what>.+)",
    rf"{_LIST} (?:should|must|needs? to|has to|have to|shall)(?: also| now)? "
    rf"{_VERB} (?P<what>.+)",
    rf"(?P<verb>include|cover|add|mention) (?P<what>.+?) (?:in|to|into|under) {_LIST}",
    rf"(?:更新|修改|调整|扩展|完善|补充)(?:任务)?(?:的)?{_LIST_ZH}[，,]? ?(?:以|使其|使之)?"
    r"(?P<zh>包含|包括|覆盖|涵盖|加入|增加|纳入)(?:对)? ?(?P<what>.+)",
    rf"(?:在)?{_LIST_ZH}(?:中|里)?(?:还|也)?(?:应该?|要|需要?|必须)?(?:再)?"
    r"(?P<zh>包含|包括|覆盖|涵盖|加入|加上|增加|新增|添加|补充|纳入) ?(?P<what>.+)",
    rf"(?:把|将)(?P<what>.+?)(?P<zh>加入|纳入|写入|加到|添加到)(?:到)?{_LIST_ZH}(?:中|里)?",
)
_MUST_PASS: Final = patterns(
    r"(?!.*\bnot\b)(?:.+ )?must (?:all |still |also )*pass",
    r"(?!.*\bnot\b)(?:.+ )?must (?:all |still |also )*pass (?:\S+ ){0,5}?\S*"
    r"(?:tests?|checks?|lint\w*|suites?|ci|builds?|audits?|reviews?|validations?|typecheck\w*|"
    r"mypy|ruff|eslint|tsc|coverage|scans?|benchmarks?)\b.*",
    r"(?!.*[不没])(?:.*)(?:必须|需要?|应当?|要)(?:全部|都|能够?)?通过"
    r"(?:.*(?:测试|检查|检验|校验|审查|评审|构建|验证|扫描|覆盖率|lint|ci|单测).*)?",
)
_DONE_WHEN: Final = patterns(
    rf"(?:(?:{TASK}|it|this|the task|this task) (?:is|counts as|will be|is considered) )?(?:only )?"
    r"(?:done|completed?|accepted|finished) (?:only )?(?:when|once|if|as soon as) (?P<what>.+)",
    rf"(?:{TASK} ?|(?:该|此|本|这个)?任务)?的?(?:完成|验收|通过)的?(?:标志|条件|标准|前提)"
    r"(?:是|为|就是)[:：]? ?(?P<what>.+)",
    rf"(?:{TASK} ?|(?:该|此|本|这个)?任务)?(?:只有|仅当|当)?(?P<what>.+?)(?:时|后|才)+(?:能|可以?)?"
    r"(?:算|视为|认为)(?:是)?(?:完成|通过验收|通过)",
)
_HAS_HAN: Final = Lazy("[\u3400-\u9fff]")


def read_both(masked: Masked, words: str) -> tuple[str, str] | None:
    """Reads a statement that wants something among the acceptance criteria.

    Args:
        masked: The request.
        words: The statement, masked.

    Returns:
        A requirement and a criterion, or None if the statement is another.
    """
    found = match_whole(_BOTH, words)
    if found is None or re.search(TASK, found["what"]):
        return None
    what = tidy(found["what"])
    text = masked.literal(what)
    if re.fullmatch(QUOTE, what):
        return text, text
    if what.lower().startswith("that "):
        text = text[5:6].upper() + text[6:]
        return text, text
    if "zh" in found or _HAS_HAN.search(text):
        verb = found.get("zh", "包含")
        verb = verb if verb in ("包括", "覆盖", "涵盖") else "包含"
        return f"{verb}{text}", f"必须{verb}{text}"
    verb = found.get("verb", "include").lower()
    verb = "include" if verb == "add" else verb
    return f"{verb.capitalize()} {text}", f"Must {verb} {text}"


def is_criterion(words: str) -> bool:
    """Tells whether a statement says what must pass, or when the task is done."""
    return match_whole(_MUST_PASS, words) is not None or match_whole(_DONE_WHEN, words) is not None


def criterion_of(masked: Masked, words: str) -> str:
    """Returns the criterion in a statement that is one: what must hold, or all that must pass."""
    found = match_whole(_DONE_WHEN, words)
    text = tidy(masked.literal(found["what"] if found else words))
    return text[:1].upper() + text[1:] if found and text[:1].islower() else text
