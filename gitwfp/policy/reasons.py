"""Reasons that the product gives for an operation, in words for whoever reads them.

`Operation.reason` is English text in every document. Where it is one of our own sentences it also
remembers which, so that a terminal can say it in its own language; a person's words stay theirs.

    >>> reason = Because(say("the request adds it"))
    >>> reason == "the request adds it", said(reason), said("asked for")
    (True, Text(template='the request adds it', values={}, plural=None, count=1), 'asked for')
"""

from collections.abc import Iterable
from typing import Self

from gitwfp.errors import Text, say


class Because(str):
    """A reason of ours: its English text, and the sentence that it is.

    Attributes:
        text: The sentence.
    """

    __slots__ = ("text",)

    text: Text

    def __new__(cls, text: Text) -> Self:
        """Returns the reason that a sentence states."""
        made = super().__new__(cls, str(text))
        made.text = text
        return made


def said(reason: str) -> Text | str:
    """Returns a reason as it is to be shown: a sentence of ours, else the words as they are."""
    return reason.text if isinstance(reason, Because) else reason


def together(reasons: Iterable[Text | str]) -> Text | str:
    """Returns several sentences, or parts of one, as one text; "" for none."""
    first, *rest = reasons or ("",)
    whole = first
    for other in rest:
        whole = say("{one}, {other}", one=whole, other=other)
    return whole
