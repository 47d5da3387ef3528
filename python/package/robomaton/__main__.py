"""The `robomaton` command: the same as the binary, out of the native module."""

from __future__ import annotations

import signal
import sys

from robomaton._robomaton import _command


def main() -> None:
    """Runs the command with the arguments of this process, and ends it."""
    # Python would only take a note of Ctrl-C, and look at it when the command is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_command(["robomaton", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
