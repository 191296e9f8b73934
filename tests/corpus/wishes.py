"""Requests in words, drawn at random from the plans that they are about.

Each is one to three statements, English or Chinese, of the kinds that people write: about the
tasks, entries and paths that a plan has, about some that it has not, and about nothing at all.
The same seed draws the same requests.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task
from gitwfp.policy.clarify import Answers, UpdateType
from gitwfp.policy.operations import Scope

Language = Literal["en", "zh"]

NONSENSE: Final = "nonsense"
"""The kind of requests that ask for nothing and may change nothing."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A request.

    Attributes:
        text: Its words.
        kind: What it asks for; several kinds with a plus between them.
        language: The language it is in.
        task: The task it is addressed to, if it is.
        answers: How far it shall go.
    """

    text: str
    kind: str
    language: Language
    task: str | None
    answers: Answers

    def __str__(self) -> str:
        to = f"{self.task} " if self.task else ""
        return f"[{self.language} {self.kind}] {to}{self.text!r} {self.answers}"


_THINGS: Final[Mapping[Language, tuple[str, ...]]] = {
    "en": (
        "rate limiting",
        "an audit log",
        "keyboard shortcuts",
        "dark mode",
        "offline sync",
        "CSV export",
    ),
    "zh": ("限流", "审计日志", "快捷键", "深色模式", "离线同步", "CSV 导出"),
}
_SENTENCES: Final[Mapping[Language, tuple[str, ...]]] = {
    "en": (
        "Refuse a request that comes a second time",
        "Log every failure with its cause",
        "Answers must arrive within 200 ms",
        "Keep the last 10 versions; older ones go",
        "Users can undo the last step",
    ),
    "zh": (
        "拒绝重复的请求",
        "每次失败都要记录原因",
        "响应必须在 200 毫秒内返回",
        "保留最近 10 个版本",
        "用户可以撤销上一步",
    ),
}
_NOTHING: Final[Mapping[Language, tuple[str, ...]]] = {
    "en": (
        "The weather is nice today",
        "Thanks, see you tomorrow!",
        "What do you think?",
        "lorem ipsum dolor sit amet",
        "asdf qwer zxcv",
        "...",
        "<script>alert(1)</script>",
        "```\nrm -rf /\n```",
        "{field} %s $(date) \x1b[31m",
    ),
    "zh": (
        "今天天气不错",
        "谢谢，明天见！",
        "你觉得怎么样？",
        "哈哈哈",
        "。。。",
        "天地玄黄 宇宙洪荒",
    ),
}


class Wisher:
    """Draws requests about one plan.

    Args:
        plan: The plan.
        rng: Where chance comes from.
    """

    def __init__(self, plan: Plan, rng: random.Random) -> None:
        self._plan = plan
        self._rng = rng

    def wish(self) -> Wish:
        """Draws a request."""
        rng = self._rng
        language: Language = rng.choice(("en", "zh"))
        if rng.random() < 0.15:
            text = rng.choice(_NOTHING[language])
            return Wish(text, NONSENSE, language, None, self._answers(is_of_task=False))
        is_of_task = rng.random() < 0.6
        task = self._task() if is_of_task else None
        kinds = _OF_TASK if is_of_task else _OF_SESSION
        count = rng.choice((1, 1, 1, 2, 3))
        drawn = [self._statement(rng.choice(list(kinds)), language, task) for _ in range(count)]
        said = [each for each in drawn if each is not None] or [("requirement", "Log it")]
        joint = rng.choice((". ", "\n", "; ") if language == "en" else ("。", "\n", "；"))
        text = joint.join(text for _, text in said)
        return Wish(
            text,
            "+".join(sorted({kind for kind, _ in said})),
            language,
            task.id if task is not None else None,
            self._answers(is_of_task=is_of_task),
        )

    def _statement(
        self, kind: str, language: Language, task: Task | None
    ) -> tuple[str, str] | None:
        forms = {**_OF_TASK, **_OF_SESSION}[kind]
        text = forms(self, language, task if task is not None else self._task())
        return None if text is None else (kind, text)

    def _answers(self, *, is_of_task: bool) -> Answers:
        """Draws answers, some of which contradict the request."""
        rng = self._rng
        fitting: tuple[Scope | None, ...] = (None, None, Scope.COMPREHENSIVE)
        if is_of_task or rng.random() < 0.1:
            fitting = (None, Scope.TASKS_ONLY, Scope.PLAN_UPDATE, Scope.COMPREHENSIVE)
        kinds: tuple[UpdateType | None, ...] = (None,) * 6 + ("all", "all", "implementation")
        return Answers(
            scope=rng.choice(fitting),
            task_changes="add_remove" if rng.random() < 0.2 else None,
            dependencies=rng.choice((None,) * 8 + (True, False)),
            update_type=rng.choice((*kinds, "requirements")) if is_of_task else None,
            ripple=rng.choice((None, "yes", "no", "analyze")),
        )

    def _task(self) -> Task:
        rng = self._rng
        anyone = rng.random() < 0.1
        return rng.choice(list(self._plan.tasks.values()) if anyone else self._plan.open_tasks)

    def other(self, task: Task) -> str:
        """Returns the id of another task; once in a while of one that there is not."""
        others = [each for each in self._plan.tasks if each != task.id]
        return self._rng.choice(others) if others and self._rng.random() < 0.95 else "IMPL-99"

    def thing(self, language: Language) -> str:
        """Returns something to have."""
        return self._rng.choice(_THINGS[language])

    def sentence(self, language: Language) -> str:
        """Returns something to do."""
        return self._rng.choice(_SENTENCES[language])

    def held(self, task: Task, name: str) -> str | None:
        """Returns an entry that a task has, on one line."""
        entries = [text for text in task.texts(name) if text.strip()]
        return " ".join(self._rng.choice(entries).split()) if entries else None

    def path(self, task: Task) -> str:
        """Returns a path near those of a task."""
        return f"{self.held(task, f.FOCUS_PATHS) or 'src'}".rstrip("/*") + "/new_part.ts"

    def pick(self, *texts: str) -> str:
        """Returns one of several wordings."""
        return self._rng.choice(texts)


_Form = Callable[[Wisher, Language, Task], str | None]


def _requirement(w: Wisher, language: Language, task: Task) -> str | None:
    return w.sentence(language)


def _criterion(w: Wisher, language: Language, task: Task) -> str | None:
    if language == "zh":
        return w.pick(f"验收标准：{w.sentence('zh')}", f"更新验收标准以包含{w.thing('zh')}")
    return w.pick(
        f"acceptance: {w.sentence('en')}",
        f"Update acceptance criteria to include {w.thing('en')}",
    )


def _path(w: Wisher, language: Language, task: Task) -> str | None:
    path = w.path(task)
    return f"关注路径：{path}" if language == "zh" else w.pick(f"focus on {path}", f"also {path}")


def _dependency(w: Wisher, language: Language, task: Task) -> str | None:
    other = w.other(task)
    if language == "zh":
        return w.pick(f"依赖 {other}", f"不再依赖 {other}")
    return w.pick(f"depends on {other}", f"no longer depends on {other}")


def _title(w: Wisher, language: Language, task: Task) -> str | None:
    return f"标题改为“{w.thing('zh')}”" if language == "zh" else f'rename to "{w.thing("en")}"'


def _tool(w: Wisher, language: Language, task: Task) -> str | None:
    tool = w.pick("codex", "gemini", "agent", "agent", "nosuchtool")
    if language == "zh":
        return w.pick(f"使用 {tool} 执行", f"改用 {tool} 执行", f"改为 {tool} 执行")
    return w.pick(f"Use {tool} for execution", f"switch to {tool}")


def _removal(w: Wisher, language: Language, task: Task) -> str | None:
    entry = w.held(task, w.pick(f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS))
    if entry is None:
        return None
    return f"不再需要“{entry}”" if language == "zh" else f'remove "{entry}"'


def _replacement(w: Wisher, language: Language, task: Task) -> str | None:
    entry = w.held(task, w.pick(f.REQUIREMENTS, f.ACCEPTANCE))
    if entry is None:
        return None
    if language == "zh":
        return f"把“{entry}”改为“{w.sentence('zh')}”"
    return f'replace "{entry}" by "{w.sentence("en")}"'


def _step(w: Wisher, language: Language, task: Task) -> str | None:
    return f"步骤：{w.sentence('zh')}" if language == "zh" else f"step: {w.sentence('en')}"


def _named(w: Wisher, language: Language, task: Task) -> str | None:
    return f"{task.id}{'：' if language == 'zh' else ': '}{w.sentence(language)}"


def _capability(w: Wisher, language: Language, task: Task) -> str | None:
    thing = w.thing(language)
    return w.pick(f"增加{thing}", f"支持{thing}") if language == "zh" else f"Add {thing} support"


def _new_task(w: Wisher, language: Language, task: Task) -> str | None:
    thing = w.thing(language)
    if language == "zh":
        return w.pick(f"新增任务：{thing}", f"新增任务“{thing}”，依赖 {task.id}")
    return w.pick(f'add task "{thing}"', f"create a task for {thing} that depends on {task.id}")


def _deletion(w: Wisher, language: Language, task: Task) -> str | None:
    return f"删除 {task.id}" if language == "zh" else w.pick(f"delete {task.id}", f"drop {task.id}")


def _split(w: Wisher, language: Language, task: Task) -> str | None:
    one, other = w.thing(language), w.sentence(language).partition(";")[0]
    if language == "zh":
        return f"把 {task.id} 拆分为{one}；{other}"
    return f"split {task.id} into {one}; {other}"


def _merge(w: Wisher, language: Language, task: Task) -> str | None:
    other = w.other(task)
    return f"合并 {task.id} 和 {other}" if language == "zh" else f"merge {task.id} and {other}"


def _order(w: Wisher, language: Language, task: Task) -> str | None:
    other = w.other(task)
    if language == "zh":
        return f"把 {task.id} 移到 {other} 前面"
    return f"move {task.id} before {other}"


def _goal(w: Wisher, language: Language, task: Task) -> str | None:
    if language == "zh":
        return f"会话目标改为{w.thing('zh')}"
    return f"The session's goal is now: {w.thing('en')}"


_OF_TASK: Final[Mapping[str, _Form]] = {
    "requirement": _requirement,
    "criterion": _criterion,
    "path": _path,
    "dependency": _dependency,
    "title": _title,
    "tool": _tool,
    "removal": _removal,
    "replacement": _replacement,
    "step": _step,
}
_OF_SESSION: Final[Mapping[str, _Form]] = {
    "named": _named,
    "capability": _capability,
    "new task": _new_task,
    "deletion": _deletion,
    "split": _split,
    "merge": _merge,
    "order": _order,
    "goal": _goal,
}
