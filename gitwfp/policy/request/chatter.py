"""What people say beside a request: thanks, praise, nods, placeholders, vague wishes, noise.

Such words are no requirement. Each pattern is for a whole statement, so that "Great progress bars"
or "fix it with a retry" stay what they are.
"""

import re
from typing import Final

from gitwfp.errors import Text, say
from gitwfp.policy.request.execution import FAMILIAR
from gitwfp.policy.request.grammar import Lazy, Patterns, match_whole, patterns
from gitwfp.policy.request.mentions import QUOTE, TASK, TASKS

_PRAISED: Final = r"(?:work|job|progress|stuff|going|effort|idea|start|plan|one|news|day|weekend)"
_PRAISE: Final = patterns(
    r"(?:(?:very|really|so) )?(?:great|good|nice|excellent|awesome|amazing|fantastic|lovely|solid)"
    rf" {_PRAISED}(?: (?:so far|everyone|everybody|all|team|folks|guys|today|again|there|ahead|on"
    r" .{1,40}|with .{1,40}))*(?: ?, ?.{0,60})?",
    r"(?:looks|sounds|seems) (?:very |really |pretty )?(?:good|great|fine|nice)(?: to me)?"
    r"(?: so far)?|lgtm|well done(?: .{0,20})?|congrat(?:s|ulations)(?: .{0,20})?",
    r"(?:thanks|thank you|thx|cheers|regards|(?:best|kind) regards|bye|goodbye|ciao|ta)"
    r"(?: ?[,，] ?\w+)?"
    r"(?: (?:a lot|so much|very much|again|in advance|everyone|everybody|all|team|for .{1,60}))*",
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|morning)(?: (?:there|all|everyone|team))?"
    r"(?: ?, ?.{0,60})?",
    r"(?:sorry|apologies)(?: (?:to|for|about) .{1,60})?|(?:see|talk to|catch) you\b.{0,40}",
    r"(?:have a|enjoy (?:the|your)) .{1,20}|hope (?:you|all|this|that)\b.{1,60}",
    r"(?:大家)?辛苦(?:了|啦)?(?:大家)?|(?:非常|十分|太)?(?:感谢|谢谢|多谢)(?:大家|你们?|各位)?(?:的.{1,10})?"
    r"|(?:干|做)得(?:很|真|非常|太)?(?:好|棒|不错)|(?:很|真|太|非常)(?:好|棒|赞)(?:了)?|(?:进展|进度)不错",
    r"(?:大家|各位)?(?:你们?|您)?好(?:呀|啊)?|(?:早上|上午|下午|晚上)好|早安?|再见|拜拜|回见|(?:周|星期|明天|下周).{0,2}见",
    r"(?:不好意思|抱歉|打扰了?|对不起).{0,12}|(?:今天|明天|昨天|外面)?天气.{1,12}",
)
_NOD: Final = patterns(
    r"(?:ok(?:ay)?|yes|yep|yeah|no|nope|sure|fine|right|agreed|done|got it|understood|understand|"
    r"great|perfect|awesome|nice|cool|excellent|wonderful|fantastic|wow|i see|sounds good|"
    r"go ahead|never ?mind|nothing|none|same here|me too|as discussed|noted)",
    r"(?:好|好的|好吧|行|可以|嗯+|是的?|对|对的|没问题|收到|明白了?|知道了|了解|同意|没有|不用了|算了|对了)",
)
_AS_IT_IS: Final = (
    r"(?: (?:as (?:it|they) (?:is|are|was|were)|as[- ]is|unchanged|untouched|alone|for now"
    r"|that way|like (?:it is|that|this)|be))*"
)
_LEAVE: Final = (
    rf"(?:(?:please|just) )*(?:keep|leave) (?:it|this|that|them|everything|all|things"
    rf"|the (?:task|plan|rest)|{TASKS}){_AS_IT_IS}"
)
_SO: Final = r"(?:(?:actually|no|well|hm+|oh|ok(?:ay)?|yes|wait|sorry)[,，]? )*"
_NOT_NOW: Final = (
    r"(?:never ?mind|forget (?:it|that|this|about it)|scratch that|not (?:yet|now)|hold on"
    r"|cancel (?:that|it|this)|skip (?:it|this|that)|don't(?: do (?:it|that|this))?)"
)
_NOT_NOW_ZH: Final = (
    r"(?:(?:不|嗯|哦|还是|那|那就|等等)[，,]? ?)*"
    r"(?:算了|不改了|不做了|当我没说|先?不(?:改|动|做|拆|删|用)了)"
    r"(?:[，,]? ?(?:吧|还是)?(?:不改了?|先不改了?|保持不变|保持原样|不用了|不动了?|就这样)?吧?)?"
)
_NOTHING: Final = patterns(
    rf"{_SO}{_LEAVE}",
    rf"{_SO}{_NOT_NOW}(?: ?[,，;；] ?{_LEAVE})?",
    r"(?:no|zero)(?: more| other| further| new)* changes?(?: (?:needed|required|necessary|wanted"
    r"|here|for now|yet|at all))*",
    r"(?:there (?:is|'s) )?nothing(?: else| more)? (?:to (?:do|change|add)|needed|changes?)"
    r"(?: here| for now| yet)*|do nothing|no-?op",
    r"not sure(?: yet| about (?:it|this|that))?",
    r"(?:ship it|go for it|do it|@\w+ .*|i(?:'m| am) (?:not |un)?sure\b.*|no idea\b.*)",
    r"(?:what|how) about\b.*|(?:how|why|what|where|who|which) (?:do|does|did|is|are|was|were|should"
    r"|would|can|could|will|shall)\b.*|(?:how|where|what) to\b.*",
    rf"(?:请|帮我|麻烦|你|再)*(?:看看?|检查|确认)(?:一下|下)? ?(?:{TASKS})? ?"
    r"(?:有没有|是否|是不是|会不会|能不能|可不可以|行不行).*",
    r"(?:再|先|还要|还得)?(?:考虑|想想|研究|讨论|商量)(?:一下|看|看看|下|考虑)?(?:再说|吧)?",
    r"(?:我|我们)?(?:觉得|认为|感觉)?(?:可以|没问题|还行|挺好的?|不错|差不多)了?(?:吧)?",
    r"(?:已经?|都|全部)(?:做|完成|搞定|结束|弄|写)(?:完|好)?了",
    r"(?:太|很|比较|非常)(?:大|小|长|难|简单|复杂|模糊|重要|急|紧急)了?",
    _NOT_NOW_ZH,
    r"(?:不[，,] ?|先|暂时|现在|目前|都|请|一切|这个|它)*(?:不用|不需要|不必|无需|不要|别|不)"
    r"(?:再|做|任何|什么)*(?:改|动|修改|变|改动|变动|更改|调整)(?:了|动|什么|任何东西)?",
    r"(?:不[，,] ?|先|都|一切|全部|请|就|目前|暂时)*(?:保持|维持)(?:原样|不变|现状|原状|这样)"
    r"(?:吧|即可|就好|就行)?",
    rf"(?:不[，,] ?|请|还是)*(?:保留|留着|留下) ?(?:它|这个|该任务|此任务|{TASKS})(?:吧|不动)?",
)
_TAKEN_BACK: Final = patterns(rf"{_SO}{_NOT_NOW}(?: ?[,，;；] ?{_LEAVE})?", _NOT_NOW_ZH)
_PLACEHOLDER: Final = patterns(
    r"(?:to-?do|fixme|tb[acd]|to ?be (?:determined|decided|announced|defined)|n ?/ ?a|x{3,}"
    r"|lorem ipsum.*|"
    r"(?:add|insert|your) .{1,20} here|placeholder|blah(?: blah)*|foo(?:bar)?|test(?: test)+)",
    r"待定|待补充?|待确认|待续|暂无|暂定|略|占位|同上|如题",
)
_IT: Final = r"(?:it|this|that|them|these|things?|everything|all|something|stuff|(?:the|this) task)"
_SPOT: Final = (
    r"(?: (?:somewhere|somehow|a bit|a little|overall|in general|please|soon|asap|again))*"
)
_VAGUE: Final = patterns(
    rf"(?:make|get|keep|have) (?:{_IT}|{TASK}) (?:\w+ )?"
    r"(?:better|nicer|cleaner|faster|good|great|right|work|done|perfect|awesome|pretty|simpler)"
    rf"(?: than .{{1,20}})?{_SPOT}",
    r"(?:do|try|change|improve|fix) (?:something|anything|sth)(?: (?:about|with|for|on) .{1,60})?",
    rf"(?:(?:just )?(?:do|fix|improve|optimi[sz]e|clean up|tidy up|polish|refactor|handle|finish|"
    rf"change|update|adjust|rework|redo|rethink|review|check|enhance|simplify)) "
    rf"(?:up )?(?:{_IT}|{TASK})"
    rf"(?: up)?(?: (?:like|as) .{{1,40}}| accordingly| properly| better)?{_SPOT}",
    r"(?:improve|optimi[sz]e|increase|boost|enhance) (?:the )?(?:performance|quality|speed|code|ux|"
    rf"usability|design|stability|everything)(?: (?:everywhere|overall|in general)| a (?:bit|lot))?"
    rf"{_SPOT}",
    r"(?:replace|change|update|adjust|revise|rewrite|review|improve|fix|edit) (?:all )?"
    r"(?:the |its )?(?:requirements?|acceptance(?: criteria)?|criteri(?:a|on)|focus paths?|paths|"
    r"dependencies|title)",
    r"(?:请)?(?:更新|修改|调整|替换|完善|改)(?:一下)?(?:需求|要求|验收(?:标准|条件)?|关注路径|路径|依赖|标题)",
    r"(?:be|think|work|do) (?:better|faster|harder|more|less|smarter)|(?:again|more|better|faster)",
    r"(?:update|change|adjust|fix|revise) (?:the |this )?(?:plan|tasks?|session|list)"
    r"(?: accordingly| please| as (?:needed|discussed|agreed))?",
    r"(?:请|麻烦|帮忙|再|都|全部|整体|适当|尽快)*(?:优化|改进|完善|改善|提升|调整|处理|修改|修复|整理|清理|弄|搞|改|看|修)"
    r"(?:一下|下|一些|点|好点?|完善)?(?:它|这个|这些|任务|性能|质量|体验|代码|一切)?(?:吧|吗|呗)?",
    r".{0,12}(?:方面|的话|这块|那块|部分)?(?:也|都|再)?(?:看着|随便|适当|酌情)(?:弄|办|改|搞|处理|调整|优化)"
    r"(?:一下|下|好)?(?:吧)?",
    r"按(?:照)?(?:上次|之前|刚才|以前|前面).{0,4}(?:说|讲|讨论|聊|约定|商量)?的?(?:改|做|来|办|处理|弄)(?:吧)?",
)
_THOUGHT: Final = patterns(
    r"(?:maybe|perhaps|possibly|someday|one day|it (?:might|may|could) be|"
    r"we (?:might|may|could))\b.*",
    r"(?:也许|或许|说不定|没准|可能可以|以后再|将来).*",
)
_WHO: Final = rf"\b(?:{'|'.join(FAMILIAR)}|(?:use|with|by|to) (?:the )?agent)\b"
_ALL: Final = patterns(
    rf"(?=.*{_WHO})(?:use|using|execute|run|switch|hand|give|assign|let|have|change|do)\b.*"
    r"\b(?:all|every|each)(?: of)?(?: the)?(?: remaining| other| open)? (?:sub-?)?tasks?"
    rf"(?: (?:in|of|from) (?:the|this) (?:plan|session|list)| (?:with|by|to|using) (?:the )?\S+)?",
    rf"(?=.*(?:agent|{'|'.join(FAMILIAR)})).*(?:所有|全部|每个)的?(?:子)?任务.*",
    r"(?:all|every|each|any|both|(?:the )?other|the remaining|the rest of the|no)(?: of)?(?: the)? "
    r"(?:sub-?)?tasks?\b.*",
    r"(?:所有|全部|每个|每一个|各个|各|其余|其他|剩下)的?(?:子)?任务.*",
    rf".*\b(?:except|apart from|other than|all but)(?: for)? {TASKS}.*",
    rf".*(?:除了?|除开) ?{TASKS} ?(?:以外|之外|外).*",
)
_BESIDE: Final = patterns(
    rf"(?:mark|set|flag)(?: {_IT}| {TASKS})? (?:as|to) (?:done|completed?|finished|"
    r"in progress|pending|blocked|failed|cancelled|open)",
    rf"(?:set|change|raise|lower|increase)(?: the| its)? priority(?: of {TASKS})?"
    r"(?: to)?(?: \w+)?|priority ?[:：]? ?\w+",
    rf"assign(?: {_IT}| {TASKS})? to @?\w+(?: \w+)?|due (?:on|by) .+|estimate ?[:：] ?.+",
    r"(?:标记|设|置)(?:为|成)(?:已)?(?:完成|进行中|阻塞|失败|取消)"
    r"|优先级 ?(?:调|改|设|提|降|为|是|[:：]).{0,8}|优先级最?[高中低]?"
    r"|(?:指派|分配)给.{1,12}|截止.{1,12}",
    r"fyi\b.*|(?:please )?note that .*|btw\b.*",
)
_REPORT: Final = patterns(
    r"(?:i|we|he|she|they)(?:'ve| have| has|'d| had)?(?: also)? (?:already|just|recently|now)? ?"
    r"(?:deleted|removed|dropped|added|changed|merged|split|moved|renamed|updated|fixed|finished|"
    r"implemented|replaced|created|did|done|made|wrote|tried|looked|talked|discussed|agreed)\b.*",
    r"(?:we|they) (?:now |already )?(?:use|have|are using|do|don't|do not|get|are on)\b.*"
    r"\b(?:now|already|these days|any ?more|anyway)",
    rf"(?:{TASKS}|it|this|that) (?:is|are|was|were|has been|have been) already \w+.*",
    r"(?:我|我们|他|她|他们|咱们)(?!.{0,10}(?:要|希望|想|应))(?:.{0,20})?(?:已经?|刚刚?|刚才|早就)(?:.{0,40})(?:了|过)",
)
_LACKS: Final = patterns(
    rf"(?:.*[:：] ?)?(?:{TASKS}|it|this task|the task) (?:still |currently )?"
    r"(?:(?:has|have) no|lacks?(?: an?| any)?|(?:is|are) missing(?: an?| any)?"
    r"|(?:does|do)(?: not|n't) have(?: an?| any)?) "
    r"(?P<kind>acceptance(?: criteri(?:on|a))?|criteri(?:on|a)|requirements?|focus paths?)\b.*",
    rf"(?:.*[:：] ?)?{TASKS} ?(?:还|目前|仍)?(?:缺少|缺乏|没有|未定义|没写|缺)"
    r"(?:.{0,30}的)?(?P<kind>验收(?:标准|条件)|需求|要求|关注路径)(?:.{0,10})?",
)
_ONE: Final = patterns(
    r"(?:add|include|append|write) (?:one|it|that|this|a new one|some|them)(?: there)? ?[:：] ?"
    r"(?P<rest>.+)",
    r"(?:补上?|加上?|新增|增加|添加|补充)(?:一条|一个|一项|一下) ?[:：] ?(?P<rest>.+)",
)
_REST: Final = (
    r"(?:(?:please )?(?:keep|leave) (?:everything else|all else|(?:all )?the (?:rest|others?)|"
    r"(?:all |the )?other(?: things?| parts?| fields?)s?)(?: (?:as (?:it|they) (?:is|are)|as[- ]is|"
    r"unchanged|untouched|alone|the same|as (?:it|they) (?:was|were)))?"
    r"|(?:everything else|all else|the rest|nothing else) (?:stays?|remains?|changes?|is|should (?:"
    r"stay|remain|change))(?: (?:as (?:it )?(?:is|was)|the same|unchanged|untouched))?"
    r"|(?:with )?no other changes?|(?:do not|don't) (?:change|touch) anything else"
    r"|(?:其他|其它|其余)(?:的|内容|部分|字段|地方|东西)*(?:都|全部|均|一律)?(?:保持|维持)?"
    r"(?:不变|原样|不动|不用(?:改|动)|不要(?:改|动|变)|别(?:改|动)|照旧|如旧|没有变化)"
    r"|(?:保持|维持)(?:其他|其它|其余)(?:的|内容|部分|字段)*(?:不变|原样))"
)
_REST_ALONE: Final = Lazy(
    rf"{_REST}(?: ?[,，;；] ?(?:but |but only |just |只要?|但是?)?|\Z)", re.IGNORECASE
)
_REST_BEHIND: Final = Lazy(
    rf"(?: ?[,，;；] ?| (?=and |but ))(?:and |but |并且?|而|但是?)?{_REST}\Z", re.IGNORECASE
)
# "When a login fails, everything else stays the same" speaks of the product.
_IN_CASE: Final = Lazy(
    r"(?:when|whenever|if|unless|once|until|while|after|before|in case|as long as|for|on)\b[^,]*"
    r"|(?:如果|若|当|一旦)[^，,]*|[^，,]*(?:时|后|前|的话|情况下)",
    re.IGNORECASE,
)
_MOJIBAKE: Final = Lazy(r"锟斤拷|烫烫|屯屯|�|â€|Ã[©¨¼¤]|ï¿½")
_WORD_LIKE: Final = Lazy(r"[A-Za-z]{3,}")
_UNSAYABLE: Final = Lazy(
    r"q(?!u)[a-z]|[fghkmpqstvwxz]j|j[bcdfghklmnpqrtvwxz]|[bcdfghjklmnpqrvwz]x[bdfgjklmnqrsvz]"
    r"|z[bcdfgjkmnpqrstvxw]|[^aeiouy]{6}|^[^aeiouy]{4,}$|[sdfghjkl]{4}",
    re.IGNORECASE,
)
_DATA: Final = patterns(rf"[\[{{]+ ?{QUOTE} ?:.*[\]}}]")
_KINDS: Final[tuple[tuple[Patterns, Text], ...]] = (
    (_DATA, say("It is data; operations in JSON are read with --from.")),
    (_PRAISE, say("It asks for nothing.")),
    (_NOTHING, say("It asks for nothing.")),
    (_NOD, say("It asks for nothing.")),
    (_PLACEHOLDER, say("It is a placeholder.")),
    (_VAGUE, say("It does not say what is to change.")),
    (_THOUGHT, say("It is a thought, not yet a request.")),
    (_ALL, say("It speaks of all tasks; name those that are meant.")),
    (_BESIDE, say("It is not about what the task asks for.")),
    (_REPORT, say("It tells what was done, not what to do.")),
)
_NOISE: Final = say("It is no text that can be read.")


