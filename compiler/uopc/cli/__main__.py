"""`python -m uopc.cli`, for where the `uir` script is not on the PATH."""

import sys

from uopc.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
