"""Topics: words that belong together though no letter says so, in both languages.

They find the neighbours of something new ("2FA" is near a task that signs people in). They never
decide which task a statement is about: for that its own words have to be there.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from gitwfp.model.words import terms_of

_TOPICS: Final = """
auth authentication authorization login logout sign signin signup
  password token session credential 2fa mfa totp otp oauth sso saml
  passkey jwt role permission captcha 登录 登出 注册 认证 鉴权 验证码 密码 令牌 权限 双因素
  多因素 单点登录 账号 账户
pay payment card stripe refund invoice charge billing checkout
  subscription 支付 付款 退款 发票 结账 扣款 订阅 账单
mail email smtp notification newsletter sms push 邮件 邮箱 通知 短信 推送 消息
api endpoint rest graphql rpc route openapi webhook client sdk 接口 路由
  端点 网关
page form button web ui frontend component css layout theme dark
  mobile screen 页面 表单 前端 界面 按钮 组件 主题 布局 移动端
database table schema migration sql index db orm storage 数据库 数据表 表结构
  迁移 索引 存储
doc docs document documentation guide readme manual tutorial 文档 手册 指南
  教程
test tests testing coverage e2e benchmark 测试 覆盖率 压测 基准
deploy deployment ci docker kubernetes release pipeline container 部署
  发布 容器 流水线
log logging monitor monitoring metric trace audit alert 日志 监控 指标 审计 告警
  追踪
cache redis performance latency throttle limit rate 缓存 性能 延迟 限流
search filter query sort paging pagination 搜索 检索 筛选 查询 排序 分页
export import csv pdf excel report download upload file 导出 导入 报表 下载 上传
  附件 文件
order cart basket product customer buyer shop loyalty wishlist coupon
  discount gift return shipping delivery 订单 购物车 商品 客户 会员 积分 优惠 收藏 礼品 退货
  物流 配送 运费
user profile account avatar settings preference 用户 个人资料 头像 设置 偏好
"""


@cache
def _groups() -> tuple[frozenset[str], ...]:
    lines = _TOPICS.replace("\n  ", " ").split("\n")
    return tuple(frozenset(terms_of(words)) for words in lines if words)


def topics_of(terms: Iterable[str]) -> dict[int, int]:
    """Returns the topics that some terms belong to, each with how many of them do."""
    held = frozenset(terms)
    counts = ((number, len(held & group)) for number, group in enumerate(_groups()))
    return {number: count for number, count in counts if count}
