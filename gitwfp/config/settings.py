"""The settings as the program uses them: frozen values, each with its default.

What a setting means, and which values it may have, stands in `gitwfp.config.keys`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from gitwfp.classes import dataclass, field

OnDirty = Literal["checkpoint", "refuse"]
Landing = Literal["ff", "merge", "manual"]
Policy = Literal["PROCEED", "PROCEED_WITH_CAUTION", "PROCEED_WITH_FIXES", "BLOCK_EXECUTION"]
OnError = Literal["block", "warn"]
CodeCheck = Literal["off", "report", "block"]
Watching = Literal["auto", "native", "poll"]
ContentLanguage = Literal["en", "zh_CN"]

USUAL_TOOLS: Final = ("codex", "gemini", "qwen", "claude")
"""Tools that count as enabled without any configuration; none of them has a command yet."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The table `limits`: how large things may be."""

    max_tasks: int = 10
    file_bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Replan:
    """The table `replan`: how a plan is changed."""

    on_dirty: OnDirty = "checkpoint"
    landing: Landing = "ff"
    keep_branches: int | Literal["all"] = 10
    signoff: bool = False
    planner: str = "rules"


@dataclass(frozen=True, slots=True)
class Gate:
    """The table `gate`: what verify and the gate let pass."""

    policy: Policy = "PROCEED_WITH_FIXES"
    on_error: OnError = "block"
    code: CodeCheck = "report"
    allow_what_if: bool = True
    trust_records: bool = True


@dataclass(frozen=True, slots=True)
class Daemon:
    """The table `daemon`: judging what is saved, and keeping it."""

    backend: Watching = "auto"
    quiet: float = 0.06
    patience: float = 1.0
    poll_interval: float = 1.0
    idle_exit: float = 0.0
    autosave: bool = True
    autosave_days: int = 14
    autosave_count: int = 1000


@dataclass(frozen=True, slots=True)
class Lock:
    """The table `lock`: waiting for other writers."""

    timeout: float = 2.0


@dataclass(frozen=True, slots=True)
class Ui:
    """The table `ui`: what a person sees."""

    language: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """The table `content`: what is written into the repository."""

    language: ContentLanguage = "en"


@dataclass(frozen=True, slots=True)
class Tool:
    """One table `tools.NAME`: a program that can carry out tasks or plan.

    Attributes:
        enabled: Whether tasks may be handed to it.
        command: The program and its arguments; None if nobody said how to start it.
    """

    enabled: bool = True
    command: tuple[str, ...] | None = None


def _usual_tools() -> Mapping[str, Tool]:
    return MappingProxyType({name: Tool() for name in USUAL_TOOLS})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings in force; `Settings()` is all defaults.

    Attributes:
        tools: Every known tool by name, the usual ones first.
    """

    limits: Limits = Limits()
    replan: Replan = Replan()
    gate: Gate = Gate()
    daemon: Daemon = Daemon()
    lock: Lock = Lock()
    ui: Ui = Ui()
    content: Content = Content()
    tools: Mapping[str, Tool] = field(default_factory=_usual_tools)
