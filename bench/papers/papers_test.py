#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The claims, their record and their document: usage: papers_test.py FOLDER, where the programs are."""
import contextlib
import copy
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import claims
import document
import fit
import judge
import plot
import simulate
from registry import MEASURES

FOLDER = sys.argv[1]
DATA = json.loads(claims.CLAIMS.read_text())
RESULTS = json.loads(claims.RESULTS.read_text())
FIELDS = {"id", "source", "section", "text", "metric", "expect", "config", "kind", "tier", "machine"}
MORE_FIELDS = {"note", "tolerance", "fitted", "not_run", "added", "causes", "nodes_of_causes", "experiment"}


def claim_of(name):
    return next(claim for claim in DATA["claims"] if claim["id"] == name)


def row_of(claim, runs):
    """Its row from recorded runs."""
    return claims.row_of(claim, simulate.Machine(simulate.Runner("/nowhere", runs), claim["machine"]))


def recorded_rows(runs):
    """The rows of all claims from recorded runs. No program is there to be run."""
    runner = simulate.Runner("/nowhere", copy.deepcopy(runs))
    return list(claims.all_rows(DATA["claims"], runner, DATA["causes"], 1))


class Data(unittest.TestCase):
    """The file of claims."""

    def test_fields(self):
        for claim in DATA["claims"]:
            self.assertLessEqual(FIELDS, set(claim), claim["id"])
            self.assertLessEqual(set(claim), FIELDS | MORE_FIELDS, claim["id"])
            self.assertIn(claim["tier"], "ABC")
            self.assertIn(claim["machine"], simulate.machine_files())
            self.assertLessEqual(set(claim.get("causes", [])), set(DATA["causes"]), claim["id"])
            for text in ("source", "section", "text", "metric"):
                self.assertTrue(claim[text], claim["id"])

    def test_each_id_is_unique_and_measured_or_said_not_to_be(self):
        names = [claim["id"] for claim in DATA["claims"]]
        self.assertEqual(len(names), len(set(names)))
        not_run = {claim["id"] for claim in DATA["claims"] if "not_run" in claim}
        self.assertEqual(set(names) - not_run, set(MEASURES))

    def test_the_claims_of_each_tier(self):
        """As many as were handed over, and those that were found later."""
        handed = [claim["tier"] for claim in DATA["claims"] if "added" not in claim]
        self.assertEqual([handed.count(tier) for tier in "ABC"], [44, 15, 10])

    def test_each_number_of_a_machine_has_a_source(self):
        """Said above it, or above the numbers that it follows, in its table."""
        models = sorted((simulate.ROOT / "imbrex/device/models").glob("*.toml"))
        for file in (*models, simulate.FUGAKU):
            said = False
            for line in file.read_text().splitlines():
                if line.startswith("["):
                    said = False
                elif line.startswith("#"):
                    said = True
                elif line:
                    self.assertTrue(said, line)


class Record(unittest.TestCase):
    """The recorded runs, and the document that is made of them."""

    def test_the_record_is_of_these_machines(self):
        self.assertEqual(claims.stale(RESULTS), [], "run bench/papers/claims.py --write docs/claims.md")

    def test_the_document_is_made_from_the_record(self):
        rows = recorded_rows(RESULTS["runs"])
        for row in rows:
            self.assertNotIn("cannot be run", row.why, row.claim["id"])
        runner = simulate.Runner("/nowhere", RESULTS["runs"])
        figures = claims.all_charts(runner)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "claims.md"
            claims.write_document(file, rows, figures, DATA["causes"], RESULTS["runs"])
            written = simulate.ROOT / "docs/claims.md"
            self.assertEqual(file.read_text(), written.read_text(),
                             "run bench/papers/claims.py --recorded --write docs/claims.md")
            drawn = {each.name: each.read_text() for each in (pathlib.Path(folder) / "claims").iterdir()}
            self.assertEqual(drawn, {each.name: each.read_text() for each in written.with_suffix("").iterdir()})
        for text in drawn.values():
            xml.etree.ElementTree.fromstring(text)

    def test_a_claim_that_misses_says_what_would_decide(self):
        for row in recorded_rows(RESULTS["runs"]):
            if row.verdict == "misses":
                self.assertIn("experiment", row.claim, row.claim["id"])

    def test_another_result_is_a_miss(self):
        """A claim that holds follows its runs: with one that takes thrice as long it misses."""
        for name, of_runs in (("c5.6.submilli", r"--pes 3072 .*--comm channel"), ("m4.balance", r"moldyn .*--pes 8 "),
                              ("c5.5a.H.odf", r"jacobi3d .*--odf 4 .*--comm host"),
                              ("c5.5a.mpid", r"summit:mpi .*--pes 48 .*--comm channel")):
            claim, runs = claim_of(name), copy.deepcopy(RESULTS["runs"])
            self.assertEqual(row_of(claim, runs).verdict, "holds", name)
            for command, record in runs.items():
                if re.search(of_runs, command):
                    for line in record["output"] if isinstance(record["output"], list) else [record["output"]]:
                        line["us_per_iter" if "us_per_iter" in line else "most_interactions"] *= 3
            self.assertEqual(row_of(claim, runs).verdict, "misses", name)


