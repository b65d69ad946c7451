"""The command `isoshard`, which is a program of its own."""

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "bin" / "isoshard"
    os.execv(program, [str(program), *sys.argv[1:]])
