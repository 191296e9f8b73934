"""Where each era of the format keeps a field: the tables behind `gitwfp.files.dialects`."""

from collections.abc import Mapping
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model import fields as f
from gitwfp.model.plan import Shape

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Where a kind of record keeps its fields.

    Attributes:
        known: The places of each field, the preferred one to read first.
        prose: Places of texts that stand in for a list field when no list is there.
        fresh: The place that a shape gives a field which the file does not have yet.
        hidden: Keys that are not fields of the record at all.
    """

    known: Mapping[str, tuple[Path, ...]]
    fresh: Mapping[Shape, Mapping[str, Path]]
    prose: Mapping[str, tuple[Path, ...]]
    hidden: tuple[Path, ...] = ()


TASK: Final = Places(
    known={
        f.TITLE: (("title",), ("name",)),
        f.STATUS: (("status",), ("_execution", "status")),
        f.REQUIREMENTS: (("context", "requirements"), ("requirements",), ("details",)),
        f.ACCEPTANCE: (
            ("convergence", "criteria"),
            ("context", "acceptance"),
            ("context", "convergence", "criteria"),
            ("context", "acceptance_criteria"),
            ("acceptance",),
            ("acceptance_criteria",),
            ("acceptanceCriteria",),
        ),
        f.FOCUS_PATHS: (("focus_paths",), ("context", "focus_paths")),
        f.DEPENDS_ON: (
            ("depends_on",),
            ("context", "depends_on"),
            ("dependencies",),
            ("dependencies", "depends_on"),
            ("dependencies", "upstream"),
            ("context", "dependencies"),
            ("blocked_by",),
        ),
        f.TYPE: (("type",), ("meta", "type")),
        f.PRIORITY: (("priority",), ("meta", "priority")),
        f.EFFORT: (("effort",),),
        f.SCOPE: (("scope",), ("meta", "scope")),
        f.AGENT: (("meta", "agent"), ("agent",)),
        f.EXECUTION: (("meta", "execution_config"), ("execution_config",)),
        f.IMPLEMENTATION: (
            ("flow_control", "implementation_approach"),
            ("implementation",),
            ("context", "implementation_approach"),
            ("implementation_approach",),
        ),
        f.PRE_ANALYSIS: (("flow_control", "pre_analysis"), ("pre_analysis",)),
        f.TARGET_FILES: (("flow_control", "target_files"), ("files",), ("target_files",)),
        f.INHERITED: (("inherited", "context"), ("context", "inherited", "context")),
        f.PARENT: (("parent",), ("context", "parent"), ("parent_id",)),
    },
    prose={f.REQUIREMENTS: (("description",), ("context", "description"))},
    fresh={
        Shape.NESTED: {
            f.TITLE: ("title",),
            f.STATUS: ("status",),
            f.TYPE: ("meta", "type"),
            f.AGENT: ("meta", "agent"),
            f.PRIORITY: ("meta", "priority"),
            f.SCOPE: ("meta", "scope"),
            f.EXECUTION: ("meta", "execution_config"),
            f.REQUIREMENTS: ("context", "requirements"),
            f.FOCUS_PATHS: ("context", "focus_paths"),
            f.ACCEPTANCE: ("context", "acceptance"),
            f.DEPENDS_ON: ("context", "depends_on"),
            f.PARENT: ("context", "parent"),
            f.INHERITED: ("context", "inherited", "context"),
            f.PRE_ANALYSIS: ("flow_control", "pre_analysis"),
            f.IMPLEMENTATION: ("flow_control", "implementation_approach"),
            f.TARGET_FILES: ("flow_control", "target_files"),
        },
        Shape.FLAT: {
            f.TITLE: ("title",),
            f.REQUIREMENTS: ("description",),
            f.STATUS: ("status",),
            f.TYPE: ("type",),
            f.PRIORITY: ("priority",),
            f.FOCUS_PATHS: ("focus_paths",),
            f.DEPENDS_ON: ("depends_on",),
            f.ACCEPTANCE: ("convergence", "criteria"),
            f.TARGET_FILES: ("files",),
            f.IMPLEMENTATION: ("implementation",),
            f.PRE_ANALYSIS: ("pre_analysis",),
            f.INHERITED: ("inherited", "context"),
            f.AGENT: ("meta", "agent"),
            f.EXECUTION: ("meta", "execution_config"),
        },
        Shape.EMBEDDED: {
            f.TITLE: ("title",),
            f.REQUIREMENTS: ("description",),
            f.ACCEPTANCE: ("acceptance",),
        },
    },
    hidden=(("id",), ("task_id",)),
)

SESSION: Final = Places(
    known={
        f.TITLE: (("project",), ("description",), ("task_description",), ("topic",), ("name",)),
        f.STATUS: (("status",),),
        f.LAST_REPLAN: (("progress", "last_replan"),),
        f.CURRENT_TASKS: (("progress", "current_tasks"),),
        f.REPLAN_HISTORY: (("replan_history",), ("progress", "replan_history")),
    },
    prose={},
    fresh={
        Shape.FLAT: {
            f.TITLE: ("project",),
            f.STATUS: ("status",),
            f.CURRENT_TASKS: ("progress", "current_tasks"),
            f.LAST_REPLAN: ("progress", "last_replan"),
            f.REPLAN_HISTORY: ("replan_history",),
        }
    },
)

OVERVIEW: Final = Places(
    known={f.TASK_IDS: (("task_ids",),), f.TASK_COUNT: (("task_count",),)},
    prose={},
    fresh={Shape.FLAT: {f.TASK_IDS: ("task_ids",), f.TASK_COUNT: ("task_count",)}},
)

PLAIN: Final = Places(known={}, prose={}, fresh={Shape.FLAT: {}})
