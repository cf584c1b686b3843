# SPDX-License-Identifier: Apache-2.0
"""The table of measure.py: from the rows that the programs printed, a row for each target."""
import statistics

SKIPPED = "no GPU: skipped"
UNABLE = "device cannot"
NOT_POSITIVE = "no verdict: such a figure is not positive"
PROCESSORS_FOR_NOTICES = 3  # the PE's, the observer's, and one for all else
SIDES = ("x", "y", "z")
BYTES_OF_A_CELL = 16  # that the least update moves: read once, written once


def both(note, other):
    return "; ".join(filter(None, (note, other)))


class Row:
    """One line of the table. `values` are by repeat; the target is a bound for their median."""

    def __init__(self, what, unit, values=(), target=None, at_least=None, note="", possible=True, doubt="",
                 able=True):
        self.what = what
        self.unit = unit
        self.values = list(values)
        self.target = target
        self.at_least = at_least  # True: the target is a least value; False: a greatest; None: there is none
        self.note = note
        self.possible = possible  # False: what else was measured says that the target cannot be met
        self.doubt = doubt  # why the values are no ground for a verdict
        self.able = able  # False: there are no values because the device cannot do this

    def as_dict(self, judged, nothing):
        """As it stands in the JSON. Without values the row says `nothing`."""
        row = {"what": self.what, "unit": self.unit, "target": self.target, "at_least": self.at_least,
               "median": None, "least": None, "most": None, "verdict": nothing if self.able else UNABLE,
               "note": self.note}
        if not self.values:
            return row
        middle = statistics.median(self.values)
        doubt = self.doubt or (NOT_POSITIVE if middle <= 0 else "")
        row.update(median=middle, least=min(self.values), most=max(self.values), verdict="",
                   note=both(self.note, doubt))
        if judged and self.target is not None and not doubt:
            met = middle >= self.target if self.at_least else middle <= self.target
            row["verdict"] = "met" if met else "missed" if self.possible else "not possible"
        return row


def select(runs, name, key, **wanted):
    """The median at `key` of the row with these values, for each repeat of a program."""
    found = []
    for run in runs.get(name, []):
        for row in run:
            if all(row.get(column) == value for column, value in wanted.items()) and key in row:
                value = row[key]
                found.append(value["median"] if isinstance(value, dict) else value)
                break
    return found


def distinct(runs, name, key, **wanted):
    """The values at `key` of a program's rows, each once, in their order."""
    seen = {}
    for run in runs.get(name, []):
        for row in run:
            if key in row and all(row.get(column) == value for column, value in wanted.items()):
                seen[row[key]] = True
    return list(seen)


def cubes(runs, sizes):
    """The edges that the kernel was measured with, or else is to be."""
    return (distinct(runs, "kernel", "cells", what="update")
            or [int(edge) for edge in sizes["kernel"][sizes["kernel"].index("--cells") + 1].split(",")])


def kernel_rows(runs, sizes):
    for edge in cubes(runs, sizes):
        rate = select(runs, "kernel", "gcell_per_s", what="update", cells=edge)
        copy = select(runs, "kernel", "copy_gb_per_s", what="update", cells=edge)
        note = ""
        if rate:
            note = f"{statistics.median(rate):,.1f} Gcell/s; the copy {statistics.median(copy):,.0f} GB/s"
        for asked in distinct(runs, "kernel", "cells_asked", what="update", cells=edge):
            note += f"; {asked}^3 does not fit into the device"
        yield Row(f"update kernel of Jacobi3D, {edge}^3 doubles, against a copy at 16 B a cell", "%",
                  [100 * ratio for ratio in select(runs, "kernel", "of_copy", what="update", cells=edge)],
                  90, True, note)
    for edge in cubes(runs, sizes)[-1:]:
        for letter in SIDES:
            face = {"what": "face", "cells": edge, "side": f"low {letter}"}
            times = [select(runs, "kernel", key, **face) for key in ("pack_us", "unpack_us")]
            note = ""
            if all(times):
                note = "{:,.1f} us; unpack {:,.1f} us".format(*map(statistics.median, times))
            yield Row(f"pack of a side of {letter}, {edge}^2 doubles", "GB/s",
                      select(runs, "kernel", "pack_gb_per_s", **face), note=note)


