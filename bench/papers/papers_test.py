#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of this folder, of few nodes: usage: papers_test.py FOLDER, where the programs are."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import figures
import plot
import reproduce
from simulate import FUGAKU, weak

FOLDER = sys.argv[1]
MODEL = pathlib.Path(__file__).resolve().parents[2] / "imbrex/device/models/summit.toml"


class Figures(unittest.TestCase):
    """Output and drawings."""

    def printed(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(reproduce.main([*words, "--bin", FOLDER, "--svg", folder]), 0)
            charts = {}
            for file in pathlib.Path(folder).iterdir():
                charts[file.stem] = xml.etree.ElementTree.fromstring(file.read_text())
        return out.getvalue(), charts

    def rows(self, text):
        """{claim: verdict}, of claims with several rows the last."""
        cells = [line.split(" | ") for line in text.splitlines() if line.startswith(("| c", "| m4", "| ("))]
        return {row[0].removeprefix("| "): row[-1].removesuffix(" |") for row in cells}

    def test_tables_of_chapter_4(self):
        """The papers' gains within 25 %, and channel before message before staging."""
        text, charts = self.printed("table-4")
        rows = self.rows(text)
        for name in ("intra_latency_range", "intra_latency_eager", "inter_latency_range", "inter_latency_eager"):
            self.assertIn("as the paper", rows["c4.charm." + name], text)
        for name in ("c4.peakbw", "(table 4.1)", "(table 4.2)"):
            self.assertIn("as the paper", rows[name], text)
        self.assertEqual(len(charts), 4)

    def test_figures_of_chapter_5_on_few_nodes(self):
        """Each figure has its lines, and what the paper says of few nodes comes out."""
        for name, nodes, lines, claims in (
                ("figure-5.4", "1", 2, []),  # which is not comparable
                ("figure-5.5b", "1,2", 4, ["c5.5b.gpu"]),
                ("figure-5.6", "8", 4, ["c5.6.H.odf.8", "c5.6.Dbest", "c5.6.HvsMPI"]),
                ("figure-5.7", "1,2", 4, ["c5.7.none"]),
                ("figure-5.8", "1,2", 4, ["c5.8.dimin"])):
            text, charts = self.printed(name, "--nodes", nodes, "--iterations", "4")
            rows = self.rows(text)
            for claim in claims:
                self.assertEqual(rows[claim], "as the paper", text)
            for drawn in charts.values():
                self.assertEqual(len(drawn.findall("{http://www.w3.org/2000/svg}polyline")), lines)

    @unittest.skipUnless((pathlib.Path(FOLDER) / "osu_ranks").exists(), "programs of MPI are not built")
    def test_ranks_of_mpi(self):
        """Short messages go from device to device in less time than through the host."""
        text, charts = self.printed("table-4-ranks")
        rows = self.rows(text)
        for name in ("(intra-node)", "(inter-node)"):
            self.assertEqual(rows[name], "as the paper", text)
        self.assertEqual(len(charts), 4)
        text, charts = self.printed("figure-4.16", "--nodes", "1,2", "--iterations", "4")
        self.assertEqual(list(charts), ["figure-4.16-weak"], text)

    def test_figures_of_chapter_6(self):
        """The paper's results for chares inside GPUs are reached, or exceeded."""
        for name, charts in (("figure-6.20", 1), ("figure-6.21", 2), ("figure-6.22", 1)):
            text, drawn = self.printed(name, "--iterations", "4")
            self.assertNotIn("missed", text)
            self.assertEqual(len(drawn), charts)

    def test_no_iterations_are_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            reproduce.main(["sizes", "--iterations", "0"])
        self.assertIn("--iterations is 0; give 1 or more", said.getvalue())

    def test_sizes(self):
        self.assertNotIn("missed", self.printed("sizes")[0])

    def test_overlap_of_moldyn_on_few_nodes(self):
        """Nodes that have pauses wait for each other less where their work overlaps."""
        text, charts = self.printed("moldyn-figure-6", "--nodes", "1,2", "--iterations", "10")
        self.assertEqual(self.rows(text)["m4.cells"], "as the paper", text)
        drawn = charts["moldyn-figure-6"].findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(drawn), 3)
        text, _ = self.printed("moldyn-figure-7", "--nodes", "2", "--iterations", "10")
        self.assertEqual(self.rows(text)["(figure 7)"], "as the paper", text)

    @unittest.skipUnless((pathlib.Path(FOLDER).parent / "python").exists(), "the package of Python is not built")
    def test_python(self):
        """Faces that cross from device to device take less time than through the host."""
        text, charts = self.printed("figure-4.17", "--nodes", "1", "--iterations", "4")
        self.assertEqual(self.rows(text)["(figure 4.17, weak)"], "as the paper", text)
        self.assertEqual(list(charts), ["figure-4.17-weak"], text)

    def test_minimd_on_few_nodes(self):
        """With four blocks for each GPU the exchange is covered, as in the paper, and not with one."""
        text, charts = self.printed("minimd-figure-7a", "--nodes", "1,2", "--iterations", "20")
        rows = self.rows(text)
        for name in ("(figure 7a)", "(figure 7a, gain)"):
            self.assertEqual(rows[name], "as the paper", text)
        drawn = charts["minimd-figure-7a"].findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(drawn), 5)

    def test_each_number_of_a_model_has_a_source(self):
        """Said above it, or above the numbers that it follows, in its table."""
        for model in (MODEL, FUGAKU):
            said = False
            for line in model.read_text().splitlines():
                if line.startswith("["):
                    said = False
                elif line.startswith("#"):
                    said = True
                elif line:
                    self.assertTrue(said, line)

    def test_doubling(self):
        self.assertEqual(weak(192, 1), [192, 192, 192])
        self.assertEqual(weak(192, 16), [768, 384, 384])


class Judgement(unittest.TestCase):
    """When a claim holds."""

    def test_best_within_three_percent(self):
        self.assertTrue(figures.is_best({1: 100, 2: 98}, 1))
        self.assertFalse(figures.is_best({1: 102, 2: 98}, 1))
        self.assertFalse(figures.is_best({1: 100}, 2))

    def test_order(self):
        self.assertTrue(figures.in_order([3, 2, 2, 1]))
        self.assertFalse(figures.in_order([3, 2, 2.1]))

    def test_range(self):
        self.assertTrue(figures.range_claim("", (3.1, 10.1), {1: 3.0, 2: 10}, "").holds)
        self.assertFalse(figures.range_claim("", (3.1, 10.1), {1: 2.0, 2: 10}, "").holds)

    def test_a_chart_of_one_point(self):
        xml.etree.ElementTree.fromstring(plot.chart("a & b", "x", "y", {"one": {1: 1.0}}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
