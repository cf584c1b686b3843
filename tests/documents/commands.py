#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and docs/*.md show in their ```sh blocks, as they stand.

usage: commands.py ROOT BUILD [DOCUMENT...]

ROOT is the source tree, BUILD a folder of its build. Each document has an empty folder, in which its commands run one
after another, with the programs of BUILD first in the path. What a reader would have there is prepared: `WORKSPACES`.
A command that this machine cannot run is left out with the reason that `LEFT_OUT` gives; a reason that no command
needs is a failure, and so is a command that ends with another status than 0, or than `STATUSES` says.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
import document_names  # noqa: E402  reads the blocks of documents

SECONDS = 600  # the most for one command

# What the folder of a document has before its commands run.
WORKSPACES = {
    "README.md": ["cp {root}/tests/mpi/programs/ring.c ."],
    "balancing.md": ["cp {bin}/balancing app", "mkdir docs", "cp {root}/examples/python/strategy.py mine.py"],
    "checkpoints.md": ["cp {bin}/checkpoint app", "cp {root}/examples/python/checkpoint.py ."],
    "launch.md": ["cp {bin}/hello app"],
    "mpi.md": ["cp {root}/tests/mpi/programs/ring.c .", "imbrex-mpicc -O2 {root}/tests/documents/ranks.c -o app"],
    "overlap.md": ["cp {root}/imbrex/tools/overlap/examples/sancho2006.toml .",
                   "cp {root}/imbrex/tools/overlap/examples/halo.json ."],
    "predict.md": ["cp {bin}/jacobi3d .", "cp {bin}/hello app",
                   "imbrex-mpicc -O2 {root}/tests/documents/ranks.c -o solver",
                   "printf 'num_ranks 1\\nrank 0 {{\\ncalc 5\\n}}\\n' > schedule.goal"],
    "tune.md": ["cp {bin}/jacobi3d ."],
}
# What runs again before each block of a document.
BEFORE_BLOCKS = {"checkpoints.md": ["rm -rf saved && ./app --machine deterministic --pes 2 --checkpoint saved "
                                    "--checkpoint-every 75"]}  # the last two are 11 and 12
# Commands that end with another status than 0: these two checkpoints differ.
STATUSES = {"imbrex checkpoint diff saved/000011 saved/000012": 1}
LEFT_OUT = {
    r"\./dev ": "builds the tree; the tests of the tree do that",
    r"sudo ": "installs packages; scripts/debian/check.sh does that",
    r"pip install ": "needs a network",
    r"\bsrun |\bmpirun -n 64 |^torchrun ": "needs a cluster",
    r"--device cuda": "needs a GPU",
    r"imbrex resize 4711 ": "needs the process id of a job",
    r"bench/papers/claims\.py": "writes a document; its own tests run it",
}


def blocks_of(document):
    """The commands of each block of a document, with the numbers of their lines."""
    text = document.read_text()
    for block in document_names.FENCE.finditer(text):
        if block["language"] == "sh":
            first = text[:block.start()].count("\n") + 2
            yield [(first + number, line) for number, line in document_names.lines_of(block["text"])]


def without_comment(line):
    return re.sub(r"(^|\s)#.*$", "", line).strip()


def environment_for(build, folder):
    environment = dict(os.environ, HOME=str(folder), OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    environment["PATH"] = f"{build}/bin:{folder}:{environment['PATH']}"
    environment["PYTHONPATH"] = f"{build}/python:" + environment.get("PYTHONPATH", "")
    return environment


def reason_to_leave_out(line, build):
    """Why this machine cannot run a command, with the pattern that knows it; or nothing."""
    for pattern, reason in LEFT_OUT.items():
        if re.search(pattern, line):
            return pattern, reason
    if "checkpoint export" in line and importlib.util.find_spec("h5py") is None:
        return None, "needs h5py"
    if re.search(r"\bpython3? \S|mine\.py", line):
        if not (build / "python/imbrex").is_dir():
            return None, "needs the Python package, which was not built"
        if "program.py" in line and importlib.util.find_spec("mpi4py") is None:
            return None, "needs mpi4py"
    return None


class Failures(list):
    def run(self, where, line, folder, environment):
        try:
            done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, errors="replace")
            problem = f"status {done.returncode}" if done.returncode != STATUSES.get(line, 0) else ""
            output = done.stdout
        except subprocess.TimeoutExpired:
            problem, output = f"no end within {SECONDS} s", ""
        print(f"{'FAILED' if problem else 'ran'}: {where}: {line}", flush=True)
        if problem:
            self.append(where)
            print(f"{problem}:\n{output[-4000:]}", flush=True)


def main(root, build, wanted):
    failures, ran, used = Failures(), 0, set()
    documents = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    for document in documents:
        if wanted and document.name not in wanted:
            continue
        blocks = list(blocks_of(document))
        if not blocks:
            continue
        with tempfile.TemporaryDirectory() as folder:
            environment = environment_for(build, folder)
            for line in WORKSPACES.get(document.name, []):
                line = line.format(root=root, bin=build / "bin")
                failures.run(f"{document.name}, before its commands", line, folder, environment)
            for block in blocks:
                for line in BEFORE_BLOCKS.get(document.name, []):
                    failures.run(f"{document.name}:{block[0][0]}, before its commands", line, folder, environment)
                for number, line in block:
                    command = without_comment(line)
                    where = f"{document.name}:{number}"
                    if reason := command and reason_to_leave_out(command, build):
                        used.add(reason[0])
                        print(f"left out, {reason[1]}: {where}: {command}", flush=True)
                    elif command:
                        ran += 1
                        failures.run(where, command, folder, environment)
    unused = [] if wanted else sorted(set(LEFT_OUT) - used)
    for pattern in unused:
        print(f"FAILED: no command has {pattern}, which LEFT_OUT names")
    print(f"commands of documents: {ran} ran, {len(failures)} failed")
    return 1 if failures or unused or ran == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or not shutil.which("bash"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), set(sys.argv[3:])))