def notice_rows(runs, processors):
    doubt = ""
    if processors < PROCESSORS_FOR_NOTICES:
        doubt = (f"no verdict: on fewer than {PROCESSORS_FOR_NOTICES} processors (here {processors}) "
                 "such times are the system's scheduler's")
    able = {method: not runs.get("notice") or bool(select(runs, "notice", "samples", what="idle", method=method))
            for method in ("poll", "flag", "callback")}
    for method in able:
        target = None if method == "callback" else 2
        beyond = select(runs, "notice", "after_stream_us", what="idle", method=method)
        note = f"{statistics.median(beyond):.2f} us after the stream's next operation" if beyond else ""
        yield Row(f"{method}: noticed after a kernel's last store, idle PE", "us",
                  select(runs, "notice", "after_kernel_us", what="idle", method=method), target, False, note,
                  doubt=doubt, able=able[method])
    for method in able:
        target = None if method == "callback" else 20
        late = sum(select(runs, "notice", "late", what="beside a long one", method=method))
        note = f"{late} samples came too late, when the long one had ended" if late else ""
        for key, words in (("after_kernel_us", "after its last store"),
                           ("from_submission_us", "after its launch")):
            yield Row(f"{method}: a 10 us kernel beside one of 10 ms, noticed {words}", "us",
                      select(runs, "notice", key, what="beside a long one", method=method), target, False, note,
                      doubt=doubt, able=able[method])


def turn_rows(runs):
    query = select(runs, "idle_turn", "ns", what="query of an event")
    yield Row("a query of the device for one event, without a PE", "ns", query)
    for method, target in (("flag", 50), ("poll", 700)):
        nothing = select(runs, "idle_turn", "ns", what="turn", method=method, pending=0)
        usual = f"with nothing pending {statistics.median(nothing):.1f} ns" if nothing else ""
        for streams, words in ((1, "on one stream"), (1000, "on 1,000 streams")):
            values = select(runs, "idle_turn", "ns", what="turn", method=method, pending=1000, streams=streams)
            full = runs.get("idle_turn") and not values
            note = "the device's queues do not take so many" if full else usual
            yield Row(f"{method}: an idle turn with 1,000 pending completions {words}", "ns",
                      values, target, False, note, able=not full)


def jacobi_times(runs, edge, completion):
    """us for an iteration, by ODF a list over the repeats."""
    name = f"jacobi3d {edge}"
    return {odf: select(runs, name, "us_per_iter", completion=completion, odf=odf)
            for odf in distinct(runs, name, "odf", completion=completion)}


def limits(runs, edge, microseconds):
    """The speed-up of such an iteration if only the update of the cells were left: at the rate of a copy, and at that
    of our kernel. Only the first one is a bound. None if unknown."""
    known = distinct(runs, "kernel", "cells", what="update")
    if not known:
        return None
    nearest = min(known, key=lambda cells: abs(cells - edge))
    copy, update = (statistics.median(select(runs, "kernel", key, what="update", cells=nearest))
                    for key in ("copy_gb_per_s", "gcell_per_s"))
    return tuple(microseconds * gcells * 1e3 / edge**3 for gcells in (copy / BYTES_OF_A_CELL, update))


def words_of(most):
    """For a note."""
    return "; memory allows {:.2f}, our update kernel {:.2f}".format(*most)


