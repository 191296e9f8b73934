"""Chooses the language of a person and says sentences in it.

Only what a terminal shows is translated. Identifiers, JSON and everything that is written into the
repository go past this module.

Example:
    >>> from gitwfp.errors import say
    >>> language = chosen_language({"LANG": "zh_CN.UTF-8"})
    >>> language
    'zh_CN'
    >>> translator("en")(say("Task {task} is done.", task="IMPL-1"))
    'Task IMPL-1 is done.'
"""

import os
from collections.abc import Callable, Mapping

from gitwfp.errors import Text

Translator = Callable[[Text], str]

ENGLISH = "en"
CHINESE = "zh_CN"
DOMAIN = "gitwfp"
# Also the names under which Simplified Chinese goes elsewhere; Traditional Chinese is not it.
_SIMPLIFIED = {"zh", "zh_cn", "zh_sg", "zh_hans", "zh_hans_cn", "zh_hans_sg"}


def chosen_language(environ: Mapping[str, str], configured: str | None = None) -> str:
    """Returns the language to speak: `en` or `zh_CN`.

    Args:
        environ: The environment. `WFP_UI_LANGUAGE` wins over everything; the locale is the first
            of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty, and as in GNU gettext the
            list in `LANGUAGE` goes before it unless the locale is C.
        configured: The setting `ui.language`; None, empty or `auto` leave it to the locale.

    Returns:
        The first of the wished languages that there is, else English.
    """
    for wish in (environ.get("WFP_UI_LANGUAGE"), configured):
        if wish and wish != "auto":
            return _known(wish) or ENGLISH
    locale = next(filter(None, map(environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "C")
    if _normal(locale) in {"c", "posix"}:
        return ENGLISH
    wishes = [*environ.get("LANGUAGE", "").split(":"), locale]
    return next(filter(None, map(_known, wishes)), ENGLISH)


def translator(language: str) -> Translator:
    """Returns what says a sentence in a language; an unknown language is English.

    A value that is itself a `Text` is said in the same language.
    """
    if _known(language) != CHINESE:
        return str

    import gettext

    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "locale")
    catalogue = gettext.translation(DOMAIN, folder, languages=[CHINESE])

    def speak(text: Text) -> str:
        if text.plural is None:
            template = catalogue.gettext(text.template)
        else:
            template = catalogue.ngettext(text.template, text.plural, text.count)
        values = {
            name: speak(value) if isinstance(value, Text) else value
            for name, value in text.values.items()
        }
        return template.format(**values)

    return speak


def _normal(locale: str) -> str:
    """Returns a locale without codeset and modifier: `zh-CN.UTF-8@x` is `zh_cn`."""
    return locale.partition("@")[0].partition(".")[0].replace("-", "_").lower()


def _known(wish: str) -> str | None:
    """Returns the language that a locale or setting means, None if we do not speak it."""
    name = _normal(wish)
    if name in _SIMPLIFIED:
        return CHINESE
    if name.partition("_")[0] == ENGLISH or name in {"c", "posix"}:
        return ENGLISH
    return None
