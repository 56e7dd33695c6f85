"""One door of the campaign, in a process of its own."""

import sys

from . import main

main(*sys.argv[1:])
