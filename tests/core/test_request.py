"""What the rules planner understands, in English and Chinese, and what changes nothing."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.errors import ExitCode, Refusal
from gitwfp.model import fields as f
from gitwfp.model.task import TaskId
from gitwfp.policy.operations import Scope, UpdateTask, scope_needed
from gitwfp.policy.request import mode_of, understand
from tests.core.asking import PLAN, ask, plan_of, task, told


def in_task(*lines: str) -> list[str]:
    """Returns facts of IMPL-3; those of others are written out."""
    own = ("title:", "exec:", "+", "-", "=", "req:", "acc:", "path:")
    return [f"IMPL-3 {line}" if line.startswith(own) else line for line in lines]


Case = tuple[str, Sequence[str]]

ENGLISH: tuple[Case, ...] = (
    # Requirements: the user's own words.
    ("Add rate limiting", ["+req: Add rate limiting"]),
    ("Please add rate limiting.", ["+req: Add rate limiting"]),
    ("Could you add rate limiting?", ["+req: Add rate limiting"]),
    ("- Add login\n- Add logout", ["+req: Add login", "+req: Add logout"]),
    ("requirement: remove the CSV export", ["+req: remove the CSV export"]),
    ("Do not remove the CSV export", ["left: Do not remove the CSV export"]),
    ("Do not remove the PDF export", ["+req: Do not remove the PDF export"]),
    ("never log tokens in plain text", ["+req: never log tokens in plain text"]),
    ("The API must never use X instead of Y", ["+req: The API must never use X instead of Y"]),
    ("Requests must pass through the proxy", ["+req: Requests must pass through the proxy"]),
    ("Split the settings page into tabs", ["+req: Split the settings page into tabs"]),
    ("Delete expired sessions every hour", ["+req: Delete expired sessions every hour"]),
    ("Set the title to the page name", ["+req: Set the title to the page name"]),
    ("rename the button to Save", ["+req: rename the button to Save"]),
    ("switch to dark mode", ["+req: switch to dark mode"]),
    ("depends on Redis", ["+req: depends on Redis"]),
    ("focus on performance", ["+req: focus on performance"]),
    ("Add rate limiting:\n- 5 a minute\n- 429", ["+req: Add rate limiting: 5 a minute; 429"]),
    ('Add a "remove; delete" button', ['+req: Add a "remove; delete" button']),
    # Acceptance criteria.
    (
        "Update acceptance criteria to include rate limiting",
        ["+req: Include rate limiting", "+acc: Must include rate limiting"],
    ),
    (
        "acceptance criteria should cover lockout and unlock",
        ["+req: Cover lockout and unlock", "+acc: Must cover lockout and unlock"],
    ),
    (
        'extend the acceptance criteria with "p95 below 200 ms"',
        ["+req: p95 below 200 ms", "+acc: p95 below 200 ms"],
    ),
    ("acceptance: 429 after 100 requests", ["+acc: 429 after 100 requests"]),
    ("Add acceptance criterion: mail is sent", ["+acc: mail is sent"]),
    ("acceptance: a is b; c is d", ["+acc: a is b", "+acc: c is d"]),
    ("All unit tests must pass", ["+acc: All unit tests must pass"]),
    ("must pass the lint check", ["+acc: must pass the lint check"]),
    ("Acceptance:\n- a\n- b\n\nAdd c", ["+req: Add c", "+acc: a", "+acc: b"]),
    # Paths.
    ("src/auth/logout.ts", ["+path: src/auth/logout.ts"]),
    ("focus on src/x, lib/ and `src/y.ts`", ["+path: src/x", "+path: lib/", "+path: src/y.ts"]),
    ("also in lib/", ["+path: lib/"]),
    (
        "Fix TCP/IP and a/b in src/net/tcp.c:42",
        ["+req: Fix TCP/IP and a/b in src/net/tcp.c:42", "+path: src/net/tcp.c"],
    ),
    (
        "Bump Node.js in package.json",
        ["+req: Bump Node.js in package.json", "+path: package.json"],
    ),
    ("Answer application/json at /api/users", ["+req: Answer application/json at /api/users"]),
    ("Do not touch src/legacy/old.ts", ["+req: Do not touch src/legacy/old.ts"]),
    # Dependencies.
    ("depends on IMPL-2", ["+dep: IMPL-2"]),
    ("It depends on IMPL-002 and impl-4", ["+dep: IMPL-2", "+dep: IMPL-4"]),
    ("after IMPL-2", ["+dep: IMPL-2"]),
    ("After IMPL-2, add rate limiting", ["+req: add rate limiting", "+dep: IMPL-2"]),
    ("no longer depends on IMPL-1", ["-dep: IMPL-1"]),
    ("remove IMPL-1 from its dependencies", ["-dep: IMPL-1"]),
    ("depends on IMPL-2 instead of IMPL-1", ["+dep: IMPL-2", "-dep: IMPL-1"]),
    ("only depends on IMPL-2", ["+dep: IMPL-2", "-dep: IMPL-1"]),
    # Title and execution.
    ("rename to Login and session", ["title: Login and session"]),
    ("title: Login page", ["title: Login page"]),
    ('change the title to "Sign in; sign out"', ["title: Sign in; sign out"]),
    ("Use Codex for execution", ["exec: codex"]),
    ("execute with gemini", ["exec: gemini"]),
    ("switch to agent", ["exec: agent"]),
    (
        "Add rate limiting and use codex for execution",
        ["exec: codex", "+req: Add rate limiting"],
    ),
    (
        "Document how to use codex for execution",
        ["+req: Document how to use codex for execution"],
    ),
    # Removals and replacements.
    ("remove the CSV export", ["-req: Export the list as CSV"]),
    ("we no longer need the csv export", ["-req: Export the list as CSV"]),
    (
        "drop the requirement Hash passwords with bcrypt",
        ["-req: Hash passwords with bcrypt"],
    ),
    ("remove the requirement about sessions", ["-req: Sessions expire after 30 minutes"]),
    ("remove src/legacy", ["-path: src/legacy"]),
    ("remove login.ts", ["-path: src/auth/login.ts"]),
    (
        "replace bcrypt with argon2",
        ["req: Hash passwords with bcrypt => Hash passwords with argon2"],
    ),
    (
        "Use argon2 instead of bcrypt",
        ["req: Hash passwords with bcrypt => Hash passwords with argon2"],
    ),
    (
        'replace "Do not log passwords" by "Never log secrets"',
        ["req: Do not log passwords => Never log secrets"],
    ),
    (
        "replace 5 failures with 3 failures",
        ["acc: Lock the account after 5 failures => Lock the account after 3 failures"],
    ),
    ("replace src/legacy with src/old", ["path: src/legacy => src/old"]),
    (
        "Change src/auth/login.ts to use argon2",
        ["+req: Change src/auth/login.ts to use argon2"],
    ),
    # Structure, said to a task.
    ("Split into login and session tasks", ["split IMPL-3 chain Login | Session"]),
    ("split this into A; B; and C", ["split IMPL-3 chain A | B | C"]),
    ("Split into:\n- Login\n- Session", ["split IMPL-3 chain Login | Session"]),
    ("delete", ["delete IMPL-3"]),
    ("drop this task because it is done elsewhere", ["delete IMPL-3"]),
    ("merge with IMPL-4", ["merge IMPL-3 + IMPL-4 = None"]),
    ("move before IMPL-2", ["move IMPL-3 before IMPL-2"]),
    (
        "Split into A and B. Add rate limiting.",
        ["+req: Add rate limiting", "split IMPL-3 chain A | B"],
    ),
    (
        "add a task: Audit log: log every login; acceptance: kept 90 days",
        ["create Audit log [req: log every login] [acc: kept 90 days]"],
    ),
    # What is not understood changes nothing.
    ("Should we use Redis?", ["left: Should we use Redis?"]),
    ("Add task filtering to the board", ["left: Add task filtering to the board"]),
    ("task: filtering", ["left: task: filtering"]),
    ("Acceptance:\n- a is b\n- add task: C d", ["+acc: a is b", "create C d"]),
    ("Requirements:\n- add task filtering", ["+req: add task filtering"]),
    ("don't delete IMPL-3", ["left: don't delete IMPL-3"]),
    ("If the token is old, delete IMPL-4", ["left: If the token is old, delete IMPL-4"]),
    (
        "consider splitting IMPL-3 into A; B",
        ["left: consider splitting IMPL-3 into A; B"],
    ),
    ("depends on IMPL-2 and Redis", ["left: depends on IMPL-2 and Redis"]),
    ("remove IMPL-1", ["left: remove IMPL-1"]),
    ("remove all requirements", ["left: remove all requirements"]),
    ("use gemini", ["left: use gemini"]),
    ("swap IMPL-3 and IMPL-4", ["left: swap IMPL-3 and IMPL-4"]),
    ("IMPL-4: add mail", ["left: add mail"]),
    ("depends on IMPL-1", ["left: depends on IMPL-1"]),
    ("hash passwords with bcrypt", ["left: hash passwords with bcrypt"]),
    ("/etc/passwd", ["left: /etc/passwd"]),
    ("12 34", ["left: 12 34"]),
    ("Out of scope:\n- Delete users", ["left: Out of scope", "left: Delete users"]),
    ("```\nrm -rf /\n```", ["left: rm -rf /"]),
    ("Thanks!", []),
    ("", []),
)

# One line for each kind of wording that the planner was taught after it was first measured.
WORDINGS: tuple[Case, ...] = (
    # Lists by name, added to, taken from, replaced.
    ("requirements: remove 'Export the list as CSV'", ["-req: Export the list as CSV"]),
    ("focus_paths: src/legacy -> src/old", ["path: src/legacy => src/old"]),
    ("remove src/legacy from the focus paths", ["-path: src/legacy"]),
    ("take src/legacy out of the focus paths", ["-path: src/legacy"]),
    ("add src/x.ts to the focus", ["+path: src/x.ts"]),
    (
        "Replace all acceptance criteria with: a is b; c is d",
        ["=acc: a is b", "=acc: c is d"],
    ),
    ("验收标准全部替换为：甲；乙", ["=acc: 甲", "=acc: 乙"]),
    ("验收标准加一条：返回 JSON", ["+acc: 返回 JSON"]),
    (
        'add requirement "a" and acceptance criterion "b"',
        ["+req: a", "+acc: b"],
    ),
    ("IMPL-3 is only accepted if the build is green", ["+acc: The build is green"]),
    ("完成的标志是构建通过", ["+acc: 构建通过"]),
    # Values.
    (
        "Sessions expire after 20 minutes instead of 30",
        ["req: Sessions expire after 30 minutes => Sessions expire after 20 minutes"],
    ),
    (
        "change the session lifetime from 30 minutes to 20 minutes",
        ["req: Sessions expire after 30 minutes => Sessions expire after 20 minutes"],
    ),
    (
        "session expiry: 30 -> 20 minutes",
        ["req: Sessions expire after 30 minutes => Sessions expire after 20 minutes"],
    ),
    (
        "raise the lockout to ten failures",
        ["acc: Lock the account after 5 failures => Lock the account after ten failures"],
    ),
    (
        "replace 401 with 403 for wrong passwords",
        ["acc: A wrong password answers 401 => A wrong password answers 403"],
    ),
    # What ends, what stays, what was said twice.
    ("no longer export the list as CSV", ["-req: Export the list as CSV"]),
    ("the CSV export is not needed any more, so remove it", ["-req: Export the list as CSV"]),
    ("Don't drop the CSV export", ["left: Don't drop the CSV export"]),
    ("swap bcrypt for scrypt", ["req: Hash passwords with bcrypt => Hash passwords with scrypt"]),
    # Dependencies and execution.
    ("depends on IMPL-2 as well", ["+dep: IMPL-2"]),
    ("can only start once IMPL-2 is done", ["+dep: IMPL-2"]),
    ("要等 IMPL-2 完成之后才能开始", ["+dep: IMPL-2"]),
    ("set depends_on to [IMPL-1, IMPL-2]", ["+dep: IMPL-2"]),
    ("needs IMPL-2 first", ["+dep: IMPL-2"]),
    ("no dependencies", ["-dep: IMPL-1"]),
    ("清空依赖", ["-dep: IMPL-1"]),
    ("run this one with codex", ["exec: codex"]),
    ("hand it over to gemini", ["exec: gemini"]),
    ("用 codex 跑", ["exec: codex"]),
    ("Don't use gemini for this one", ["left: Don't use gemini for this one"]),
    # Titles and whole tasks.
    ("should be called “Sign in and out”", ["title: Sign in and out"]),
    ("drop this task, we buy it now", ["delete IMPL-3"]),
    ("这个任务不需要了，直接删掉", ["delete IMPL-3"]),
    # What asks for nothing.
    ("Great progress so far", ["left: Great progress so far"]),
    ("辛苦了", ["left: 辛苦了"]),
    ("TBD", ["left: TBD"]),
    ("make it better", ["left: make it better"]),
    ("优化一下", ["left: 优化一下"]),
    ("asdkjh qwelkj zzxc", ["left: asdkjh qwelkj zzxc"]),
    ("锟斤拷烫烫烫", ["left: 锟斤拷烫烫烫"]),
    ("I already deleted the export", ["left: I already deleted the export"]),
    ("maybe add caching", ["left: maybe add caching"]),
    ("mark as done", ["left: mark as done"]),
    ("update the requirements", ["left: update the requirements"]),
    ("加上礼品包装，可以吗？", ["+req: 加上礼品包装"]),
    ("Hey team, could we please add caching?", ["+req: Add caching"]),
    (
        "IMPL-3 has no acceptance criterion for guests. Add one: guests see 403.",
        ["+acc: guests see 403", "left: IMPL-3 has no acceptance criterion for guests"],
    ),
)

CHINESE: tuple[Case, ...] = (
    ("增加限流", ["+req: 增加限流"]),
    ("请增加限流。", ["+req: 增加限流"]),
    ("能否增加限流？", ["+req: 增加限流"]),
    ("登录时校验密码，失败返回 401。", ["+req: 登录时校验密码，失败返回 401"]),
    ("需求：删除 CSV 导出", ["+req: 删除 CSV 导出"]),
    ("不要删除 CSV 导出", ["+req: 不要删除 CSV 导出"]),
    ("禁止明文记录密码", ["+req: 禁止明文记录密码"]),
    ("删除用户时要清理会话", ["+req: 删除用户时要清理会话"]),
    ("聚焦性能", ["+req: 聚焦性能"]),
    ("改用 Postgres", ["+req: 改用 Postgres"]),
    ("新增任务筛选功能", ["+req: 新增任务筛选功能"]),
    ("1、增加登录 2、增加退出", ["+req: 增加登录", "+req: 增加退出"]),
    ("增加限流：\n- 每分钟 5 次\n- 返回 429", ["+req: 增加限流：每分钟 5 次；返回 429"]),
    ("更新验收标准，包含限流", ["+req: 包含限流", "+acc: 必须包含限流"]),
    ("验收标准中加入登录锁定", ["+req: 包含登录锁定", "+acc: 必须包含登录锁定"]),
    ("把限流加入验收标准", ["+req: 包含限流", "+acc: 必须包含限流"]),
    ("验收：5 次失败后锁定", ["+acc: 5 次失败后锁定"]),
    ("验收标准：甲成立；乙成立", ["+acc: 甲成立", "+acc: 乙成立"]),
    ("必须通过所有认证测试", ["+acc: 必须通过所有认证测试"]),
    ("验收标准：\n- 甲\n- 乙\n\n增加日志", ["+req: 增加日志", "+acc: 甲", "+acc: 乙"]),
    ("重点关注 src/x 和 lib/", ["+path: src/x", "+path: lib/"]),
    ("也在 lib/ 中", ["+path: lib/"]),
    ("src/a/b.ts、src/a/c.ts", ["+path: src/a/b.ts", "+path: src/a/c.ts"]),
    ("依赖 IMPL-2", ["+dep: IMPL-2"]),
    ("依赖于 IMPL-2 和 IMPL-4", ["+dep: IMPL-2", "+dep: IMPL-4"]),
    ("在 IMPL-2 之后执行", ["+dep: IMPL-2"]),
    ("不再依赖 IMPL-1", ["-dep: IMPL-1"]),
    ("移除对 IMPL-1 的依赖", ["-dep: IMPL-1"]),
    ("依赖 IMPL-2 而不是 IMPL-1", ["+dep: IMPL-2", "-dep: IMPL-1"]),
    ("标题改为 登录与会话", ["title: 登录与会话"]),
    ("把标题改为“登录页面”", ["title: 登录页面"]),
    ("重命名为登录页面", ["title: 登录页面"]),
    ("改为 Agent 执行", ["exec: agent"]),
    ("使用 codex 执行", ["exec: codex"]),
    ("改用 gemini", ["exec: gemini"]),
    ("增加限流，并使用 codex 执行", ["exec: codex", "+req: 增加限流"]),
    ("删除需求 登录失败时记录审计日志", ["-req: 登录失败时记录审计日志"]),
    ("不再需要登录失败的审计日志", ["-req: 登录失败时记录审计日志"]),
    ("删除 src/legacy", ["-path: src/legacy"]),
    (
        "把 bcrypt 改为 argon2",
        ["req: Hash passwords with bcrypt => Hash passwords with argon2"],
    ),
    (
        "用 argon2 代替 bcrypt",
        ["req: Hash passwords with bcrypt => Hash passwords with argon2"],
    ),
    ("把超时时间改为 15 分钟", ["req: 超时时间为 30 分钟 => 超时时间为 15 分钟"]),
    ("拆分为登录和会话两个任务", ["split IMPL-3 chain 登录 | 会话"]),
    ("拆分为：\n- 登录\n- 会话", ["split IMPL-3 chain 登录 | 会话"]),
    ("删除", ["delete IMPL-3"]),
    ("删除该任务", ["delete IMPL-3"]),
    ("删除 IMPL-4，因为已经过时", ["delete IMPL-4"]),
    ("与 IMPL-4 合并", ["merge IMPL-3 + IMPL-4 = None"]),
    ("移到 IMPL-2 之前", ["move IMPL-3 before IMPL-2"]),
    (
        "新增任务：审计日志：记录每次登录；验收：条目可查",
        ["create 审计日志 [req: 记录每次登录] [acc: 条目可查]"],
    ),
    (
        "请增加限流。必须通过测试；依赖 IMPL-2",
        ["+req: 增加限流", "+acc: 必须通过测试", "+dep: IMPL-2"],
    ),
    # What is not understood changes nothing.
    ("要不要用 Redis？", ["left: 要不要用 Redis？"]),
    ("删除 IMPL-3 吗？", ["left: 删除 IMPL-3 吗？"]),
    ("不要删除 IMPL-3", ["left: 不要删除 IMPL-3"]),
    ("如果令牌过期，删除 IMPL-4", ["left: 如果令牌过期，删除 IMPL-4"]),
    ("取消 IMPL-3", ["left: 取消 IMPL-3"]),
    ("移除 IMPL-1", ["left: 移除 IMPL-1"]),
    ("IMPL-4：增加邮件", ["left: 增加邮件"]),
    ("删除所有需求", ["left: 删除所有需求"]),
    ("谢谢", []),
)

SESSION: tuple[Case, ...] = (
    (
        "extend the criteria of IMPL-3 to cover x",
        ["IMPL-3 +req: Cover x", "IMPL-3 +acc: Must cover x"],
    ),
    ("从 IMPL-3 的关注路径中移除 src/legacy", ["IMPL-3 -path: src/legacy"]),
    ("remove IMPL-1 from the dependencies of IMPL-3", ["IMPL-3 -dep: IMPL-1"]),
    ("IMPL-3.acceptance: append 'a is b'", ["IMPL-3 +acc: a is b"]),
    ("**IMPL-2**\n- a b\n\n**IMPL-4**\n- c d", ["IMPL-2 +req: a b", "IMPL-4 +req: c d"]),
    ("Changes to IMPL-2\n\nRequirements:\n- a b", ["IMPL-2 +req: a b"]),
    ("let codex run IMPL-2, and gemini IMPL-4", ["IMPL-2 exec: codex", "IMPL-4 exec: gemini"]),
    ("IMPL-2 and IMPL-4 both depend on IMPL-1", ["IMPL-2 +dep: IMPL-1", "IMPL-4 +dep: IMPL-1"]),
    ("put IMPL-4 ahead of IMPL-2 in the list", ["move IMPL-4 before IMPL-2"]),
    ("drop IMPL-4, we have no mail server", ["delete IMPL-4"]),
    ("IMPL-4 不做了，改由别的系统发送", ["delete IMPL-4"]),
    ("kill IMPL-4", ["left: kill IMPL-4"]),
    ("IMPL-4 is too big, split it", ["left: IMPL-4 is too big, split it"]),
    ("Rename IMPL-2 to A and IMPL-4 to B", ["left: Rename IMPL-2 to A and IMPL-4 to B"]),
    ("make IMPL-4 the last task", ["left: make IMPL-4 the last task"]),
    ("use codex for all but IMPL-1", ["left: use codex for all but IMPL-1"]),
    ("delete IMPL-3", ["delete IMPL-3"]),
    ("drop tasks IMPL-3, IMPL-4 and IMPL-5", ["delete IMPL-3", "delete IMPL-4", "delete IMPL-5"]),
    ("split IMPL-2 into A; B", ["split IMPL-2 chain A | B"]),
    (
        "split IMPL-2 into Parser, Writer and Reader in parallel. Must pass lint.",
        ["IMPL-2 +acc: Must pass lint", "split IMPL-2 parallel Parser | Writer | Reader"],
    ),
    (
        "split IMPL-2 into Login: check it; Session: store it; delete IMPL-4",
        ["split IMPL-2 chain Login: check it | Session: store it", "delete IMPL-4"],
    ),
    ("merge IMPL-2 and IMPL-3", ["merge IMPL-2 + IMPL-3 = None"]),
    ("merge IMPL-2 and IMPL-3 into one task", ["merge IMPL-2 + IMPL-3 = None"]),
    ("merge IMPL-2 with IMPL-3 into API and login", ["merge IMPL-2 + IMPL-3 = API and login"]),
    ("merge IMPL-2 into IMPL-3", ["merge IMPL-2 + IMPL-3 = Sign in"]),
    ("move IMPL-4 before IMPL-2", ["move IMPL-4 before IMPL-2"]),
    ("move IMPL-5 after IMPL-1", ["move IMPL-5 before IMPL-2"]),
    ("move IMPL-4 after IMPL-5", ["left: move IMPL-4 after IMPL-5"]),
    ("add task write docs", ["create Write docs"]),
    ('create a new task called "Audit log"', ["create Audit log"]),
    ("add tasks Alpha; Beta", ["create Alpha", "create Beta"]),
    (
        "add task Audit log, depends on IMPL-2, acceptance: kept 90 days",
        ["create Audit log [acc: kept 90 days] [dep: IMPL-2]"],
    ),
    (
        "add a task for audit logging after IMPL-2",
        ["create Audit logging [dep: IMPL-2] [after: IMPL-2]"],
    ),
    (
        "Add task Audit log:\n- log every login\n- Acceptance:\n  - kept\n- src/audit/log.ts",
        ["create Audit log [req: log every login] [acc: kept] [path: src/audit/log.ts]"],
    ),
    (
        "add task Clean up: remove dead code; delete old logs",
        ["create Clean up [req: remove dead code | delete old logs]"],
    ),
    ("create task IMPL-9: Audit log", ["create Audit log [id: IMPL-9]"]),
    # Several statements about whole tasks.
    ("add task: A b; add task: C d", ["create A b", "create C d"]),
    ("add task: A b;add task: C d", ["create A b", "create C d"]),
    ("add task: A b；another task: C d", ["create A b", "create C d"]),
    (
        "add task: A b: x y; acceptance: z; add task: C d: w",
        ["create A b [req: x y] [acc: z]", "create C d [req: w]"],
    ),
    ('add task "A" and "B"', ["create A", "create B"]),
    ("add tasks:\n- A b: x y\n- C d", ["create A b [req: x y]", "create C d"]),
    ("add two tasks: A; B; C", ["left: add two tasks: A; B; C"]),
    ("new task: A b; we need to add task: C d", ["create A b", "create C d"]),
    ("add task: A b; add sub-task: C d", ["create A b", "left: add sub-task: C d"]),
    ("add task: A b; the goal is now to ship ice", ["create A b", "session Ship ice"]),
    ("a) add task: A b; b) delete IMPL-4", ["create A b", "delete IMPL-4"]),
    ("IMPL-4: support a) gzip and b) brotli", ["IMPL-4 +req: support a) gzip and b) brotli"]),
    ("delete IMPL-4; IMPL-5", ["delete IMPL-4", "delete IMPL-5"]),
    ("delete IMPL-4 & add task: A b", ["delete IMPL-4", "create A b"]),
    (
        "delete IMPL-1, merge IMPL-4 and IMPL-5, add task: A b, move IMPL-3 before IMPL-2",
        [
            "delete IMPL-1",
            "merge IMPL-4 + IMPL-5 = None",
            "create A b",
            "move IMPL-3 before IMPL-2",
        ],
    ),
    ("split IMPL-4 into A; B; add task: C", ["split IMPL-4 chain A | B", "create C"]),
    ("split IMPL-4 into:\n- A\n- B\nadd task: C", ["split IMPL-4 chain A | B", "create C"]),
    ("IMPL-4: be fast:\n- 5 ms\n- add task: C", ["IMPL-4 +req: be fast: 5 ms", "create C"]),
    (
        "add task: Clean up: move files; drop tables",
        ["create Clean up [req: move files | drop tables]"],
    ),
    ("新增任务：甲；新增任务：乙", ["create 甲", "create 乙"]),
    ("新增任务：甲：快；我们还需要新增任务：乙", ["create 甲 [req: 快]", "create 乙"]),
    ("①新增任务：甲②删除 IMPL-4", ["create 甲", "delete IMPL-4"]),
    ("新增任务如下：甲；乙", ["create 甲", "create 乙"]),
    ("新增三个任务：甲、乙", ["left: 新增三个任务：甲、乙"]),
    ("拆分 IMPL-4 为甲；乙；新增任务：丙", ["split IMPL-4 chain 甲 | 乙", "create 丙"]),
    ("create task IMPL-3: Audit log", ["left: create task IMPL-3: Audit log"]),
    ("delete IMPL-3 and add task Logging", ["delete IMPL-3", "create Logging"]),
    (
        "IMPL-3: add x; must pass lint; IMPL-4: add y",
        ["IMPL-3 +req: add x", "IMPL-3 +acc: must pass lint", "IMPL-4 +req: add y"],
    ),
    (
        "IMPL-3 and IMPL-4: must pass lint",
        ["IMPL-3 +acc: must pass lint", "IMPL-4 +acc: must pass lint"],
    ),
    ("IMPL-3 depends on IMPL-2", ["IMPL-3 +dep: IMPL-2"]),
    ("make IMPL-3 depend on IMPL-2", ["IMPL-3 +dep: IMPL-2"]),
    (
        "In IMPL-2, add retries. Add tests to IMPL-4. Log it.",
        ["IMPL-2 +req: add retries", "IMPL-4 +req: Add tests", "left: Log it"],
    ),
    (
        "## IMPL-3\n\n### Acceptance\n- a\n- b\n\n## IMPL-4\nAdd retries.",
        ["IMPL-3 +acc: a", "IMPL-3 +acc: b", "IMPL-4 +req: Add retries"],
    ),
    ("Rename IMPL-3 to Login", ["IMPL-3 title: Login"]),
    ("IMPL-3 needs tests", ["IMPL-3 +req: IMPL-3 needs tests"]),
    ("depends on IMPL-2", ["left: depends on IMPL-2"]),
    ("use the login of IMPL-2 in IMPL-3", ["left: use the login of IMPL-2 in IMPL-3"]),
    ("Add 2FA support", ["left: Add 2FA support"]),
    ('add task "Clean up after IMPL-3"', ["create Clean up after IMPL-3"]),
    ("删除 IMPL-3 和 IMPL-4", ["delete IMPL-3", "delete IMPL-4"]),
    ("把 IMPL-2 拆分为 A 和 B", ["split IMPL-2 chain A | B"]),
    ("把IMPL-2拆分为解析、写入和读取三个任务，并行", ["split IMPL-2 parallel 解析 | 写入 | 读取"]),
    ("合并 IMPL-2 和 IMPL-3", ["merge IMPL-2 + IMPL-3 = None"]),
    ("把 IMPL-2 和 IMPL-3 合并为“登录”", ["merge IMPL-2 + IMPL-3 = 登录"]),
    ("把 IMPL-4 移到 IMPL-2 之前", ["move IMPL-4 before IMPL-2"]),
    ("将 IMPL-5 移动到 IMPL-3 后面", ["move IMPL-5 before IMPL-4"]),
    ("新增任务 审计日志", ["create 审计日志"]),
    ("创建一个新任务“审计；日志”", ["create 审计；日志"]),
    ("新增任务 审计日志，依赖 IMPL-2", ["create 审计日志 [dep: IMPL-2]"]),
    ("删除IMPL-3，并新增任务：日志", ["delete IMPL-3", "create 日志"]),
    ("IMPL-3 依赖 IMPL-2", ["IMPL-3 +dep: IMPL-2"]),
    ("将IMPL-3的标题改为登录", ["IMPL-3 title: 登录"]),
    ("给 IMPL-3 增加限流；IMPL-4：增加重试", ["IMPL-3 +req: 增加限流", "IMPL-4 +req: 增加重试"]),
    ("IMPL-2 完成后执行 IMPL-3", ["left: IMPL-2 完成后执行 IMPL-3"]),
    ("增加双因素认证", ["left: 增加双因素认证"]),
)


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_english_requests_to_a_task(text: str, expected: list[str]) -> None:
    """English words said to a task are read as what they mean, or change nothing."""
    assert told(ask(text)) == in_task(*expected)


@pytest.mark.parametrize(("text", "expected"), WORDINGS)
def test_other_wordings(text: str, expected: list[str]) -> None:
    """The same things said in other words mean the same."""
    assert told(ask(text)) == in_task(*expected)


@pytest.mark.parametrize(("text", "expected"), CHINESE)
def test_chinese_requests_to_a_task(text: str, expected: list[str]) -> None:
    """Chinese words said to a task are read as what they mean, or change nothing."""
    assert told(ask(text)) == in_task(*expected)


@pytest.mark.parametrize(("text", "expected"), SESSION)
def test_requests_to_a_session(text: str, expected: list[str]) -> None:
    """Without a task beside the text, statements have to say which task they mean."""
    assert told(ask(text, None)) == expected


@pytest.mark.parametrize(
    ("text", "about", "code"),
    [
        ("remove the PDF watermark", "IMPL-3", ExitCode.REFUSED),
        ("remove log passwords", "IMPL-3", ExitCode.REFUSED),
        ("replace MD5 by SHA-256", "IMPL-3", ExitCode.REFUSED),
        ("replace the CSV export with PDF", "IMPL-3", ExitCode.REFUSED),
        ("Use tabs instead of spaces", "IMPL-3", ExitCode.REFUSED),
        ("移除 PDF 水印", "IMPL-3", ExitCode.REFUSED),
        ("把颜色改为蓝色", "IMPL-3", ExitCode.REFUSED),
        ("delete IMPL-9", None, ExitCode.NOT_FOUND),
        ("IMPL-9: add x", None, ExitCode.NOT_FOUND),
        ("move IMPL-4 before IMPL-9", None, ExitCode.NOT_FOUND),
        ("depends on IMPL-9", "IMPL-3", ExitCode.NOT_FOUND),
        ("anything", "IMPL-9", ExitCode.NOT_FOUND),
        ("use aider for execution", "IMPL-3", ExitCode.USAGE),
        ("使用 aider 执行", "IMPL-3", ExitCode.USAGE),
        ("execute with claude", "IMPL-3", ExitCode.USAGE),
        ("run IMPL-3 with aider", None, ExitCode.USAGE),
        ("delete it. Add rate limiting.", "IMPL-3", ExitCode.USAGE),
        ("delete IMPL-3; split IMPL-3 into A; B", None, ExitCode.USAGE),
        ("Use codex for execution. Use gemini for execution.", "IMPL-3", ExitCode.USAGE),
        ("rename to A. rename to B.", "IMPL-3", ExitCode.USAGE),
        ("depends on IMPL-2. no longer depends on IMPL-2", "IMPL-3", ExitCode.USAGE),
        ("改用 codex。改用 gemini。", "IMPL-3", ExitCode.USAGE),
    ],
)
def test_what_cannot_be_done_is_refused(text: str, about: str | None, code: ExitCode) -> None:
    """A removal that fits nothing, an unknown task and a tool that is not enabled are refused."""
    with pytest.raises(Refusal) as refused:
        ask(text, about)
    assert refused.value.exit_code is code


def test_a_refused_removal_shows_the_nearest_entries() -> None:
    """The refusal names what there is, the most alike first, and how to say it otherwise."""
    with pytest.raises(Refusal) as refused:
        ask("remove the PDF export")
    details = [str(each.message) for each in refused.value.details]
    assert details[0] == "requirements: Export the list as CSV"
    assert "requirement: ..." in str(refused.value.hint)


def test_a_removal_that_fits_two_entries_is_refused() -> None:
    """Two entries that fit about as well are both shown, and neither goes."""
    plan = plan_of(task("T1", "x", requirements=("Mail every login", "Mail each login")))
    with pytest.raises(Refusal) as refused:
        understand("remove the login mail", plan, task=TaskId("T1"), tools=(), known_paths=bool)
    assert len(refused.value.details) == 2


def test_a_requirement_and_its_criterion_go_together() -> None:
    """What was asked for and looked at in one statement is taken back in one statement."""
    lists = {
        f.REQUIREMENTS: ("Include rate limiting",),
        f.ACCEPTANCE: ("Must include rate limiting",),
    }
    plan = plan_of(task("T1", "x", **lists))
    found = understand(
        "we no longer need rate limiting", plan, task=TaskId("T1"), tools=(), known_paths=bool
    )
    assert told(found) == [
        "T1 -req: Include rate limiting",
        "T1 -acc: Must include rate limiting",
    ]


def test_the_enabled_tools_are_listed() -> None:
    """A tool that is not enabled is answered with those that are, the agent first."""
    with pytest.raises(Refusal) as refused:
        ask("使用 claude 执行")
    assert "agent, codex, gemini" in str(refused.value.message)


@pytest.mark.parametrize(
    ("update_type", "expected"),
    [
        (None, ["+req: Cache the answer", "left: step: write a test"]),
        ("requirements", ["+req: Cache the answer", "left: step: write a test"]),
        ("all", ["+req: Cache the answer", "+step: write a test"]),
        ("implementation", ["+step: Cache the answer", "+step: write a test"]),
    ],
)
def test_steps_change_only_when_asked_for(update_type: str | None, expected: list[str]) -> None:
    """Implementation steps are added with the update type that says so, and never otherwise."""
    found = ask("Cache the answer. step: write a test", update_type=update_type)
    assert told(found) == in_task(*expected)


def test_an_execution_intent_changes_no_step() -> None:
    """Who executes a task is no step of it, whatever the update type."""
    assert told(ask("use codex for execution", update_type="all")) == ["IMPL-3 exec: codex"]


def test_one_task_gets_one_update_in_the_order_of_first_mention() -> None:
    """What is said of a task in several places becomes one operation where it was first named."""
    found = ask("IMPL-4: add a. delete IMPL-5. IMPL-2: add b. IMPL-4 depends on IMPL-1", None)
    assert told(found) == [
        "IMPL-4 +req: add a",
        "IMPL-4 +dep: IMPL-1",
        "delete IMPL-5",
        "IMPL-2 +req: add b",
    ]


def test_operations_carry_the_words_that_caused_them() -> None:
    """Each operation says in the request's words and in short why it is there."""
    found = ask("Add rate limiting; depends on IMPL-2. delete IMPL-4 because mail is out", "IMPL-3")
    update, delete = found.operations
    assert update.words == "Add rate limiting; depends on IMPL-2"
    assert update.reason == "adds a requirement, adds a dependency"
    assert delete.words == "delete IMPL-4 because mail is out"
    assert delete.reason == "mail is out"


