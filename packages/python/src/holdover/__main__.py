"""`python -m holdover`: the binary, with the same arguments."""

import subprocess
import sys

from holdover.server import binary

if __name__ == "__main__":
    sys.exit(subprocess.run([binary(), *sys.argv[1:]], check=False).returncode)
