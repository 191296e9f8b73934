"""Runs the command line: `python -m gitwfp` is `git wfp`."""

import sys

from gitwfp.front import main

if __name__ == "__main__":
    sys.exit(main())
