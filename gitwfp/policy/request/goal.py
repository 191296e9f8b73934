"""The goal of the whole session in what people write: "the goal is now ...", "会话目标改为 ..."."""

from typing import Final

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.policy.operations import EditSession
from gitwfp.policy.reasons import Because
from gitwfp.policy.request.grammar import match_whole, patterns
from gitwfp.policy.request.mentions import QUOTE, Masked
from gitwfp.policy.request.words import as_title, tidy

_WHOLE: Final = r"(?:session|whole plan|plan|project)"
_GOAL: Final = r"(?:goal|title|name|objective|aim|purpose|mission)"
_WHOLE_ZH: Final = r"(?:整个|本次?|这个|该|当前)?(?:会话|项目|计划)"
_GOAL_ZH: Final = r"(?:总?目标|标题|名称|名字|主题)"
_BECOMES_ZH: Final = r"(?:改为|改成|更改为|变更为|变为|变成|调整为|更新为|设为|定为|换成)"

_OF_SESSION: Final = patterns(
    rf"(?:change|set|update|rename|make) (?:the |our |this )?{_WHOLE}(?:'s)? {_GOAL}"
    r" ?(?:to|into|:) ?:? ?(?P<goal>.+)",
    rf"(?:change|set|update) (?:the |our )?{_GOAL} of (?:the |this |our )?{_WHOLE} to ?:? ?"
    r"(?P<goal>.+)",
    rf"(?:the |our )?(?:new )?(?:{_WHOLE}(?:'s)? {_GOAL}|{_GOAL} of (?:the |this |our )?{_WHOLE})"
    r"(?: (?:is|becomes|should be|shall be|must be|changes to)(?: now)?| ?[:：]) ?(?P<goal>.+)",
    rf"(?:rename|retitle) (?:the |this |our )?{_WHOLE} (?:to|as) (?P<goal>.+)",
    rf"(?:call|name) (?:the |this |our ){_WHOLE} (?P<goal>{QUOTE}|[A-Z].+)",
    rf"(?:把|将)?{_WHOLE_ZH}的?{_GOAL_ZH} ?(?:现在)?(?:{_BECOMES_ZH}|是|为|[:：]) ?"
    r"[:：]? ?(?P<goal>.+)",
    rf"(?:把|将)?{_WHOLE_ZH} ?(?:重命名为|改名为|更名为|改名叫) ?[:：]? ?(?P<goal>.+)",
)
_LOOSE: Final = patterns(
    r"(?:the|our) (?:new )?(?:goal|objective|aim) (?:is now|now is|becomes|changes to|has become) "
    r"(?P<goal>.+)",
    r"(?:the|our) new (?:goal|objective|aim) (?:is|should be|shall be) (?P<goal>.+)",
    r"change the (?:goal|objective|aim) to ?:? ?(?P<goal>.+)",
    rf"(?:我们的?)?(?:新的?|现在的?)?目标 ?(?:现在)?{_BECOMES_ZH} ?[:：]? ?(?P<goal>.+)",
    r"(?:我们)?(?:新的?|现在的?)目标(?:现在)?(?:是|为) ?[:：]? ?(?P<goal>.+)",
)


def read_goal(masked: Masked, words: str, *, about_task: bool) -> str | None:
    """Reads a new goal of the session.

    Args:
        masked: The request.
        words: One statement, masked.
        about_task: Whether the request is about one task, so that the session must be named.

    Returns:
        The goal as a title, or None if the statement is another.
    """
    found = match_whole(_OF_SESSION if about_task else (*_OF_SESSION, *_LOOSE), words)
    if found is None:
        return None
    goal = tidy(found["goal"].lstrip(":： "))
    literal = masked.literal(goal)
    if literal != masked.plain(goal):
        return literal
    for start in ("now ", "to "):
        literal = literal.removeprefix(start)
    return as_title(literal) or None


def goal_edit(
    masked: Masked, words: str, before: EditSession | None, *, about_task: bool
) -> EditSession | None:
    """Reads a new goal of the session as an operation.

    Args:
        masked: The request.
        words: One statement, masked.
        before: The goal that the request gave before, if any.
        about_task: Whether the request is about one task, so that the session must be named.

    Raises:
        Refusal: The request has given another goal before (usage).
    """
    goal = read_goal(masked, words, about_task=about_task)
    if goal is None:
        return None
    if before is not None and before.title != goal:
        raise Refusal(
            "contradiction",
            say(
                "The request gives the session two goals: '{one}' and '{other}'.",
                one=before.title,
                other=goal,
            ),
            ExitCode.USAGE,
            hint=say("Say which of the two is meant; nothing was changed."),
        )
    return EditSession(
        title=goal, reason=Because(say("the request says so")), words=masked.plain(words)
    )