def test_leftovers_say_why() -> None:
    """What is left out comes with its words and a sentence."""
    (leftover,) = ask("Should we cache?").leftovers
    assert (leftover.words, str(leftover.reason)) == ("Should we cache?", "It is a question.")


def test_what_was_concluded_is_told() -> None:
    """Mode, scope, task changes and new paths are told, each with its cause."""
    found = ask("split IMPL-2 into A; B", None)
    assert [str(text) for text in found.derived] == [
        "It is about IMPL-2, the only task that it names.",
        "The scope is task_restructure: the request says 'split IMPL-2 into A; B'.",
        "Task changes include merge_split: the request says 'split IMPL-2 into A; B'.",
    ]
    paths = ask("focus on src/new.ts and lib/")
    assert [str(text) for text in paths.derived] == [
        "The path src/new.ts is new: the tree does not have it."
    ]


@pytest.mark.parametrize(
    ("text", "mode", "tasks"),
    [
        ("IMPL-3 needs tests", "task", ["IMPL-3"]),
        ("impl-003 needs tests", "task", ["IMPL-3"]),
        ("`IMPL-3` needs tests", "task", ["IMPL-3"]),
        ("把IMPL-3拆开", "task", ["IMPL-3"]),
        ("IMPL-3, and again IMPL-03.", "task", ["IMPL-3"]),
        ("IMPL-4 before IMPL-2", "session", ["IMPL-4", "IMPL-2"]),
        ("Add 2FA", "session", []),
        ("IMPL-9 is not there", "session", []),
        ("see IMPL-3.json", "session", []),
        ("see src/IMPL-3/a.ts", "session", []),
        ("an IMPL-3-like task", "session", []),
        ("xIMPL-3", "session", []),
        ("`grep IMPL-3 -r .`", "session", []),
        ('call it "Clean up after IMPL-3"', "session", []),
        ('"IMPL-3: add tests"', "task", ["IMPL-3"]),
        ("", "session", []),
    ],
)
def test_the_mode_follows_from_the_tasks_named(text: str, mode: str, tasks: list[str]) -> None:
    """One task makes task mode, none or several session mode; names inside other words are none."""
    assert mode_of(text, PLAN) == (mode, tuple(tasks))


