"""Run the command line with `python -m tdebug.cli`."""

import sys

from .main import main

sys.exit(main())
