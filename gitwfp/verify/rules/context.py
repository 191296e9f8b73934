"""Dimension J: what was decided and deferred for later stays so."""

from collections.abc import Iterator

from gitwfp.errors import say
from gitwfp.model.findings import Dimension, Level
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts
from gitwfp.verify.rule import Hit, rule
from gitwfp.verify.rules.intent import planned


@rule(
    "deferred-but-planned",
    Dimension.CONTEXT,
    Level.HIGH,
    finds=say("A task does what the notes have put off."),
    why=say("It was decided not to do that now."),
    example=say('Deferred: "Multi-theme support". IMPL-5: "Add multi-theme support".'),
    remedy=say("Remove it from the task, or take it off the list of what is deferred."),
)
def deferred_but_planned(facts: Facts) -> Iterator[Hit]:
    """Finds tasks one of whose statements is about all that a deferred item is about."""
    for note in facts.notes.deferred:
        hit = planned(facts, note)
        if hit is not None:
            task, said = hit
            yield Hit(
                say(
                    "{task} does what is deferred: {text}. It says: {said}",
                    task=task,
                    text=texts.short(note.text),
                    said=texts.short(said),
                ),
                note.text,
                task=task,
            )


@rule(
    "decision-contradicted",
    Dimension.CONTEXT,
    Level.HIGH,
    finds=say("A task that goes against a decision of the notes."),
    why=say("The decision was made for a reason; the next plan will be built on it."),
    example=say('Decision: "Keep SQLite". IMPL-3: "Replace SQLite by Postgres".'),
    remedy=say("Change the task, or the decision together with its rationale."),
)
def decision_contradicted(facts: Facts) -> Iterator[Hit]:
    """Finds statements of tasks that contradict a decision."""
    for decision in facts.notes.decisions:
        for task in facts.work:
            sentences = facts.sentences[task.id]
            found = texts.contradiction(decision.note.text, sentences, least=0.8)
            if found is not None:
                yield Hit(
                    say(
                        "{task} goes against the decision: {text}. It says: {said}",
                        task=task.id,
                        text=texts.short(decision.note.text),
                        said=texts.short(found[1]),
                    ),
                    f"{decision.note.text} {task.id}",
                    task.id,
                )


@rule(
    "revisit-ignored",
    Dimension.CONTEXT,
    Level.LOW,
    finds=say(
        "A decision that is to be looked at again, and that nothing in the plan comes back to."
    ),
    why=say("What was left open for now becomes permanent without anybody deciding that."),
    example=say('Decision "Polling for now", revisit: yes; no task speaks of polling.'),
    remedy=say("Say in a task when it is looked at, or mark the decision as final."),
)
def revisit_ignored(facts: Facts) -> Iterator[Hit]:
    """Finds open decisions that share no word with the tasks and IMPL_PLAN.md."""
    held = frozenset[str]().union(
        *(facts.terms[task.id] for task in facts.live), *map(texts.terms, facts.impl_plan or ())
    )
    for decision in facts.notes.decisions:
        wanted = texts.terms(decision.note.text)
        if decision.is_open and len(wanted) >= 2 and not wanted & held:
            yield Hit(
                say(
                    "Nothing comes back to the decision: {text}",
                    text=texts.short(decision.note.text),
                ),
                decision.note.text,
                path=decision.note.path,
                line=decision.note.line,
            )