def test_an_ambiguous_id_names_no_task() -> None:
    """An id that fits two tasks but for zero padding is not guessed at."""
    plan = plan_of(task("IMPL-01", "a"), task("IMPL-001", "b"))
    assert mode_of("IMPL-1", plan) == ("session", ())
    with pytest.raises(Refusal):
        understand("delete IMPL-1", plan, task=None, tools=(), known_paths=bool)


def test_ids_without_a_number_are_words() -> None:
    """A task called by a plain word is meant only in quotes of its own or behind "task"."""
    plan = plan_of(task("auth", "Sign in"))
    assert mode_of("fix auth", plan) == ("session", ())
    assert mode_of("fix task auth", plan) == ("task", ("auth",))
    assert mode_of("fix `auth`", plan) == ("task", ("auth",))


PIECES = st.sampled_from(
    [
        "delete",
        "split",
        "merge",
        "remove",
        "add",
        "rename",
        "move",
        "删除",
        "拆分",
        "依赖",
        "把",
        "IMPL-3",
        "IMPL-4",
        "IMPL-9",
        "into",
        "and",
        "with",
        "to",
        "before",
        "task",
        "title",
        "acceptance",
        "requirement",
        "depends",
        "on",
        "no",
        "longer",
        "instead",
        "of",
        "if",
        "not",
        "CSV",
        "src/auth/login.ts",
        "改为",
        "和",
        "为",
        "任务",
        "验收",
        "：",
        "，",
        "。",
        ":",
        ";",
        ",",
        ".",
        "?",
        "\n",
        "-",
        "#",
        '"',
        "`",
        "(",
        ")",
        "codex",
        "执行",
    ]
)


