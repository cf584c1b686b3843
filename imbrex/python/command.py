# SPDX-License-Identifier: Apache-2.0
"""The command imbrex of a wheel, in the module _imbrex_command: it executes the program in the package, which finds its
files there. It is outside the package, so that a start of processes does not import the package first."""
import os
import signal
import sys


def main() -> None:
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "imbrex", "bin", "imbrex")
    for ignored in signal.SIGPIPE, signal.SIGXFSZ:  # by Python alone, and a program that is executed would inherit it
        signal.signal(ignored, signal.SIG_DFL)
    os.execv(command, [command, *sys.argv[1:]])
