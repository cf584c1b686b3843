#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One table or figure of paper 000 (Choi et al. 2020), 001 (Choi 2022) or 004 (Kawanishi et al. 2023), or all: what the
paper says beside what our programs do in simulated time, as a table, and charts as SVG.
    bench/papers/reproduce.py figure-5.6 --nodes 8,16,32
"""
import argparse
import pathlib
import sys

import figures
import minimd_figures
import moldyn_figures
import python_figures
import rank_figures
import resident_figures
from plot import chart
from simulate import Machine

FIGURES = {**figures.FIGURES, **rank_figures.FIGURES, **resident_figures.FIGURES, **moldyn_figures.FIGURES,
           **minimd_figures.FIGURES, **python_figures.FIGURES}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=[*FIGURES, "all"])
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"), help="where the programs are")
    parser.add_argument("--model", default="summit", help="a device model with links")
    parser.add_argument("--nodes", type=lambda text: [int(word) for word in text.split(",")], default=None,
                        help="numbers of nodes in figures (default the paper's, up to 512)")
    parser.add_argument("--iterations", type=int, default=None,
                        help="number of timed iterations (default 100 after a tenth of them, 50 cycles of moldyn or "
                             "100 steps of minimd); their mean time is too long if they are few")
    parser.add_argument("--svg", metavar="FOLDER", help="where charts are written")
    options = parser.parse_args(words)
    if options.iterations is not None and options.iterations < 1:
        parser.error(f"--iterations is {options.iterations}; give 1 or more")
    return options


def table(claims):
    """Lines of a table in Markdown."""
    lines = ["| claim | the paper | ours | |", "|---|---|---|---|"]
    for claim in claims:
        verdict = "as the paper" if claim.holds else "**missed**" + (f"; likely {claim.why}" if claim.why else "")
        lines.append(f"| {claim.name} | {claim.says} | {claim.ours} | {verdict} |")
    return "\n".join(lines)


def main(words):
    options = parse(words)
    machine = Machine(options.bin, options.model, options.iterations)
    all_claims = []
    for name in FIGURES if options.what == "all" else [options.what]:
        claims, charts = FIGURES[name](machine, options.nodes)
        all_claims += claims
        print(f"\n## {name}\n\n{table(claims)}", flush=True)
        if options.svg:
            folder = pathlib.Path(options.svg)
            folder.mkdir(parents=True, exist_ok=True)
            for each in charts:
                (folder / f"{each.name}.svg").write_text(
                    chart(each.title, each.x_label, each.y_label, each.lines))
    missed = sum(not claim.holds for claim in all_claims)
    print(f"\n{len(all_claims) - missed} of {len(all_claims)} as the papers have them")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