@given(st.one_of(st.text(max_size=120), st.lists(PIECES, max_size=14).map(" ".join)))
def test_any_text_is_understood_or_refused(text: str) -> None:
    """No text breaks the planner: it answers, or refuses with a reason."""
    for about in ("IMPL-3", None):
        try:
            found = ask(text, about)
        except Refusal as refusal:
            assert str(refusal.message)
            continue
        updated = [each.task for each in found.operations if isinstance(each, UpdateTask)]
        assert len(updated) == len(set(updated))
        assert all(each.words and each.reason for each in found.operations)
        assert all(each.words and str(each.reason) for each in found.leftovers)
        assert found == ask(text, about)


@given(st.lists(PIECES, max_size=10).map(" ".join))
def test_a_hedge_never_restructures(text: str) -> None:
    """Behind "if" and "do not" no task is ever added, deleted, split, merged or moved."""
    line = " ".join(text.replace(".", " ").replace("。", " ").split("\n"))
    line = line.replace(";", " ").replace("?", " ").replace("：", " ").replace(":", " ")
    for hedge in ("if it fails ", "do not ", "如果失败，", "不要 "):
        try:
            found = ask(hedge + line)
        except Refusal:
            continue
        scopes = {scope_needed(each) for each in found.operations}
        assert scopes <= {Scope.TASKS_ONLY}


@given(st.text(alphabet="abc ,.\n", max_size=60))
def test_words_without_a_task_change_nothing(text: str) -> None:
    """Prose that names no task changes nothing in session mode."""
    assert ask(text, None).operations == ()


def test_long_requests_take_no_time() -> None:
    """Text made to be slow to read is left out or read, and never runs away."""
    for text in (
        "，" * 1999,
        "把" * 1999,
        "(" * 50_000,
        "`a " * 20_000,
        "replace a with " * 130,
        "十" * 1990,
    ):
        found = ask(text, None)
        assert found.operations == ()
