"""The language of a person is chosen as gettext chooses it, and sentences are said in it."""

import subprocess
import sys

import pytest

from gitwfp.cli.language import chosen_language, translator
from gitwfp.errors import Text, say, say_n


@pytest.mark.parametrize(
    ("environ", "configured", "expected"),
    [
        ({}, None, "en"),
        ({"LANG": "zh_CN.UTF-8"}, None, "zh_CN"),
        ({"LANG": "zh_CN.UTF-8"}, "auto", "zh_CN"),
        ({"LANG": "zh_CN.UTF-8"}, "en", "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, None, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": ""}, None, "zh_CN"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "zh_CN"}, None, "zh_CN"),
        ({"LANG": "de_DE.UTF-8"}, None, "en"),
        ({"LANG": "zh_TW.UTF-8"}, None, "en"),
        ({"LANG": "zh_SG"}, None, "zh_CN"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "fr:zh_CN:en"}, None, "zh_CN"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "en:zh_CN"}, None, "en"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "fr"}, None, "zh_CN"),
        ({"LC_ALL": "C", "LANGUAGE": "zh_CN", "LANG": "zh_CN.UTF-8"}, None, "en"),
        ({"LC_ALL": "C.UTF-8", "LANGUAGE": "zh_CN"}, None, "en"),
        ({"LANG": "POSIX", "LANGUAGE": "zh_CN"}, None, "en"),
        ({"LANGUAGE": "zh_CN"}, None, "en"),
        ({"LC_ALL": "C"}, "zh_CN", "zh_CN"),
        ({"LC_ALL": "C", "WFP_UI_LANGUAGE": "zh-CN"}, "en", "zh_CN"),
        ({"LANG": "zh_CN.UTF-8", "WFP_UI_LANGUAGE": "auto"}, None, "zh_CN"),
        ({"LANG": "zh_CN.UTF-8", "WFP_UI_LANGUAGE": "tlh"}, None, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "tlh", "en"),
        ({"LANG": "zh_CN@pinyin"}, None, "zh_CN"),
        ({"LANG": "\x00:../../etc"}, "", "en"),
    ],
)
def test_the_language_is_the_first_wish_that_there_is(
    environ: dict[str, str], configured: str | None, expected: str
) -> None:
    """Variable, setting and locale are asked in this order, and what is unknown is English."""
    assert chosen_language(environ, configured) == expected


KNOWN = say("A value is missing here.")
COUNTED = (1, 2)


@pytest.mark.parametrize("language", ["en", "C", "", "tlh", "zh_TW"])
def test_english_is_the_language_of_all_others(language: str) -> None:
    """An unknown language gives the English sentence, plurals included."""
    speak = translator(language)
    assert speak(say("Task {task} is done.", task="IMPL-1")) == "Task IMPL-1 is done."
    assert [speak(say_n("{count} task.", "{count} tasks.", n)) for n in COUNTED] == [
        "1 task.",
        "2 tasks.",
    ]


def test_chinese_sentences_are_chinese() -> None:
    """A sentence of the catalogue is said in Chinese, also as a value of another one."""
    speak = translator("zh_CN")
    assert speak(KNOWN) == "此处缺少一个值。"
    assert speak(Text("Why: {reason}", {"reason": KNOWN})) == "Why: 此处缺少一个值。"


def test_sentences_without_translation_are_english() -> None:
    """A sentence that the catalogue does not know is said in English, with its values."""
    speak = translator("zh_CN")
    assert speak(Text("Nobody translated {this}.", {"this": "{that}"})) == (
        "Nobody translated {that}."
    )
    assert [speak(Text("{count} berth", {"count": n}, "{count} berths", n)) for n in COUNTED] == [
        "1 berth",
        "2 berths",
    ]


def test_english_costs_no_gettext() -> None:
    """Choosing and speaking English imports neither gettext nor what it brings along."""
    program = (
        "import sys; from gitwfp.cli.language import chosen_language, translator;"
        "from gitwfp.errors import say; translator(chosen_language({}))(say('Done.'));"
        "print(sorted({'gettext', 'locale', 'pathlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
