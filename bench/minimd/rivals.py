#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""minimd on one PE beside a plain loop and other programs, on one processor, in turn: the speed of each, and the
medians of minimd's ratio to it. Missing programs are left out, with the reason."""
import argparse
import dataclasses
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The benchmarks in.lj and in.eam of LAMMPS, with miniMD's lists and time steps.
LJ = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {side} 0 {side} 0 {side}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
timestep 0.005
run {steps}
"""
EAM = """units metal
atom_style atomic
lattice fcc 3.84406
region box block 0 {side} 0 {side} 0 {side}
create_box 1 box
create_atoms 1 box
pair_style eam
pair_coeff 1 1 {potential}
velocity all create 600.0 376847 loop geom
neighbor 1.0 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
timestep 0.001
run {steps}
"""
# miniMD's own, of the same problems: its lines are numbers with what they are behind them.
MINI_MD = """Input for miniMD

{units} units
none data file
{force} force style
1.0 1.0 LJ parameters
{side} {side} {side} size of problem
{steps} timesteps
{step} timestep size
{temperature} initial temperature
{density} density
20 reneighboring every this many steps
{cutoff} force cutoff and neighbor skin
{steps} thermo calculation every this many steps
"""
MINI_MD_LJ = {"units": "lj", "force": "lj", "step": 0.005, "temperature": 1.44, "density": 0.8442, "cutoff": "2.5 0.3"}
MINI_MD_EAM = {"units": "metal", "force": "eam", "step": 0.001, "temperature": 600, "density": 0.07041125,
               "cutoff": "4.95 1.0"}


@dataclasses.dataclass
class Case:
    name: str
    side: int
    steps: int
    potential: str = ""

    def atoms(self):
        return 4 * self.side ** 3


class Absent(Exception):
    """Why a program cannot be run."""


def output_of(command, folder):
    """On one processor."""
    ended = subprocess.run(["taskset", "-c", "0", *map(str, command)], cwd=folder, capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, check=False)
    if ended.returncode != 0:
        raise Absent(f"{command[0]} ended with status {ended.returncode}: {ended.stderr.strip()[-200:]}")
    return ended.stdout


def found(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise Absent(f"its output has no '{pattern}'")
    return float(match[1])


def program(name):
    path = shutil.which(name)
    if path is None:
        raise Absent(f"there is no program {name}")
    return path


def minimd(case, folder, options):
    more = ["--potential", case.potential] if case.potential else []
    command = [options.bin / "bin/minimd", "--size", case.side, "--steps", case.steps, "--pes", 1, *more]
    text = output_of(command, folder)
    return found(r"^ODF .*, ([0-9.]+) M atom-steps/s", text)


def plain(case, folder, options):
    path = options.bin / "benchmarks/minimd_plain"
    if not path.exists():
        raise Absent(f"{path} is not built")
    more = [case.potential] if case.potential else []
    return found(r"^plain: .*, ([0-9.]+) M", output_of([path, case.side, case.steps, *more], folder))


def lammps(case, folder, _options):
    script = pathlib.Path(folder) / "in"
    script.write_text((EAM if case.potential else LJ).format(side=case.side, steps=case.steps,
                                                              potential=case.potential))
    text = output_of([program("lmp"), "-in", script, "-sf", "opt", "-log", "none"], folder)
    return case.atoms() * case.steps / found(r"^Loop time of ([0-9.]+) on", text) / 1e6


def mantevo(case, folder, options):
    if case.potential:
        shutil.copy(case.potential, pathlib.Path(folder) / "Cu_u6.eam")
    problem = MINI_MD_EAM if case.potential else MINI_MD_LJ
    script = pathlib.Path(folder) / "in.miniMD"
    script.write_text(MINI_MD.format(**problem, side=case.side, steps=case.steps))
    text = output_of([program(options.mini_md), "-i", script, "-t", 1, "--half_neigh", 1], folder)
    return found(r"^(?:\S+ ){9}(\S+) \S+ PERF_SUMMARY", text) / 1e6


RIVALS = {"plain loop": plain, "LAMMPS -sf opt": lammps, "Mantevo miniMD": mantevo}


def compare(case, options):
    """Lines of a table."""
    speeds = {"minimd": [], **{name: [] for name in RIVALS}}
    absent = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            speeds["minimd"].append(minimd(case, folder, options))
            for name, run in RIVALS.items():
                if name in absent:
                    continue
                try:
                    speeds[name].append(run(case, folder, options))
                except Absent as reason:
                    absent[name] = reason
    rows = [f"| {case.name} | minimd | {statistics.median(speeds['minimd']):.2f} | |"]
    for name in RIVALS:
        if name in absent:
            rows.append(f"| {case.name} | {name} | left out: {absent[name]} | |")
            continue
        ratios = [own / other for own, other in zip(speeds["minimd"], speeds[name])]
        speed, ratio = statistics.median(speeds[name]), statistics.median(ratios)
        rows.append(f"| {case.name} | {name} | {speed:.2f} | {ratio:.2f} |")
    return rows


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release", help="the build folder")
    parser.add_argument("--rounds", type=int, default=7, help="number of rounds (default %(default)s)")
    parser.add_argument("--steps", type=int, default=100, help="time steps of each run (default %(default)s)")
    parser.add_argument("--potential", default="/usr/share/lammps/potentials/Cu_u6.eam",
                        help="file of the embedded-atom potential (default that of Debian's lammps-data)")
    parser.add_argument("--mini-md", default="miniMD", help="Mantevo's program (default %(default)s)")
    parser.add_argument("--sizes", default="20,40", type=lambda text: [int(word) for word in text.split(",")],
                        help="unit cells of Lennard-Jones atoms along a side (default 20,40)")
    options = parser.parse_args(words)
    if options.rounds < 1 or options.steps < 1:
        parser.error("--rounds and --steps must be 1 or more")
    cases = [Case(f"LJ, {4 * side ** 3:,} atoms", side, options.steps) for side in options.sizes]
    if pathlib.Path(options.potential).exists():
        cases.append(Case("EAM, 32,000 atoms", 20, options.steps, str(pathlib.Path(options.potential).resolve())))
    else:
        print(f"embedded atoms are left out: there is no '{options.potential}'; give it by --potential",
              file=sys.stderr)
    print("| problem | program | M atom-steps/s | minimd / it |\n|---|---|---|---|")
    for case in cases:
        print("\n".join(compare(case, options)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
