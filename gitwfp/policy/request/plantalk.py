"""Words about the plan itself rather than about what is to be built: they are no requirement.

"Don't touch the title", "IMPL-3 looks good" and "undo the last change" would stand in a task as
nonsense. Where no form understands such a statement it is left out, and that is said. Each pattern
is for a whole statement, so that "Never show the title twice" stays what it is.
"""

from typing import Final

from gitwfp.errors import Text, say
from gitwfp.policy.request.execution import FAMILIAR
from gitwfp.policy.request.grammar import Patterns, match_whole, patterns
from gitwfp.policy.request.mentions import QUOTE, TASK, TASKS

_LIST: Final = (
    r"(?:requirements?|acceptance(?: criteri(?:on|a))?|criteri(?:on|a)|focus paths?"
    r"|dependenc(?:y|ies)|implementation steps?)"
)
_PART: Final = (
    rf"(?:{_LIST}|title|focus|steps?|priority|estimate|effort|deadline|assignee|execution)"
)
_LIST_ZH: Final = r"(?:需求|要求|验收(?:标准|条件)?|(?:关注|聚焦)路径|依赖(?:关系)?|步骤)"
_PART_ZH: Final = rf"(?:{_LIST_ZH}|标题|优先级|工期|工时|负责人|执行(?:方式|工具|者))"
_OF: Final = rf"(?: (?:of|on|in|for) (?:{TASKS}|it|this(?: task)?|the task))?"
_TASK: Final = rf"(?:{TASKS}|(?:this|the|that) task)"
_NTH: Final = r"(?:(?:first|second|third|fourth|fifth|last|only|other|\d{1,2}(?:st|nd|rd|th)?) )?"
_NOT: Final = r"(?:do not|don't|never|no need to|nobody should|you should not|please do not)"
_WHO: Final = rf"(?:the )?(?:{'|'.join(FAMILIAR)}|agent|cli)"