def jacobi_rows(runs, sizes, pes, processors):
    shared = f"{pes} PEs share {processors} processors" if processors < pes else ""
    for edge in sizes["jacobi3d"]["edges"]:
        polled = jacobi_times(runs, edge, "poll")
        blocked = jacobi_times(runs, edge, "sync").get(4, [])
        note = ""
        possible = True
        if blocked:
            note = f"{statistics.median(polled[4]):,.0f} against {statistics.median(blocked):,.0f} us"
            if most := limits(runs, edge, statistics.median(blocked)):
                possible = most[0] >= 1.5
                note += words_of(most)
        note = both(note, shared)
        yield Row(f"Jacobi3D {edge}^3, {pes} PEs, host staging, ODF 4: asynchronous against synchronous",
                  "times", [b / a for a, b in zip(polled.get(4, []), blocked)], 1.5, True, note, possible)
    for edge in sizes["jacobi3d"]["edges"]:
        polled = jacobi_times(runs, edge, "poll")
        values, note, best = [], "", "best ODF"
        if polled:
            middle = {odf: statistics.median(times) for odf, times in polled.items()}
            fastest = min((odf for odf in middle if odf != 1), key=middle.get)
            values = [one / other for one, other in zip(polled[1], polled[fastest])]
            best = f"best ODF ({fastest})"
            note = "; ".join(f"ODF {odf}: {middle[odf]:,.0f} us" for odf in middle)
            if most := limits(runs, edge, middle[1]):
                note += words_of(most)
        note = both(note, shared)
        yield Row(f"Jacobi3D {edge}^3, {pes} PEs, host staging: {best} against ODF 1", "times",
                  values, 1.3, True, note)


def independent_rows(runs, sizes):
    edges = distinct(runs, "independent", "cells")
    edge = edges[0] if edges else sizes["independent"][sizes["independent"].index("--cells") + 1]
    times = [select(runs, "independent", "us_per_iter", odf=odf) for odf in (1, 8)]
    note = ""
    if all(times):
        note = f"{statistics.median(times[1]):,.0f} against {statistics.median(times[0]):,.0f} us"
    yield Row(f"8 blocks that exchange nothing against one, {edge}^3, one PE: time", "times",
              select(runs, "independent", "times_the_first", odf=8), 1.05, False, note)


def rows(runs, names, skipped, sizes, pes, processors, is_gpu):
    """All rows of the programs of these names, as dictionaries; `skipped` were not run for want of a GPU."""
    makers = {"kernel": lambda: kernel_rows(runs, sizes), "notice": lambda: notice_rows(runs, processors),
              "idle_turn": lambda: turn_rows(runs), "jacobi3d": lambda: jacobi_rows(runs, sizes, pes, processors),
              "independent": lambda: independent_rows(runs, sizes)}
    made = []
    for name in (name for name in makers if name in names):
        nothing = SKIPPED if name in skipped else "failed"
        for row in makers[name]():
            # The emulated device's time of a query is not that of a GPU, but a flag is a word in memory on both.
            judged = is_gpu or (name == "idle_turn" and row.what.startswith("flag"))
            made.append(row.as_dict(judged, nothing))
    return made


def number(value, unit):
    digits = {"%": 1, "us": 2, "ns": 1, "times": 2, "GB/s": 0}[unit]
    return f"{value:,.{digits}f}"


def target(row):
    if row["target"] is None:
        return ""
    return f"{'>=' if row['at_least'] else '<='} {row['target']:g} {row['unit']}"


def origin(result):
    """The version of Imbrex, the host, and the date of the figures."""
    about = result["imbrex"]
    imbrex = "Imbrex (`imbrex info` could not be run)"
    if "missing" not in about:
        imbrex = f"Imbrex {about['version']} ({about['compiler']}, {about['build_type']})"
    return f"{imbrex}; processors: {result['processors']}; begun {result['date']}."


def table(result):
    """The text of gpu.md."""
    where = result["device"]
    if result["backend"] == "emulated":
        where = f"the emulated device ({where}): but for the turns with flags no figure is a GPU's"
    lines = [f"Measured on {where}; sizes {result['sizes']}; medians of {result['repeats']} runs in turn, least "
             f"and greatest; {result['seconds']:.0f} s.", "", origin(result), ""]
    if result["no_gpu"]:
        lines += [f"No GPU: {result['no_gpu']}", ""]
    lines += ["| what | target | measured | range | verdict | note |", "|---|---|---|---|---|---|"]
    for row in result["table"]:
        measured = spread = ""
        if row["median"] is not None:
            measured = f"{number(row['median'], row['unit'])} {row['unit']}"
            spread = f"{number(row['least'], row['unit'])} to {number(row['most'], row['unit'])}"
        cells = (row["what"], target(row), measured, spread, row["verdict"], row["note"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
