"""Tasks that a merge keeps although the other side took them away, and all that speaks of them.

Who decides that a task stays has decided so for its lines and its place in every list as well.
"""

import re
from collections.abc import Collection, Mapping
from difflib import SequenceMatcher

from gitwfp.classes import replace
from gitwfp.model import fields as f
from gitwfp.model.plan import Document, Plan
from gitwfp.model.values import Value


def listing(plan: Plan, ours: Plan, kept: Collection[str]) -> Plan:
    """Returns a merged plan with the kept tasks in every list that had them.

    Args:
        plan: What came of the merge.
        ours: Our side of it.
        kept: The ids of the tasks.
    """
    if not kept:
        return plan
    plan = replace(plan, session=_listed(plan.session, ours.session, f.CURRENT_TASKS, kept))
    for name, document in plan.documents.items():
        held = ours.documents[name].parts if name in ours.documents else {}
        plan = plan.with_document(Document(name, _listed(document.parts, held, f.TASK_IDS, kept)))
    return plan


def _listed(
    merged: Mapping[str, Value], ours: Mapping[str, Value], name: str, kept: Collection[str]
) -> Mapping[str, Value]:
    listed, held = merged.get(name), ours.get(name)
    if not isinstance(listed, tuple) or not isinstance(held, tuple):
        return merged
    stays = tuple(item for item in held if item in listed or item in kept)
    return {**merged, name: (*stays, *(item for item in listed if item not in stays))}


def without_kept(
    base: Mapping[str, Value], theirs: Mapping[str, Value], kept: Collection[str]
) -> Mapping[str, Value]:
    """Returns their version of a document without what it changed about the kept tasks.

    Args:
        base: The document's parts in the common ancestor.
        theirs: Their parts.
        kept: The ids of the tasks.
    """
    was, lines = base.get(f.LINES), theirs.get(f.LINES)
    if not kept or not isinstance(was, tuple) or not isinstance(lines, tuple):
        return theirs
    old, new = [str(line) for line in was], [str(line) for line in lines]
    names = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, kept))})(?![\w-]|\.\d)")
    result: list[str] = []
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, start, end, new_start, new_end in steps:
        before, after = old[start:end], new[new_start:new_end]
        if tag == "equal" or not any(map(names.search, (*before, *after))):
            result.extend(after)
        elif len(before) == len(after):
            pairs = zip(before, after, strict=True)
            result.extend(b if names.search(b) or names.search(a) else a for b, a in pairs)
        else:
            result.extend(before)
    return {**theirs, f.LINES: tuple(result)}
