#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measurements of this folder on the emulated device, tiny: usage: gpu_test.py FOLDER, where the programs
are."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import report

FOLDER = pathlib.Path(sys.argv[1])
RUN = str(pathlib.Path(__file__).resolve().parent / "run.sh")
PATIENCE_SECONDS = 250


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE_SECONDS, check=False, **environment)


class DryRun(unittest.TestCase):
    """All of it on the emulated device."""

    def measure(self, *more):
        with tempfile.TemporaryDirectory() as output:
            ended = run(RUN, "--bin", str(FOLDER), "--output", output, "--repeats", "1", "--pes", "2", *more)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            text = (pathlib.Path(output) / "gpu.md").read_text()
            result = json.loads((pathlib.Path(output) / "gpu.json").read_text())
        self.assertEqual(ended.stdout, text)
        return text, result

    def test_everything(self):
        text, result = self.measure("--device", "emulated")
        self.assertEqual((result["backend"], result["sizes"], result["repeats"]), ("emulated", "small", 1))
        self.assertEqual(result["failures"], [])
        self.assertEqual("version" in result["imbrex"], (FOLDER / "imbrex").exists())
        self.assertIn(result["date"], text)
        rows = result["table"]
        for row in rows:
            if row["median"] is None:
                self.assertIn("samples came too late", row["note"])
                continue
            # Where processors are few the observer may see the last store later than the PE its completion.
            if "last store" in row["what"] and result["processors"] < report.PROCESSORS_FOR_NOTICES:
                self.assertIn("no verdict", row["note"])
            elif "last store" in row["what"]:
                self.assertEqual(report.NOT_POSITIVE in row["note"], row["median"] <= 0, row)
            else:
                self.assertGreater(row["median"], 0, row)
            self.assertLessEqual(row["least"], row["median"])
            self.assertLessEqual(row["median"], row["most"])
            judged = row["what"].startswith("flag: an idle turn")
            self.assertIn(row["verdict"], ("met", "missed") if judged else ("",), row)
        lines = text.splitlines()
        self.assertIn("the emulated device (h200)", lines[0])
        head = lines.index("| what | target | measured | range | verdict | note |")
        self.assertEqual(len(lines) - head - 2, len(rows))
        for line in lines[head:]:
            self.assertEqual(line.count("|"), 7, line)
        for of_the_issue in ("update kernel of Jacobi3D, 32^3", "flag: noticed after a kernel's last store",
                             "poll: a 10 us kernel beside one of 10 ms",
                             "flag: an idle turn with 1,000 pending completions on 1,000 streams",
                             "ODF 4: asynchronous against synchronous", "against ODF 1", "exchange nothing"):
            self.assertIn(of_the_issue, text)

    def test_one_program(self):
        _, result = self.measure("--device", "emulated", "--only", "independent")
        self.assertEqual(list(result["runs"]), ["independent"])
        self.assertEqual(len(result["table"]), 1)
        self.assertEqual(result["table"][0]["target"], 1.05)

    def test_completions_take_turns_at_being_first(self):
        _, result = self.measure("--device", "emulated", "--only", "jacobi3d", "--repeats", "2")
        self.assertEqual([run[0]["completion"] for run in result["runs"]["jacobi3d 32"]], ["poll", "sync"])

    def test_without_a_gpu(self):
        if run(str(FOLDER / "gpu_kernel"), "--describe").returncode == 0:
            self.skipTest("here is a GPU")
        text, result = self.measure("--only", "notice,idle_turn", "--sizes", "small")
        self.assertIn("\nNo GPU: ", text)
        self.assertIn(report.SKIPPED, text)
        self.assertEqual(list(result["runs"]), ["idle_turn"])
        for row in result["table"]:
            self.assertEqual(row["median"] is None, row["verdict"] == report.SKIPPED, row)
        ended = run(RUN, "--bin", str(FOLDER), "--device", "cuda")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("GPU", ended.stderr)

    def test_a_program_that_is_missing(self):
        with tempfile.TemporaryDirectory() as some:
            for name in ("gpu_kernel", "gpu_idle_turn"):
                (pathlib.Path(some) / name).symlink_to((FOLDER / name).resolve())
            ended = run(RUN, "--bin", some, "--output", some, "--device", "emulated", "--repeats", "1",
                        "--only", "idle_turn,jacobi3d")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("jacobi3d'; build it", ended.stderr)
        self.assertIn("could not be run", ended.stdout)
        self.assertIn("on one stream | <= 50 ns |", ended.stdout)
        self.assertIn("| failed |", ended.stdout)

    def test_where_it_is_called_from(self):
        """By a link, in the folder of the programs; the output's folder is made."""
        with tempfile.TemporaryDirectory() as some:
            link = pathlib.Path(some) / "measure"
            link.symlink_to(RUN)
            output = pathlib.Path(some) / "of" / "today"
            ended = run(str(link), "--bin", ".", "--output", str(output), "--device", "emulated",
                        "--repeats", "1", "--only", "idle_turn", cwd=FOLDER)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual((output / "gpu.md").read_text(), ended.stdout)

    def test_a_program_that_cannot_be_started(self):
        with tempfile.TemporaryDirectory() as some:
            (pathlib.Path(some) / "gpu_kernel").write_text("no program")
            ended = run(RUN, "--bin", some, "--output", some)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("measure.py: error: ", ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)

    def test_refusals(self):
        a_file = str(FOLDER / "gpu_kernel")
        for wrong, why in ((["--only", "kernel,gossip"], "no 'gossip'"), (["--only", ""], "no ''"),
                           (["--repeats", "0"], "0: give"), (["--device", "abacus"], "'abacus'"),
                           (["--output", a_file], f"{a_file}: File exists"),
                           (["--output", f"{a_file}/below"], "Not a directory"),
                           (["--bin", a_file], "there is no gpu_kernel")):
            ended = run(RUN, "--bin", str(FOLDER), *wrong)
            self.assertEqual(ended.returncode, 2, wrong)
            self.assertIn(why, ended.stderr)
            self.assertNotIn("Traceback", ended.stderr)
        for program in ("kernel", "independent", "notice", "idle_turn"):
            ended = run(str(FOLDER / f"gpu_{program}"), "--device", "emulated", "--repeats", "0")
            self.assertEqual(ended.returncode, 2)
            self.assertIn("--repeats", ended.stderr)


