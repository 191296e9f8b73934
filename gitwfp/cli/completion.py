"""What a shell is answered that completes, whoever has understood the words."""

from collections.abc import Iterator, Sequence

from gitwfp.cli import aids
from gitwfp.cli.app import App, Result
from gitwfp.cli.completing import candidates, unquoted, words_of_commands
from gitwfp.cli.livewords import LiveWords
from gitwfp.cli.look import Look
from gitwfp.errors import Text


def complete_words(app: App, words: Sequence[str], *, quoted: bool) -> Result:
    """Answers `git wfp complete`.

    Args:
        app: The surroundings.
        words: The words after `git wfp`, the last one as far as it is typed.
        quoted: Whether they are as typed, with quotes.
    """
    meant = [unquoted(word) for word in words] if quoted else list(words)
    found = candidates(meant, words_of_commands(), LiveWords(app.folder, app.environ, app.now))

    def lines(look: Look) -> Iterator[str]:
        for word, told in found:
            yield word
            yield look.say(told) if isinstance(told, Text) else told

    data = aids.Candidates(tuple(aids.Candidate(word, str(told)) for word, told in found))
    return Result(data, lines)
