#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report.py itself: what a page shows, which pages are old, and which result files are refused."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import report

ROW = {"what": "message; call", "value": "20; 1,000", "unit": "ns", "rival": "other", "rival_value": "40; 4,000",
       "goal": "10 ns", "command": "./dev bench", "note": "Missed: a hand-over takes 15 ns."}


def area_of(name):
    return {"area": name, "title": f"Area {name}", "summary": "Short.", "rows": [dict(ROW)],
            "measured": [{"machine": "a machine", "commit": "0123abcd", "date": "2026-11-30"}]}


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results, self.page = pathlib.Path(folder.name), pathlib.Path(folder.name, "page.md")
        for name in report.AREAS:
            self.write(area_of(name))
        self.assertEqual(self.run_it(), (0, ""))

    def write(self, area, name=""):
        (self.results / f"{name or area['area']}.json").write_text(json.dumps(area))

    def run_it(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as complaints, contextlib.redirect_stdout(io.StringIO()):
            status = report.main([*arguments], self.results, self.page)
        return status, complaints.getvalue()

    def assert_refused(self, area, *texts):
        self.write(area)
        status, complaint = self.run_it("--check")
        self.assertEqual(status, 1)
        for text in texts:
            self.assertIn(text, complaint)

    def test_a_page_that_was_just_made(self):
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_what_a_page_shows(self):
        page = self.page.read_text()
        self.assertIn("[Area mpi](#area-mpi)", page)
        self.assertIn("| message; call [1] | 20; 1,000 ns | other 40; 4,000 | 0.50; 0.25 | **10 ns** |", page)
        self.assertIn("\nMeasured: a machine (0123abcd 2026-11-30).\n", page)
        self.assertIn("1. Missed: a hand-over takes 15 ns.", page)
        self.assertIn("```text\n./dev bench\n```", page)

    def test_letters_and_numbers_tell_machines_and_commands_apart(self):
        area = area_of("mpi")
        area["measured"].append({"machine": "another", "commit": "4567abcd", "date": "2026-11-29"})
        area["rows"] = [dict(ROW, machine=0), dict(ROW, machine=1, command="./dev instructions", goal="a|b")]
        self.write(area)
        self.assertEqual(self.run_it(), (0, ""))
        page = self.page.read_text()
        self.assertIn("| **10 ns** | a1 |", page)
        self.assertIn("| **a\\|b** | b2 |", page)
        self.assertIn("./dev instructions  #2", page)

    def test_ratios(self):
        for value, rival, wanted in (("21", "42", "0.50"), ("1; 30", "10", "0.10; 3.00"), ("18-19", "20", ""),
                                     ("1; 2", "1; 2; 3", ""), ("1", "100", "0.010"), ("1", "0", "")):
            self.assertEqual(report.ratio_of({"value": value, "rival_value": rival}), wanted)
        self.assertEqual(report.ratio_of({"value": "1", "rival_value": "2", "ratio": "2 times"}), "2 times")

    def test_a_changed_figure_is_named(self):
        area = area_of("mpi")
        area["rows"][0]["value"] = "20; 2,000"
        self.assert_refused(area, "docs/performance.md is old", "20; 1,000 ns", "20; 2,000 ns")

    def test_an_unknown_field_is_named(self):
        area = area_of("mpi")
        area["rows"][0]["median"] = "20"
        self.assert_refused(area, "bench/results/mpi.json: message; call: there is no field 'median'")
        area = dict(area_of("mpi"), author="me")
        self.assert_refused(area, "bench/results/mpi.json: there is no field 'author'")

    def test_a_missing_field_is_named(self):
        for field in report.AREA_FIELDS[1:]:
            area = area_of("mpi")
            del area[field]
            self.assert_refused(area, f"bench/results/mpi.json: the field '{field}' is missing")
        for field in report.ROW_FIELDS:
            area = area_of("mpi")
            del area["rows"][0][field]
            self.assert_refused(area, "bench/results/mpi.json", f"the field '{field}' is missing")
        for field in report.MEASURED_FIELDS:
            area = area_of("mpi")
            del area["measured"][0][field]
            self.assert_refused(area, f"bench/results/mpi.json: measured: the field '{field}' is missing")
        area = area_of("mpi")
        del area["rows"][0]["rival"]
        self.assert_refused(area, "the field 'rival' is missing")

    def test_fields_of_another_kind(self):
        area = area_of("mpi")
        area["rows"][0]["value"] = 20
        self.assert_refused(area, "the field 'value' is empty, or no str")
        area = area_of("mpi")
        area["rows"] = ["20 ns"]
        self.assert_refused(area, "bench/results/mpi.json: rows: '20 ns' has no fields")
        area = area_of("mpi")
        area["rows"][0]["machine"] = 1
        self.assert_refused(area, "the field 'machine' is 1, which is no entry of 'measured'")
        area = area_of("mpi")
        area["measured"][0]["date"] = "yesterday"
        self.assert_refused(area, "the field 'date' is 'yesterday'")

    def test_machines_of_rows(self):
        area = area_of("mpi")
        area["measured"] *= 2
        self.assert_refused(area, "the field 'machine' is missing")
        area["rows"][0]["machine"] = 0
        self.assert_refused(area, "measured: no row has the machine 1")

    def test_files(self):
        (self.results / "mpi.json").unlink()
        self.assertIn("bench/results/mpi.json is missing", self.run_it("--check")[1])
        self.write(area_of("apps"), "mpi")
        self.assertIn("the field 'area' is 'apps'", self.run_it("--check")[1])
        self.write(area_of("mpi"))
        self.write(area_of("weather"))
        self.assertIn("bench/report.py has no area 'weather'", self.run_it("--check")[1])

    def test_usage(self):
        self.assertEqual(self.run_it("--chek")[0], 2)


if __name__ == "__main__":
    unittest.main()