class Command(unittest.TestCase):
    """bench/papers/claims.py."""

    def ran(self, *words):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                status = claims.main([*words, "--bin", FOLDER])
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue(), errors.getvalue()

    def test_cheap_claims_hold(self):
        """By runs of these programs, as they are recorded."""
        names = ("c5.mem.big", "c5.msg.small", "c5.iters")
        status, out, errors = self.ran("--jobs", "2", *(word for name in names for word in ("--id", name)))
        self.assertEqual(status, 0, errors)
        for name in names:
            self.assertRegex(out, rf"(?m)^{re.escape(name)}  holds  ")
        recorded = {row.claim["id"]: row for row in recorded_rows(RESULTS["runs"])}
        for name in names:
            self.assertIn(document.shown_points(recorded[name], "!")[:40], re.sub(r"\s+", " ", out), name)

    def test_what_cannot_be_is_refused(self):
        for words, said in ((("--jobs", "0"), "--jobs is 0; give 1 or more"), (("--tier", "D"), "there are A, B and C"),
                            (("--id", "c9"), "no claim has the id c9"),
                            (("--tier", "A", "--write", "a.md"), "leave out --tier and --id")):
            status, _, errors = self.ran(*words)
            self.assertEqual(status, 2)
            self.assertIn(said, errors)

    def test_programs_that_are_not_there_fail(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = claims.main(["--id", "c5.mem.big", "--bin", "/nowhere"])
        self.assertEqual(status, 1)
        self.assertIn("cannot be run", out.getvalue())


class Fit(unittest.TestCase):
    """bench/papers/fit.py."""

    def test_deviations_are_in_tolerances(self):
        self.assertAlmostEqual(fit.near("c", "gain", 11.0, 10.0, 0.1).deviation(), 1)
        self.assertEqual(fit.Term("c", "gain", 1.3, 1.2, 1.4, 0.1).deviation(), 0)
        self.assertAlmostEqual(fit.Term("c", "gain", 1.1, 1.375, 1.4, 0.1).deviation(), -2)

    def test_numbers_keep_their_units(self):
        for text in ("1.5us", "300ns", "9.3GB/s"):
            self.assertEqual(fit.text_of(fit.value_of(text), text), text)

    def test_the_search_ends_at_the_least_deviation(self):
        """Of two numbers within their ranges: the deviation is the distance from 4 us, and from more than the most."""
        search = fit.Search(None, "summit", {}, 512, 1)
        search.deviation = lambda numbers: (abs(fit.value_of(numbers["host.launch"]) * 1e6 - 4)
                                            + abs(fit.value_of(numbers["host.call"]) * 1e6 - 9))
        with contextlib.redirect_stdout(io.StringIO()):
            found = search.run({"host.launch": "1.6us", "host.call": "1us"}, 12)
        self.assertAlmostEqual(fit.value_of(found["host.launch"]), 4e-6, delta=0.3e-6)
        self.assertEqual(found["host.call"], "2us")

    def test_what_is_no_number_is_refused(self):
        for words, said in ((["--set", "host.lunch=4us"], "--set is host.lunch=4us"),
                            (["--machine", "fugaku"], "chapters 3 and 4 are on summit")):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
                fit.parse(words)
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(said, errors.getvalue())


class Judgement(unittest.TestCase):
    """When a claim holds."""

    def test_best_within_three_percent(self):
        self.assertTrue(judge.is_best({1: 100, 2: 98}, 1))
        self.assertFalse(judge.is_best({1: 102, 2: 98}, 1))
        self.assertFalse(judge.is_best({1: 100}, 2))

    def test_order(self):
        self.assertTrue(judge.in_order([3, 2, 2, 1]))
        self.assertFalse(judge.in_order([3, 2, 2.1]))

    def test_ranges(self):
        self.assertTrue(judge.spans([3.0, 10], 3.1, 10.1, 0.25))
        self.assertFalse(judge.spans([2.0, 10], 3.1, 10.1, 0.25))
        self.assertTrue(judge.within(1.07, 1.0, 1.05, 0.02))
        self.assertFalse(judge.within(1.08, 1.0, 1.05, 0.02))

    def test_time_of_iterations_that_were_not_run(self):
        """A start of 30 us, and 7 us for each."""
        self.assertAlmostEqual(simulate.extrapolated({10: 10.0, 30: 8.0}), 7.3)
        self.assertEqual(simulate.extrapolated({100: 7.3}), 7.3)

    def test_doubling(self):
        self.assertEqual(simulate.weak(192, 1), [192, 192, 192])
        self.assertEqual(simulate.weak(192, 16), [768, 384, 384])

    def test_a_chart_of_one_point(self):
        xml.etree.ElementTree.fromstring(plot.chart("a & b", "x", "y", {"one": {1: 1.0}}, {"one": {1: 2.0}}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
