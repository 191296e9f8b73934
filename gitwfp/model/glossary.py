"""Words that mean the same in English and Chinese, so that either finds a task in the other."""

from functools import cache
from typing import Final

from gitwfp.model.words import terms_of

_PAIRS: Final = """
account 账号 账户 帐号 帐户
address 地址
api endpoint 接口
audit 审计
authentication 认证 鉴权
button 按钮
cache 缓存
cart basket 购物车
comment 评论
coupon 优惠券
customer 客户 顾客
database 数据库
delete 删除
deploy deployment 部署
discount 折扣
documentation document docs 文档
download 下载
error 错误
export 导出
form 表单
guest 游客
image picture 图片
import 导入
invoice 发票
language 语言
log 日志
mail email 邮件
menu 菜单
message 消息
migration 迁移
monitor monitoring 监控
notification notify 通知
order 订单
page 页面
pagination paging 分页
password 密码
payment pay 支付 付款
performance 性能
permission 权限
price 价格
product 商品 产品
refund 退款
register registration signup 注册
report 报表
retry 重试
role 角色
search 搜索 检索
session 会话
shipping delivery 配送 运输
shop store 商城 商店
signin login 登录
stock inventory 库存
subscription 订阅
table 表格
tax 税费 税
test 测试
theme 主题
timeout 超时
token 令牌
translation 翻译
upload 上传
user 用户
version 版本
weight 重量
"""


@cache
def _known() -> tuple[dict[str, str], tuple[str, ...]]:
    """Returns what each stem and Chinese word means, and the Chinese ones, longest first."""
    meanings: dict[str, str] = {}
    wide: list[str] = []
    for line in _PAIRS.split("\n"):
        words = line.split()
        for word in words:
            if word.isascii():
                meanings.update(dict.fromkeys(terms_of(word), f"#{words[0]}"))
            else:
                meanings[word] = f"#{words[0]}"
                wide.append(word)
    return meanings, tuple(sorted(wide, key=len, reverse=True))


def meanings_of(text: str) -> tuple[str, ...]:
    """Returns what a text is searched by: what its words mean in either language.

    Args:
        text: The text.

    Returns:
        Known words by what they mean, the others as stems and pairs of Chinese characters.
    """
    meanings, wide = _known()
    found: list[str] = []
    rest = text.replace("sign in", "signin").replace("sign-in", "signin").replace("e-mail", "email")
    for word in wide:
        if word in rest:
            found.append(meanings[word])
            rest = rest.replace(word, " ")
    return (*found, *(meanings.get(term, term) for term in terms_of(rest)))
