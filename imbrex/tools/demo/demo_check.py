#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `imbrex demo` on a small grid and looks at what it prints, also where its program is missing or fails.

usage: demo_check.py IMBREX PROGRAM
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SMALL = ["--", "--grid", "32,32,32", "--iters", "4", "--net-latency", "20us"]
SENTENCES = [
    "1. Jacobi3D on two PEs, whose messages take 200 us at 1 Gbit/s",
    "2. The program with several chares for each PE",
    "3. Six V100 of one node in simulated time, where a PE learns by sync",
    "4. Six V100 of one node in simulated time, where a PE learns by callback",
    "5. Six V100 of one node in simulated time, where a PE learns by poll",
    "6. The page shows where the time of the last table goes",
]


def demo(command, folder, *options):
    return subprocess.run([command, "demo", *options], cwd=folder, capture_output=True, text=True, timeout=100)


def main():
    command, program = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        seen = demo(command, folder, *SMALL)
        assert seen.returncode == 0, seen
        places = [seen.stdout.find(sentence) for sentence in SENTENCES]
        assert -1 not in places and places == sorted(places), (places, seen.stdout)
        assert len(re.findall("check: all 32768 cells equal, bit for bit", seen.stdout)) == 2, seen.stdout
        assert re.search(r"Overlap makes an iteration \d+\.\d\d times as fast", seen.stdout), seen.stdout
        page = (folder / "demo-report.html").read_text(encoding="utf-8")
        assert "odf1.trace" in page and "odf4.trace" in page

        seen = demo(command, folder, "--", "--gird", "8,8,8")
        assert seen.returncode == 1 and "jacobi3d ended with status 2: " in seen.stderr, seen
        assert "--gird" in seen.stderr, seen

        seen = demo(command, folder, "--output", "missing/page.html", *SMALL)
        assert seen.returncode == 1 and "missing/page.html cannot be written" in seen.stderr, seen

        # As in a package: the program is in the prefix of the command, or missing.
        (folder / "bin").mkdir()
        alone = folder / "bin" / "imbrex"
        shutil.copy(command, alone)
        seen = demo(alone, folder, *SMALL)
        assert seen.returncode == 1, seen
        assert seen.stderr.startswith("imbrex demo: this installation has no program jacobi3d for the demo"), seen
        (folder / "libexec" / "imbrex").mkdir(parents=True)
        (folder / "libexec" / "imbrex" / "jacobi3d").symlink_to(program)
        seen = demo(alone, folder, *SMALL)
        assert seen.returncode == 0 and SENTENCES[5] in seen.stdout, seen
    print("demo_check.py: the demo shows what it promises, and says what is missing")


if __name__ == "__main__":
    main()