def why_idle(words: str) -> Text | None:
    """Returns why a statement asks for nothing, or None if it may ask for something."""
    bare = words.strip(" .,!?~。，！？～、…-")
    for tried, reason in _KINDS:
        if match_whole(tried, bare) is not None:
            return reason
    return _NOISE if is_noise(bare) else None


def takes_back(words: str) -> bool:
    """Tells whether a statement takes back what was said before it."""
    return match_whole(_TAKEN_BACK, words.strip(" .,!~。，！～…-")) is not None


def without_rest(words: str) -> str:
    """Takes "..., keep everything else as it is" off a statement; it changes nothing."""
    behind = _REST_BEHIND.search(words)
    if behind and _IN_CASE.fullmatch(words[: behind.start()]):
        return words
    words = words[: behind.start()] if behind else words
    before = _REST_ALONE.match(words)
    return words[before.end() :].strip() if before else words


def is_placeholder(words: str) -> bool:
    """Tells whether an entry stands for one that is not written yet, or cannot be read."""
    return match_whole(_PLACEHOLDER, words.strip(" .。")) is not None or is_noise(words)


def is_noise(words: str) -> bool:
    """Tells whether words are broken text or typed at random: none of them can be said."""
    if _MOJIBAKE.search(words):
        return True
    found = _WORD_LIKE.findall(words)
    if len(found) < 2 or any(sign > "\u02ff" and sign.isalpha() for sign in words):
        return False
    return all(_UNSAYABLE.search(word) for word in found if not word.isupper()) and any(
        not word.isupper() for word in found
    )


def lacking(words: str) -> str | None:
    """Returns what a statement says is missing from a task: the name of a list, or None."""
    found = match_whole(_LACKS, words)
    return found["kind"] if found else None


def one_of_it(words: str) -> str | None:
    """Returns what "add one: ..." adds to what was spoken of before, or None."""
    found = match_whole(_ONE, words)
    return found["rest"] if found else None
