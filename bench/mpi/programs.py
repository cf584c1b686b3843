#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of others, as they are, by ranks of Imbrex and by another MPI in turn: that both print the same result, or
that the program has found its result right, and how long each takes.

The sources are folders of --sources, named as their repositories are; what is not there is left out:
    git clone https://github.com/Mantevo/miniMD, .../LLNL/LULESH, .../ECP-copa/CoMD, .../hpcg-benchmark/hpcg,
              .../UK-MAC/CloverLeaf_MPI, .../lanl/SNAP, .../ParRes/Kernels
    bench/mpi/programs.py --sources FOLDER

With --kills N no other MPI is needed: processes of each program are killed at random moments, N times in as many jobs
as that takes. A job goes on from its checkpoints, at times with another number of processes, and prints what it prints
undisturbed:
    bench/mpi/programs.py --sources FOLDER --kills 20 --places '-n 2 --pes 1'
"""
import argparse
import dataclasses
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 600
CHECKPOINT_PERIOD = "150ms"
sys.path.insert(0, str(ROOT / "tests"))
from host_processes import descendants  # noqa: E402


@dataclasses.dataclass
class Program:
    name: str
    source: str   # repository
    folder: str   # where it is built, in that
    build: str    # by a shell; $CC, $CXX and $FC are the wrappers of compilers
    command: str  # by a shell, in that folder; $RUN starts as many ranks as there are in `ranks`
    ranks: int
    same: str     # text that both must print
    seconds: str = ""  # time in the output; without it the whole run is timed


KERNELS = "printf 'CC=gcc\\nCXX=g++\\nFC=gfortran\\nMPICC=%s\\nDEFAULT_OPT_FLAGS=-O2\\n' $CC > ../../common/make.defs"
PROGRAMS = [
    *(Program("miniMD, 16,384 atoms", "miniMD", "ref", "make openmpi CC=$CXX LINK=$CXX",
              "$RUN ./miniMD_openmpi -t 1 -n 100 -s 16", ranks, r"^100 (\S+ \S+ \S+)", rf"^{ranks} 1 100 16384 (\S+)")
      for ranks in (2, 8)),
    Program("LULESH 2.0, 8 times 10^3", "LULESH", ".", "make CXX=\"$CXX -DUSE_MPI=1\"",
            "$RUN ./lulesh2.0 -s 10 -i 100", 8, r"Final Origin Energy = +(\S+)", r"Elapsed time += +(\S+)"),
    Program("CoMD, 6,912 copper atoms", "CoMD", "src-mpi", "cp Makefile.vanilla Makefile; make CC=$CC DO_MPI=ON",
            "cd ..; $RUN bin/CoMD-mpi -e -x 12 -y 12 -z 12 -N 50 -n 50 -i 2 -j 2 -k 2", 8, r"Final energy +: (\S+)",
            r"(?s).*Timing Statistics.*?^loop +\d+: +\S+ +\d+: *(\S+)"),
    Program("HPCG 3.1, 16^3 a rank", "hpcg", ".",
            "sed \"s#^CXX .*#CXX = $CXX#; s#^LINKER .*#LINKER = \\$(CXX)#; s#^MP\\(dir\\|inc\\|lib\\) .*##\" "
            "setup/Make.Linux_MPI > setup/Make.own; mkdir own; cd own; ../configure own; make; "
            "printf 'a\\nb\\n16 16 16\\n1\\n' > bin/hpcg.dat",
            "cd own/bin; rm -f HPCG*.txt; $RUN ./xhpcg; cat HPCG*.txt", 8, r"(HPCG result is VALID)"),
    *(Program("CloverLeaf, Fortran, 240^2 cells", "CloverLeaf_MPI", ".",
            "make COMPILER=GNU MPI_COMPILER=$FC C_MPI_COMPILER=$CC OPTIONS=-fallow-argument-mismatch; "
            "sed -i 's/_cells=960/_cells=240/' clover.in",
            "rm -f clover.out; $RUN ./clover_leaf >/dev/null; cat clover.out", ranks,
            r"^ step: +87 +(.*)", r"(?s).*Wall clock +(\S+)") for ranks in (2, 6)),
    Program("SNAP 1.12, Fortran", "SNAP", "src",
            "make FORTRAN=$FC COMPILER=other FFLAGS='-O2 -fopenmp -fallow-argument-mismatch'; "
            "sed 's/nthreads=2/nthreads=1/' ../qasnap/sample/inp > inp", "rm -f out; $RUN ./gsnap inp out; cat out", 4,
            r"(?s)Iteration Monitor(.*?)No\. Outers", r"Total Execution time +(\S+)"),
    *(Program(f"PRK {name}", "Kernels", f"MPI1/{name}", f"{KERNELS}; make {program}", f"$RUN ./{program} {numbers}",
              ranks, r"(Solution validates)", r"[tT]ime \(s\): (\S+)")
      for name, program, numbers, ranks in (
          ("Stencil", "stencil", "200 1000", 2), ("Stencil", "stencil", "200 1000", 8),
          ("Transpose", "transpose", "100 512", 2), ("Transpose", "transpose", "100 512", 8),
          ("Synch_p2p", "p2p", "100 200 300", 2), ("Synch_p2p", "p2p", "100 200 300", 8),
          ("Synch_global", "global", "1000 4096", 8), ("Reduce", "reduce", "100 10000", 8),
          ("Sparse", "sparse", "50 6 4", 8), ("Random", "random", "16 16", 8))),
]


class Failed(Exception):
    """A program that was not built, or did not end well."""


def shell(command, folder, environment):
    done = subprocess.run(["sh", "-ec", command], cwd=folder, env={**os.environ, **environment}, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, check=False)
    if done.returncode != 0:
        raise Failed(f"status {done.returncode} of {command}\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done.stdout


def run(program, folder, launcher):
    """The part of the output that must be equal, and seconds."""
    begun = time.monotonic()
    text = shell(program.command, folder, {"RUN": launcher, "OMP_NUM_THREADS": "1"})
    passed = time.monotonic() - begun
    same = re.search(program.same, text, re.MULTILINE)
    took = re.search(program.seconds, text, re.MULTILINE) if program.seconds else None
    if not same or (program.seconds and not took):
        raise Failed(f"no result was printed by {program.command}\n{text[-2000:]}")
    return same[1], float(took[1]) if took else passed


def compare(program, sides, asked, folder):
    """A line of the table. Each side has an environment for compilers, and a launcher."""
    places = []
    for number, (environment, _) in enumerate(sides):
        tree = pathlib.Path(folder) / f"{program.source}_{number}"
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(asked.sources / program.source, tree)
        places.append(tree / program.folder)
        shell(program.build, places[-1], environment)
    times, results = ([], []), set()
    for _ in range(asked.rounds):
        for side, (_, launcher) in enumerate(sides):
            result, seconds = run(program, places[side], launcher.format(ranks=program.ranks))
            results.add(result)
            times[side].append(seconds)
    if len(results) != 1:
        raise Failed(f"the results differ: {sorted(results)}")
    own, other = map(statistics.median, times)
    ratio = statistics.median(a / b for a, b in zip(*times))
    return f"| {program.name} | {program.ranks} | {own:.4g} | {other:.4g} | {ratio:.2f} |"


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def kill_after_checkpoints(shell_process, most, imbrex, dice):
    """Kills a process of the job below a shell after some checkpoints, `most` times or until it ends. Returns how
    often."""
    kills = newest = 0
    while kills < most and shell_process.poll() is None:
        time.sleep(0.005)
        below = descendants(shell_process.pid)
        launcher = next((pid for pid in below if name_of(pid) == "imbrex"), None)
        saved = pathlib.Path(f"/dev/shm/imbrex-checkpoints-{launcher}").glob("*/manifest.json")
        numbers = [int(manifest.parent.name) for manifest in saved]
        if max(numbers, default=0) <= newest:
            continue
        time.sleep(0.2 * dice.random())
        running = [pid for pid in descendants(launcher) if name_of(pid) not in ("imbrex", "imbrex-cleaner", "")]
        if not running:
            continue
        newest = max(numbers)
        if dice.random() < 0.3:
            subprocess.run([imbrex, "resize", str(launcher), "-n", str(dice.randint(1, 3))], stderr=subprocess.DEVNULL,
                           check=False)
        for pid in dice.sample(running, min(len(running), dice.choice((1, 1, 2)))):
            try:
                os.kill(pid, signal.SIGKILL)
                kills += 1
            except ProcessLookupError:
                pass
    return kills


def disturb(program, asked, launcher, folder):
    """A line about a program whose processes are killed. Raises Failed if it prints another result."""
    tree = pathlib.Path(folder) / program.source
    shutil.copytree(asked.sources / program.source, tree)
    place = tree / program.folder
    own = asked.bin.resolve()
    shell(program.build, place, {"CC": f"{own}/imbrex-mpicc", "CXX": f"{own}/imbrex-mpicxx",
                                 "FC": f"{own}/imbrex-mpifort"})
    whole, _ = run(program, place, launcher.format(ranks=program.ranks))
    saving = f" --migratable --restarts 1000 --checkpoint-memory {CHECKPOINT_PERIOD}"
    environment = {"RUN": launcher.format(ranks=program.ranks) + saving, "OMP_NUM_THREADS": "1"}
    kills = jobs = 0
    while kills < asked.kills:
        dice = random.Random(asked.seed + jobs)
        jobs += 1
        with open(pathlib.Path(folder) / "out", "w+") as out:
            with subprocess.Popen(["sh", "-ec", program.command], cwd=place, env={**os.environ, **environment},
                                  stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL) as job:
                kills += kill_after_checkpoints(job, asked.kills - kills, own / "imbrex", dice)
                job.wait(PATIENCE_SECONDS)
            out.seek(0)
            text = out.read()
        results = re.findall(program.same, text, re.MULTILINE)
        if job.returncode != 0 or set(results) != {whole}:
            raise Failed(f"status {job.returncode}, {results} in place of {whole} in job {jobs}\n{text[-2000:]}")
        if jobs > 5 * (kills + 1):
            raise Failed("the job ends before its first checkpoint")
    return f"| {program.name} | {program.ranks} | {kills} | {jobs} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, required=True, help="a folder with the repositories")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--rounds", type=int, default=3, help="how often each runs; medians are compared")
    parser.add_argument("--places", default="--pes 2", help="options of imbrex run (default %(default)s)")
    parser.add_argument("--only", default="", help="programs whose name begins so")
    parser.add_argument("--kills", type=int, default=0, help="kill processes so often, and compare the results")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of kills (default %(default)s)")
    asked = parser.parse_args()
    own = asked.bin.resolve()
    sides = [({"CC": f"{own}/imbrex-mpicc", "CXX": f"{own}/imbrex-mpicxx", "FC": f"{own}/imbrex-mpifort"},
              f"{own}/imbrex run {asked.places} --ranks {{ranks}}"),
             ({"CC": "mpicc", "CXX": "mpicxx", "FC": "mpifort"},
              "mpirun --allow-run-as-root --oversubscribe -n {ranks}")]
    failed = compared = 0
    print("| program | ranks | kills | jobs |\n|---|---|---|---|" if asked.kills else
          "| program | ranks | Imbrex, s | other MPI, s | ratio |\n|---|---|---|---|---|")
    for program in PROGRAMS:
        if not program.name.startswith(asked.only):
            continue
        if not (asked.sources / program.source).is_dir():
            print(f"{program.name} is left out: there is no {asked.sources / program.source}", file=sys.stderr)
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                print(disturb(program, asked, sides[0][1], folder) if asked.kills else
                      compare(program, sides, asked, folder), flush=True)
            compared += 1
        except (Failed, subprocess.TimeoutExpired) as problem:
            failed += 1
            print(f"{program.name}: {problem}", file=sys.stderr)
    if failed + compared == 0:
        print("no program was run: give their sources by --sources, and --only as their names begin", file=sys.stderr)
    return 0 if compared and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
