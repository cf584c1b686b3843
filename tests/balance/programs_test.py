#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose elements migrate at random moments write what they write without.

usage: programs_test.py SOURCES BUILD PYTHON [unittest's arguments]
"""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

SOURCES, BUILD = map(pathlib.Path, sys.argv[1:3])
PYTHON = sys.argv[3]
LIMIT = 60  # seconds that no program takes unless it hangs

PES = ["--pes", "3", "--log", "error"]
REFUSED = re.compile("error: --balance [a-z]+: (no element of this program can move: .* lacks |this program creates "
                     "no arrays)")
JSON = ["--json", "/dev/stdout", "--quiet"]
# What changes from run to run, or tells where an element is.
TIMES = r"[0-9.]+ (ns|us|ms|s)\b"
RATES = r'"(us_per_iter|grind_ns|cells_per_s|ms_per_step|particles_per_s|machine|balance)":[^,}]+'


@dataclasses.dataclass
class Program:
    """A program with its arguments. `hidden` is left out of comparisons; `moves`: its elements can migrate, so that
    it must not be refused."""
    name: str
    arguments: str = ""
    hidden: str = TIMES
    moves: bool = False
    in_any_order: bool = False


DEVICES = "--device emulated --devices 2"
EXAMPLES = [
    Program("cannon"), Program("cells"), Program("checkpoint", moves=True), Program("conjugate_gradients"),
    Program("device_grid", DEVICES), Program("device_messages", DEVICES), Program("device_training", DEVICES),
    Program("fibonacci", "12"),
    Program("hello", hidden="on PE [0-9]+", moves=True, in_any_order=True), Program("jacobi"), Program("kmeans"),
    Program("knapsack"), Program("migrate", hidden="[0-9]+ moves", moves=True), Program("particles"),
    Program("pipeline"), Program("prefix"), Program("quadtree"), Program("reaction", moves=True), Program("restart"),
    Program("ring", "20 10"), Program("sample_sort"), Program("sparse"), Program("squares", "--device emulated"),
    Program("stencil"), Program("summa"), Program("suspension"), Program("task_graph"), Program("transpose"),
    Program("tree_search"), Program("tuple_space"),
]
OTHER_EXAMPLES = {
    "balancing": "tells what its strategy does",
    "devices": "keeps streams of its PE's device between entries",
    "output": "writes a file that runs would share",
    "stepping": "has no options",
    "strategy": "has no elements",
    "testing": "has no options; its runs are on machines of its own",
}

APPLICATIONS = [
    Program("hotspot", "--cells 4,4,4 --steps 8 --time 20us", hidden=TIMES + r"|[0-9.]+ ?ms", moves=True),
    Program("jacobi3d", "--grid 16,16,16 --odf 4 --iters 30 --hot-blocks 1/4 --check", hidden=RATES, moves=True),
    Program("minimd", "--size 5 --odf 4 --steps 100 --thermo 50 --reproducible --droplet 2.5", moves=True),
    Program("moldyn", "--size 4 --odf 4 --cycles 30", hidden=r"(?<= x [0-9]) +[0-9.]+", moves=True),
    Program("moldyn", "--model torus --particles 2000 --filled 1/2 --odf 4 --cycles 20 --check",
            hidden=r"(?<= x [0-9]) +[0-9.]+|plain .*", moves=True),
    Program("pic", "--grid 32 --particles 2000 --steps 30 --odf 4", hidden=RATES, moves=True),
    Program("sweep", "--grid 8,8,8 --odf 4 --iters 20 --check", hidden=RATES, moves=True),
]
WITH_JSON = {"jacobi3d", "minimd", "pic", "sweep"}
OTHER_APPLICATIONS = {
    "harness": "is no program",
    "jacobi2d": "has its chares inside a GPU",
    "queens": "has its chares inside a GPU",
}

EXAMPLES_IN_PYTHON = [
    Program("checkpoint", "60", moves=True), Program("heat_on_devices", "--device emulated"),
    Program("hello", hidden="on PE [0-9]+", in_any_order=True),
    Program("jacobi3d", "32 2 5"), Program("kmeans"), Program("move", moves=True), Program("parameter_server"),
    Program("ring", "20 10"), Program("ring_on_devices", "--device emulated"), Program("sweep"),
]
OTHER_EXAMPLES_IN_PYTHON = {
    "beside": "has no options",
    "jacobi3d_numba": "is jacobi3d with a package that may be missing",
    "rods": "needs a module of C++",
    "strategy": "tells what its strategy does",
    "test_counter": "is a test, without options",
}


def names(programs):
    return {each.name for each in programs}


def shown(program, output):
    """What of an output must be equal."""
    lines = re.sub(program.hidden, "#", output).splitlines()
    return sorted(lines) if program.in_any_order else lines


class Comparison(unittest.TestCase):
    def compare(self, programs, command_of, unbalanced, balanced):
        """Runs the programs without balancing, and with each of the options in `balanced`."""
        with ThreadPoolExecutor(2) as workers:
            found = workers.map(lambda program: self.outputs(command_of(program), unbalanced, balanced), programs)
            for program, (expected, moved) in zip(programs, found):
                with self.subTest(program=program.name, arguments=program.arguments):
                    self.assertEqual((expected.returncode, expected.stderr), (0, ""))
                    moves = 0
                    for ended in moved:
                        command = " ".join(map(str, ended.args))
                        if not program.moves and REFUSED.search(ended.stderr):
                            self.assertEqual((ended.returncode, ended.stdout), (2, ""), command)
                            continue
                        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stdout}{ended.stderr}")
                        self.assertEqual(shown(program, ended.stdout), shown(program, expected.stdout), command)
                        summary = re.search(r"^balance: [0-9]+ steps in [0-9]+ periods, ([0-9]+) moves", ended.stderr,
                                            re.MULTILINE)
                        self.assertIsNotNone(summary, f"{command}\n{ended.stderr}")
                        moves += int(summary[1])
                    if program.moves:
                        self.assertGreater(moves, 0)

    def outputs(self, command, unbalanced, balanced):
        """What ended without balancing, and a list of what ended with it."""
        def run(*options):
            return subprocess.run([*command, *options], text=True, capture_output=True, timeout=LIMIT,
                                  env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
        often = ["--balance-every", "1", "--balance-report"]
        return run(*unbalanced), [run(*options, *often) for options in balanced]

    # Moves by threads, and by bytes in any order.
    COMPILED = [["--balance", "random"],
                ["--balance", "rotate", "--machine", "deterministic", "--shuffle", "3", "--serialize-always"]]

    def compare_compiled(self, programs):
        def command_of(program):
            json = JSON if program.name in WITH_JSON and programs is APPLICATIONS else []
            return [BUILD / "bin" / program.name, *program.arguments.split(), *PES, *json]
        self.compare(programs, command_of, [], self.COMPILED)


class Examples(Comparison):
    def test_write_what_they_write_without_moves(self):
        self.compare_compiled(EXAMPLES)

    def test_are_all_here(self):
        files = {each.stem for each in (SOURCES / "examples").glob("*.cpp")}
        self.assertEqual(files, names(EXAMPLES) | set(OTHER_EXAMPLES))


class Applications(Comparison):
    def test_write_what_they_write_without_moves(self):
        self.compare_compiled(APPLICATIONS)

    def test_are_all_here(self):
        folders = {each.name for each in (SOURCES / "apps").iterdir() if each.is_dir()}
        self.assertEqual(folders, names(APPLICATIONS) | set(OTHER_APPLICATIONS))


class ExamplesInPython(Comparison):
    def test_write_what_they_write_without_moves(self):
        # A process of Python has one PE, but on this machine.
        machine = ["--machine", "deterministic"]
        self.compare(EXAMPLES_IN_PYTHON,
                     lambda program: [PYTHON, SOURCES / "examples" / "python" / f"{program.name}.py",
                                      *program.arguments.split(), *PES, *machine],
                     [], [["--balance", "random"], ["--balance", "rotate"]])

    def test_are_all_here(self):
        files = {each.stem for each in (SOURCES / "examples" / "python").glob("*.py")}
        self.assertEqual(files, names(EXAMPLES_IN_PYTHON) | set(OTHER_EXAMPLES_IN_PYTHON))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