_EDITING: Final = patterns(
    rf"(?:{_NOT} )?(?:rename|retitle) (?:it\b|this\b|(?:the )?task\b|to\b|{TASK}|{QUOTE}).*",
    rf"(?:put|move|place|bring)(?: {TASKS}| it| this)? (?:at|to|in) (?:the )?(?:very )?"
    r"(?:top|end|bottom|front|start|beginning|back)\b(?: of the (?:list|plan|queue|order))?",
    r"(?:use|take) \S*/\S* instead",
    r"(?:add|remove|delete|drop|move|put|copy) (?:it|them|that|this)(?: (?:to|from|in|into) .*)?",
    rf"(?:->|=>|→|⇒) ?.+|(?:\.\.+|…|[-–~—]|to|through|至|到) ?{TASK}.*",
    rf"(?:{_NOT} )?(?:reword|rephrase) (?:the |its |{QUOTE}).*",
    rf"{_NOT} (?:change|touch|alter|modify|edit|update|add|remove|delete|drop|replace)"
    rf"(?: any| the| its| more| other| an?)* (?:{_PART}|tasks?|plan){_OF}(?: yet| now| here)?",
    rf"(?:update|change|edit|modify|revise|rewrite|set|swap|adjust|move|copy) (?:the |its )?{_NTH}"
    rf"{_LIST}\b.*",
    rf"(?:add|write|include|append|put|move|copy) .+ (?:to|from|in|into|as) (?:the |its |an? )?"
    rf"(?:list of )?{_LIST}{_OF}",
    rf"(?:add|write|include|append)(?: an?| another| one more| the| new)* {_LIST}\b.*",
    rf"(?:the |its )?{_NTH}(?:acceptance(?: criteri(?:on|a))?|criteri(?:on|a)|requirements?"
    r"|focus paths?) (?:should|must|shall|may|can|needs? to|has to)\b.*",
    r"(?:the |its )?title (?:should|must|shall) (?:be|become|say|read)\b.*",
    r"(?:set|change|update|edit) its title\b.*",
    rf"{QUOTE} ?(?:->|=>|→|⇒) ?.+",
    rf"(?:no|without)(?: any| other| further| more)* {_PART} (?:changes?|is|are|needed).*",
    r"(?:split|divide|break up|merge|combine)(?: up)? (?:the )?.{1,60}\btasks?\b.*",
)
_ORDERING: Final = patterns(
    rf"{_TASK} (?:can|may|should|must|could|shall|will)(?: also| all| both| not|n't)* "
    r"(?:run|be done|start|go|come|happen|be worked on) (?:in parallel|first|last|next|together"
    r"|later|at the same time|concurrently|side by side|alongside|independently)\b.*",
    rf"{_TASK} (?:can|may|should|must|could|shall|will|need)(?: also| all| both| not|n't|not)* be "
    r"(?:deleted|removed|dropped|split|merged|combined|renamed|moved|reordered|changed|touched|kept"
    r"|skipped|postponed|delayed|executed|undone)\b.*",
    rf"{_TASK} (?:is|are|looks?|seems?|was|were|feels?|sounds?) (?:(?:now|still|much|far|a bit|way"
    r"|very|really|quite|pretty|also|all|not) )*(?:too \w+|good|fine|great|ok(?:ay)?|done|ready"
    r"|finished|completed?|merged|blocked|important|urgent|unclear|vague|big|large|small|simple"
    r"|complex|easy|hard|trivial|obsolete|outdated|wrong|right|correct|in progress|on hold)\b.*",
    rf"{_TASK} (?:was|were|has been|have been|got) (?:discussed|mentioned|reviewed|approved|agreed"
    r"|moved|delayed|postponed|merged|estimated|planned|started|released|shipped)\b.*",
    rf"(?:{_TASK} )?(?:no longer|(?:should|must|do) not) depend on each other",
    rf"(?:no longer|not) on {TASKS}",
    r"(?:do|start|put|move) .{1,60}\btask (?:first|last|next|before|after)\b.*",
)
_DROPPING: Final = patterns(
    rf"(?:{_TASK} )?(?:is|are)(?: not|n't| no longer) (?:needed|required|necessary|wanted)"
    r"(?: any ?more| any longer| now| yet)?",
    rf"(?:we |i |you )?(?:won't|will not|don't|do not|are not going to|aren't going to) "
    rf"(?:do|need|want|build|implement|start) {TASKS}(?: .*)?",
    rf"不(?:再)?(?:做|要|需要|搞) ?{TASKS} ?了?",
)
_UNDOING: Final = patterns(
    r"(?:undo|redo|revert|roll ?back)(?: (?:it|that|this|everything|all(?: of it)?"
    r"|(?:the |my |our )?(?:last|previous|latest) (?:change|replan|edit|update|one)s?))?",
    rf"(?:undo|revert|take back) (?:the )?(?:deletion|removal|change|rename|split|merge|replan)"
    rf"(?: of {TASKS})?",
    r"(?:撤销|撤回|回滚|恢复|重做)(?:上一?次|刚才|之前|最近)?的?(?:修改|改动|变更|删除|重新规划)?",
    rf"(?:恢复|找回) ?{TASKS}",
)
_EXECUTING: Final = patterns(
    rf"{_WHO} (?:should|must|may|shall|can|will|does|is)(?: not|n't)(?: to)? "
    r"(?:execute|run|do|handle|implement|touch|work on)\b.*",
    rf"(?:{_NOT}|never again|not|no) (?:(?:use|run|execute|execute with|run with) )?{_WHO}\b"
    r"(?: (?:again|any ?more|for (?:this|it|execution)|here))*",
    rf"(?:switch|change|move|migrate|go)(?: (?:back|over))? (?:from {_WHO} )?to {_WHO}",
    rf"(?:let|have|get|ask|make) {_WHO} (?:to )?\w+(?: on)? (?:{TASKS}|it|this|this task|the task)",
    rf"{_WHO} (?:keeps?|stays? (?:on|with)|continues? with|goes on with) (?:{TASKS}|it|this)",
    rf"(?:with|via|by|using|through) {_WHO}(?: (?:cli|instead))?",
    rf"(?:use|run|execute)(?: (?:it|this))?(?: with)? {_WHO} (?:and|or|&) {_WHO}\b.*",
    rf"(?:don't|do not|never) (?:use|run with) {_WHO}\b.*[,;] ?(?:use|run|switch)\b.*",
    rf"不(?:要|再)?(?:用|使用|让) ?{_WHO}.*",
    rf"(?:由|换成|换为|改由|改成|改为|交给) ?{_WHO} ?(?:来|负责)*(?:执行|做|处理|完成)?.*",
    rf"{TASKS} ?(?:都|全部|也|均)?(?:用|由|交给|改用|使用|让) ?{_WHO} ?(?:来)?(?:执行|做|处理).*",
)
_CHINESE: Final = patterns(
    rf"(?:请)?(?:不要|别|不用|不必|无需|不需要?|勿|没必要)(?:再)?(?:改|动|修改|更改|调整|变更|碰|加|删)"
    rf"(?:动|变)?(?:任何|其他|它的?)?(?:{_PART_ZH})(?:了)?",
    rf"(?:只|仅)(?:改|修改|调整|更新|换)(?:{_PART_ZH})",
    rf"(?:把|将)?(?:第.{{1,3}}[条项个]|最后一[条项个])?的?{_LIST_ZH}(?:里|中|列表)?的?"
    r"(?:改为|改成|换成|替换为|更新为|调整为|设为|加上|去掉|需要改|应该是).*",
    r"(?:把|将)?(?:优先级|工期|工时|负责人|标题) ?"
    r"(?:调|改|设|提高|降低|换|变更|更新|应为|为).{0,12}",
    rf"(?:再|请|另外)*(?:加|补|新增|增加|添加|补充|追加)(?:上|入)?[一两几]?[条项个]?(?:新的?)?{_LIST_ZH}"
    r"[，,：: ].*",
    rf"(?:{TASK}|它|该任务|这个任务)? ?(?:不能|不可以?|不要|不许|不应该?|别)(?:被)?"
    r"(?:删|删除|移除|合并|拆分|改名|改|动|移动)(?:掉|了)?",
    r"(?:放|移|排|挪|提|调)(?:到|在|至)?最?(?:前|后)(?:面|头|边)?",
    r"(?:删|删掉|删除|去掉|取消|合并|拆分|拆开?|移除)(?:了|掉)?(?:吧|它|这个|该任务)?",
    r".{0,16}任务.{0,6}(?:不需要|不要|不用做|没用)了.{0,6}(?:删|去|取消|移除).{0,3}",
    rf"{TASKS} ?(?:太|很|比较|非常)(?:大|小|长|难|简单|复杂|模糊|重要|好|急|紧急)了?",
)
_PLAN: Final = say("It speaks of the plan itself, but not in a form that is known.")
_KINDS: Final[tuple[tuple[Patterns, Text], ...]] = (
    (_EXECUTING, say("It speaks of who executes the task, but not in a form that is known.")),
    (_UNDOING, say("What was done is taken back by git wfp undo or git wfp rollback.")),
    (_EDITING, _PLAN),
    (_ORDERING, _PLAN),
    (_DROPPING, say("It may mean that the task is to go; write 'delete task ...' then.")),
    (_CHINESE, _PLAN),
)


def why_no_requirement(words: str) -> Text | None:
    """Returns why a statement that no form understands is no requirement, None if it may be one.

    Args:
        words: The statement, masked and without courtesy.
    """
    bare = words.strip(" .!。！")
    for tried, reason in _KINDS:
        if match_whole(tried, bare) is not None:
            return reason
    return None
