"""The entry point `git-wfp`: what is asked all day is answered from memory, all else by `cli`.

Nothing is worked out here. The answer of a command that only looks is remembered, byte for byte,
together with everything on disk that it was made from (`gitwfp.git.witness`) and every word and
variable that can decide it. It is given again only while all of that is as it was; whatever is not
certain goes to `gitwfp.cli`. The memory may be deleted at any time.

Modules of the standard library cost more to import than an answer costs to give, so that this
package takes none but those that the interpreter has loaded anyway, and `marshal`.
"""

import gc
import sys

HOT = ("status", "list", "next", "log")

_OBJECTS = 200_000
"""So many new objects, some 20 MB, are waited for before cycles are looked for."""


def main() -> int:
    """Runs one command and returns the exit code of the process."""
    # A process of a second makes next to no cycles, so that looking for them early finds nothing.
    gc.set_threshold(_OBJECTS)
    words = sys.argv[1:]
    if words and words[0] in HOT:
        from gitwfp.front.memory import find_memory

        memory = find_memory(words)
        if memory is not None:
            return memory.answer()
    from gitwfp.cli.main import main as run

    return run(words)
