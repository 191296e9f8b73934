"""The settings: what there is to set, its defaults, and where values come from. Pure.

`settings` holds the values as the program uses them, and `keys` the one table of everything that
can be set. `tomltext` reads the file's text, `reading` brings file, git and environment together
in a `gathering`, `wording` names things in messages, and `sample` writes the commented example.
`writing` changes one setting of a file, whose parts `layout` finds.
Nobody else knows a default or the name of a key.
"""

from gitwfp.config.gathering import Loaded, Origin, Source
from gitwfp.config.reading import load
from gitwfp.config.settings import Settings, Tool

__all__ = ["Loaded", "Origin", "Settings", "Source", "Tool", "load"]
