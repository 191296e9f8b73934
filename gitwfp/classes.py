"""Dataclasses, under the names that they have in the standard library.

The library writes the methods of a dataclass as text and compiles it when the class is made. Here
are more than two hundred of them, of which a command uses a few dozen, and that took a third of
its whole time. So this package has its own, with the same meaning as far as it is used here
(`gitwfp.lean`); a test holds each class against what the library makes of it. For type checkers
this is the library.
"""

TYPE_CHECKING = False  # The constant of typing, whose import takes longer than all of this.
if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
else:
    from gitwfp.lean import asdict, dataclass, field, fields, is_dataclass, replace

__all__ = ["asdict", "dataclass", "field", "fields", "is_dataclass", "replace"]
