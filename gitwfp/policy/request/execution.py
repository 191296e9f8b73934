"""Execution intent: who is to execute a task, said in a request.

The forms are those of the original tool in Chinese (`改为 Agent 执行`, `使用 codex 执行`,
`改用 gemini`) and their like in English. Only a whole clause counts: "document how to use codex
for execution" is a requirement.
"""

import re
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.policy.operations import Execution
from gitwfp.policy.request.grammar import Lazy, Unclear, match_whole, patterns
from gitwfp.policy.request.mentions import TASK, TASKS, Masked, Mention

AGENT: Final = "agent"
FAMILIAR: Final = ("codex", "gemini", "qwen", "claude", "opencode")
"""Names that are tools' names also where they are not enabled."""

_TOOL: Final = r"(?:the )?(?P<tool>[A-Za-z][A-Za-z0-9_.-]*)(?: ?(?:cli|code))?"
_IT: Final = rf"(?:it|this|this one|this task|the task|(?P<tasks>{TASKS}))"
_IT_ZH: Final = rf"(?: ?(?:(?:该|此|这个|本)?任务|(?P<tasks>{TASKS})))?"
_OTHER: Final = rf"(?:the )?(?:{AGENT}|{'|'.join(FAMILIAR)})(?: ?(?:cli|code))?"
_NOT_ZH: Final = (
    rf"(?:不(?:要|再)?(?:用|使用|让) ?{_OTHER}(?: ?(?:来)?执行)?了?[，,、；; ]+(?:而是)?)?"
)
_BY_ZH: Final = r"(?:改为|改成|换成|换为|换用|改用|改由|由|用|使用|交给|让)(?:使用|用|由)?"
_STRICT: Final = patterns(
    rf"(?:use|using) {_TOOL} for (?:the )?(?:execution|executing)(?: (?:of )?{_IT})?",
    rf"(?:use|using) {_TOOL} to execute(?: {_IT})?",
    rf"execute {_IT} (?:with|using|via|by|through) {_TOOL}",
    rf"(?:run|do) (?P<tasks>{TASKS}) (?:with|using|via|by|through) {_TOOL}",
    rf"(?:run|do|execute) (?P<tasks>{TASKS}) (?:in|on) (?:the )?(?P<tool>{AGENT})",
    rf"(?:let|have) {_TOOL} execute {_IT}",
    rf"(?:execution|executor)(?: method| tool)? ?[:：=] ?{_TOOL}",
    rf"(?:change|set|switch) (?:the )?(?:execution|executor)(?: method| tool)? to {_TOOL}",
    rf"(?:都|全部|统一)?(?:改为|改成|使用|改用|改由)(?:使用|用|由)? ?{_TOOL} ?(?:来)?执行{_IT_ZH}",
    rf"(?:把|将)?执行(?:方式|方法|工具|者) ?(?:改为|改成|设为|换成|切换为|:|：) ?{_TOOL}"
    r"(?: ?执行)?",
)
_LOOSE: Final = patterns(
    r"(?:(?:should|must|shall|will|can|is to|are to) (?:both |all |now )*)?(?:execute|run"
    r"|be (?:executed|run|done|implemented|handled)"
    rf"|executed|is executed) (?:with|using|via|by|through) {_TOOL}",
    rf"run {_IT} (?:with|using|via|by|through) {_TOOL}",
    rf"(?:use|using) {_TOOL} to run(?: {_IT})?",
    rf"(?:let|have) {_TOOL} (?:run|do|take|handle|implement|build|write|work on) {_IT}",
    rf"(?:let|have) {_TOOL} take (?:over|care of) {_IT}",
    rf"(?:use|using) {_TOOL} (?:for|on) (?:this one|this task|the task|(?P<tasks>{TASKS}))",
    rf"switch (?:{_IT} )?(?:back |over )?to {_TOOL}(?: for execution| execution)?",
    rf"{_TOOL} (?P<tasks>{TASKS})",
    rf"(?:hand|give|pass|assign) (?:{_IT} )?(?:over )?to {_TOOL}",
    rf"(?:(?:use|run|execute)(?: {_IT})?(?: with| using)?) {_TOOL}(?:,? (?:and )?not |"
    rf" instead of )(?:the )?(?:{AGENT}|{'|'.join(FAMILIAR)})",
    rf"(?:(?:把|将)?(?:该|此|这个|本)任务 ?)?交(?:给|由) ?{_TOOL}(?: ?(?:执行|来做|处理))?",
    rf"(?:都|全部|统一)?(?:改用|换用|切换到|切换为|切换成|换成) ?{_TOOL}",
    rf"(?:(?:该|此|这个|本)任务)?(?:请)?(?:用|由|交给|让|交由) ?{_TOOL} ?(?:来)?"
    rf"(?:执行|跑|运行|做|完成){_IT_ZH}",
)
_TURNED: Final = patterns(
    # What it was is said beside what it is to be.
    rf"(?:do not|don't|never|no longer) (?:use|run with|execute with) {_OTHER}"
    rf"(?: (?:for|on) (?:this|it|this task|{TASKS}))?(?: any ?more| again)?[,;.]? (?:but |and )?"
    rf"(?:use|run with|execute with|switch to|let) {_TOOL}(?: instead)?"
    rf"(?: for (?:execution|(?P<tasks>{TASKS})))?(?: instead)?",
    rf"(?:switch|change|move|migrate|go)(?: (?:back|over))?(?: {_IT})? from {_OTHER} to {_TOOL}"
    r"(?: for execution)?",
    rf"(?:use|run with|execute with) {_TOOL}(?: for (?:execution|it|this|this task))?,? (?:and )?"
    rf"(?:not|no longer|instead of|rather than) {_OTHER}(?: any ?more)?",
    rf"{_NOT_ZH}(?:请|都|全部|也|均|统一)*{_BY_ZH} ?{_TOOL}"
    r"(?: ?(?:来|去|负责|继续)*(?:执行|跑|运行|做|完成|处理))?",
    rf"(?P<tasks>{TASKS}) ?(?:都|全部|也|均|统一)*{_BY_ZH} ?{_TOOL} ?"
    r"(?:来|去|负责)*(?:执行|跑|运行|做|完成|处理)",
    rf"(?:with|via|using) {_TOOL}",
    rf"(?:have|get|let) {_IT} (?:be )?(?:executed|run|done|implemented|handled|built) "
    rf"(?:by|with|using) {_TOOL}",
    rf"{_TOOL} (?:should|must|shall|will|can|is to|may) (?:execute|run|do|implement|handle) {_IT}",
)
"""Forms in which any word may stand where a tool does, so that only a known one counts."""
_ENOUGH_ZH: Final = Lazy(r"(?:就行|即可|就好|就可以)了?\Z")
_NOT: Final = patterns(
    rf"(?:do not|don't|never|avoid|stop) (?:use|using|run|running|execute|executing)(?: {_IT})?"
    rf"(?: with| using)? {_TOOL}"
    rf"(?: (?:for|on) (?:this one|this|it|this task|the task|execution|{TASKS}))?",
    r"(?:不要再?|别|不再?|勿|请勿|不得|禁止)(?:使用|改用|用|由|让) ?"
    rf"{_TOOL} ?(?:来)?(?:执行|跑|运行)?{_IT_ZH} ?了?",
)
_BARE: Final = Lazy(rf"use {_TOOL}(?: instead)?|使用 ?{_TOOL.replace('tool', 'zh')}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Intent:
    """Who is to execute a task, and which tasks it names, if any."""

    execution: Execution
    tasks: tuple[Mention, ...] = ()


def read_intent(masked: Masked, words: str, tools: tuple[str, ...]) -> Intent | Unclear | None:
    """Reads an execution intent.

    Args:
        masked: The request.
        words: One clause, masked.
        tools: The tools that are enabled; the agent always is.

    Returns:
        The intent; `Unclear` for "use codex", which may mean the product as well; None for
        anything else.

    Raises:
        Refusal: The tool is not enabled (usage).
    """
    words = masked.plain(words) if not re.search(TASK, words) else words
    words = _ENOUGH_ZH.sub("", words)
    names = {name.casefold(): name for name in tools}
    for pattern in (*_STRICT, *_LOOSE, *_TURNED):
        found = pattern.fullmatch(words)
        if found is None:
            continue
        name = found["tool"].casefold()
        tasks = masked.tasks_in(found.groupdict().get("tasks") or "")
        if name == AGENT:
            return Intent(Execution("agent"), tasks)
        if name in names:
            return Intent(Execution("cli", names[name]), tasks)
        if pattern in _STRICT or name in FAMILIAR:
            raise _not_enabled(found["tool"], tools)
    refused = match_whole(_NOT, words)
    if refused and refused["tool"].casefold() in (AGENT, *names, *FAMILIAR):
        return Unclear(say("It says who is not to execute the task, but not who is."))
    bare = _BARE.fullmatch(words)
    if bare and (bare["tool"] or bare["zh"]).casefold() in (AGENT, *names, *FAMILIAR):
        return Unclear(
            say(
                "It may mean who executes the task; write 'use {tool} for execution'.",
                tool=bare["tool"] or bare["zh"],
            )
        )
    return None


def _not_enabled(tool: str, tools: tuple[str, ...]) -> Refusal:
    return Refusal(
        "tool-not-enabled",
        say(
            "The tool {tool} is not enabled; enabled are: {tools}.",
            tool=tool,
            tools=", ".join((AGENT, *tools)),
        ),
        ExitCode.USAGE,
        hint=say(
            "Name one of these, or write 'requirement: ...' if this is not about who executes the "
            "task."
        ),
    )