class Table(unittest.TestCase):
    """The table, from rows that no program printed."""

    SIZES = {"kernel": ["--cells", "768"], "independent": ["--cells", "768"], "jacobi3d": {"edges": (768,)}}

    def rows(self, name, runs, processors=16):
        return report.rows(runs, [name], [], self.SIZES, 4, processors, is_gpu=True)

    def jacobi(self, *times):
        """Runs of ODF 1, 2, 4 by polling, and 4 blocking."""
        columns = (("poll", 1), ("poll", 2), ("poll", 4), ("sync", 4))
        return [[{"what": "jacobi3d", "completion": completion, "odf": odf, "us_per_iter": us}
                 for (completion, odf), us in zip(columns, of_a_run)] for of_a_run in times]

    def kernel(self, copy_gb, gcells=200):
        return [[{"what": "update", "cells": 768, "gcell_per_s": {"median": gcells},
                  "copy_gb_per_s": {"median": copy_gb}, "of_copy": {"median": 0.95}},
                 *({"what": "face", "side": f"low {letter}", "cells": 768, "pack_us": 4, "unpack_us": 5,
                    "pack_gb_per_s": {"median": 3000}} for letter in report.SIDES)]]

    def test_medians_by_repeat(self):
        """Ratios are of what ran in the same repeat."""
        runs = {"jacobi3d 768": self.jacobi((4000, 3000, 2000, 6000), (8000, 5000, 4000, 8000),
                                            (4200, 3000, 2000, 5000))}
        asynchronous, best = self.rows("jacobi3d", runs)
        self.assertEqual((asynchronous["least"], asynchronous["median"], asynchronous["most"]), (2.0, 2.5, 3.0))
        self.assertEqual(asynchronous["verdict"], "met")
        self.assertIn("(4)", best["what"])
        self.assertEqual((best["median"], best["verdict"]), (2.0, "met"))

    def test_what_memory_allows(self):
        """768^3 cells of 16 bytes at 3,200 GB/s are 2,265 us: an iteration of 3,000 cannot become 1.5 times as
        fast."""
        runs = {"jacobi3d 768": self.jacobi((4000, 3000, 2900, 3000)), "kernel": self.kernel(3200)}
        asynchronous, best = self.rows("jacobi3d", runs)
        self.assertIn("memory allows 1.32", asynchronous["note"])
        self.assertEqual(asynchronous["verdict"], "not possible")
        self.assertEqual(best["verdict"], "met")
        runs["kernel"] = self.kernel(6400)
        self.assertEqual(self.rows("jacobi3d", runs)[0]["verdict"], "missed")

    def test_a_slow_kernel_excuses_nothing(self):
        runs = {"jacobi3d 768": self.jacobi((4000, 3000, 2900, 3000)), "kernel": self.kernel(6400, 160)}
        asynchronous = self.rows("jacobi3d", runs)[0]
        self.assertIn("memory allows 2.65, our update kernel 1.06", asynchronous["note"])
        self.assertEqual(asynchronous["verdict"], "missed")

    def test_more_pes_than_processors(self):
        runs = {"jacobi3d 768": self.jacobi((4000, 3000, 2900, 3000))}
        for processors, told in ((2, True), (4, False)):
            for row in self.rows("jacobi3d", runs, processors):
                self.assertEqual("4 PEs share 2 processors" in row["note"], told)

    def test_verdicts(self):
        update = self.rows("kernel", {"kernel": self.kernel(3200)})[0]
        self.assertEqual((update["median"], update["verdict"]), (95, "met"))
        turns = [[{"what": "turn", "method": method, "pending": 1000, "streams": 1, "ns": {"median": 60}}
                  for method in ("flag", "poll")]]
        verdicts = {row["what"][:4]: row["verdict"] for row in self.rows("idle_turn", {"idle_turn": turns})
                    if row["what"].endswith("on one stream")}
        self.assertEqual(verdicts, {"flag": "missed", "poll": "met"})

    def notices(self, us, methods=("poll", "flag", "callback")):
        times = {"after_kernel_us": {"median": us}, "from_submission_us": {"median": us}}
        return {"notice": [[{"what": what, "method": method, "samples": 25, "late": 0, **times}
                            for method in methods for what in ("idle", "beside a long one")]]}

    def verdicts_of_flag(self, runs, processors=16):
        return {row["verdict"] for row in self.rows("notice", runs, processors)
                if row["what"].startswith("flag")}

    def test_impossible_notices(self):
        """No method can report an end before it happens, and an observer without a processor sees nothing in time."""
        self.assertEqual(self.verdicts_of_flag(self.notices(1.5)), {"met"})
        self.assertEqual(self.verdicts_of_flag(self.notices(0)), {""})
        self.assertEqual(self.verdicts_of_flag(self.notices(1.5), processors=2), {""})
        for runs, processors, why in ((self.notices(-3), 16, report.NOT_POSITIVE),
                                      (self.notices(1.5), 2, "(here 2)")):
            for row in self.rows("notice", runs, processors):
                self.assertIn(why, row["note"])

    def test_what_the_device_cannot(self):
        runs = self.notices(1.5, methods=("poll", "callback"))
        self.assertEqual(self.verdicts_of_flag(runs), {report.UNABLE})
        full = [[{"what": "turn", "method": "flag", "pending": 1000, "streams": 1}]]
        self.assertEqual(self.rows("idle_turn", {"idle_turn": full})[1]["verdict"], report.UNABLE)

    def test_what_failed(self):
        for name in ("kernel", "notice", "idle_turn", "independent", "jacobi3d"):
            self.assertEqual({row["verdict"] for row in self.rows(name, {})}, {"failed"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
