# SPDX-License-Identifier: Apache-2.0
"""The table of claims: as lines of a terminal, and as the document docs/claims.md with its drawings."""
import collections
import textwrap

import plot

SECTIONS = {"c2": "Chapter 2: grain size on processors", "c3": "Chapter 3 and paper 000: overlap by overdecomposition",
            "c4": "Chapter 4: memory of devices in messages", "c5": "Chapter 5: both together",
            "c6": "Chapter 6: chares inside GPUs", "l3": "Paper 000 on Lassen",
            "hw": "Constants of the machine",
            "m4": "Paper 004: overlap of cells"}
TIERS = {"A": "must be reproduced", "B": "should be", "C": "context"}


def paper_says(claim):
    """The paper's value, as text."""
    expect = claim["expect"]
    named = {"value_GiB": "{} GiB", "value_MiB": "{} MiB", "value_KiB": "{} KiB", "value_us": "{} us",
             "max_us": "at most {} us", "min": "at least {}", "max": "at most {}", "approx": "about {}"}
    parts = []
    for name, value in expect.items():
        if name in ("rel_tol", "tol", "min_us"):
            continue
        if isinstance(value, list):
            value = " to ".join(map(str, value)) if len(value) == 2 else ", ".join(map(str, value))
        elif isinstance(value, dict):
            value = ", ".join(f"{key}: {each}" for key, each in value.items())
        parts.append(named[name].format(value) if name in named else str(value) if name == "value"
                     else f"{name}: {value}")
    return "; ".join(parts) or claim["metric"]


def tolerance_of(claim):
    expect = claim["expect"]
    if "argmin ODF" in claim["metric"]:
        return "3 % of the best" + (f", {claim['tolerance']:.0%}" if "tolerance" in claim else "")
    if "rel_tol" in expect:
        return f"{expect['rel_tol']:.0%}"
    if "tol" in expect:
        return f"{expect['tol']:.0%}"
    return f"{claim['tolerance']:.0%}, ours" if "tolerance" in claim else ""


def configuration_of(claim):
    config = claim["config"]
    return ", ".join(str(config[name]) if name in ("app", "grid", "mode", "scaling") else f"{name} {config[name]}"
                     for name in ("app", "mode", "grid", "scaling", "nodes", "gpus", "odf", "fusion", "particles")
                     if name in config)


def verdict_of(row):
    if row.verdict in ("not run", "failed"):
        return f"{row.verdict}: {row.why}"
    fitted = row.claim.get("fitted")
    if row.verdict == "holds":
        return "holds (fitted)" if fitted else "holds"
    missed = sum(not point.holds for point in row.points)
    part = f" at {missed} of {len(row.points)} points" if len(row.points) > 1 else ""
    return ("**misses**" if not fitted else "**misses**, though fitted") + part


def shown_points(row, mark="**"):
    def one(point):
        text = f"{point.where}: {point.ours}" if point.where else point.ours
        return text if point.holds else f"{mark}{text}{mark}"
    return "; ".join(map(one, row.points))


def shown_command(row):
    if not row.used:
        return ""
    command = list(row.used)[-1]
    more = f" and {len(row.used) - 1} like it" if len(row.used) > 1 else ""
    return f"`{command}`{more}"


def lines_of(row):
    """A row on a terminal."""
    claim = row.claim
    head = f"{claim['id']}  {verdict_of(row).replace('**', '')}  ({sum(row.used.values()):.1f} s)"
    body = [f"{claim['source']}, {claim['section']}: {claim['text']}",
            f"configuration: {configuration_of(claim)}; the paper: {paper_says(claim)}"
            + (f"; tolerance {tolerance_of(claim)}" if tolerance_of(claim) else "")]
    if row.points:
        body.append(f"ours: {shown_points(row, '!')}")
    if row.used:
        body.append(f"command: {shown_command(row).replace('`', '')}")
    return "\n".join([head, *(textwrap.fill(line, 116, initial_indent="    ", subsequent_indent="      ",
                                            break_long_words=False, break_on_hyphens=False) for line in body)])


def counts_of(rows):
    """{tier: Counter of verdicts}; a fitted claim that holds is "fitted"."""
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        kind = "fitted" if row.verdict == "holds" and row.claim.get("fitted") else row.verdict
        counts[row.claim["tier"]][kind] += 1
    return counts


def summary(rows):
    """One line for each tier."""
    lines = []
    for tier, count in sorted(counts_of(rows).items()):
        lines.append(f"tier {tier}: {count['holds'] + count['fitted']} of {sum(count.values())} hold, "
                     f"{count['fitted']} of them fitted; {count['misses']} miss, {count['not run']} were not run"
                     + (f", {count['failed']} failed" if count["failed"] else ""))
    return "\n".join(lines)


def summary_table(rows):
    lines = ["| tier | claims | hold | hold, and were fitted | miss | not run |", "|---|---|---|---|---|---|"]
    for tier, count in sorted(counts_of(rows).items()):
        lines.append(f"| {tier}: {TIERS[tier]} | {sum(count.values())} | {count['holds']} | {count['fitted']} | "
                     f"{count['misses']} | {count['not run']} |")
    return lines


def table_of(rows):
    lines = ["| claim | source | configuration | the paper | ours | tolerance | verdict | s | command |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        claim = row.claim
        lines.append(f"| {claim['id']}, {claim['tier']} | {claim['source']}, {claim['section']}: {claim['text']} | "
                     f"{configuration_of(claim)} | {paper_says(claim)} | {shown_points(row)} | {tolerance_of(claim)} | "
                     f"{verdict_of(row)} | {sum(row.used.values()):.1f} | {shown_command(row)} |")
    return lines


def filled(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def misses_of(rows, causes):
    """For each claim that misses: each cause that was tried, and what would decide."""
    lines = []
    for row in rows:
        if row.verdict != "misses":
            continue
        lines += ["", f"### {row.claim['id']}", "", *filled(f"{row.claim['text'][0].upper()}{row.claim['text'][1:]}.")]
        if row.tried:
            lines += ["", "| cause | changed | ours with it | then |", "|---|---|---|---|"]
            lines += [f"| {causes[name]['says']} | `{causes[name]['change']}` | {shown_points(tried)} | "
                      f"{tried.verdict} |" for name, tried in row.tried.items()]
        lines += ["", *filled(f"Experiment that would decide: {row.claim['experiment']}.")]
    return lines


def draw(charts, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for each in charts:
        (folder / f"{each.name}.svg").write_text(
            plot.chart(each.title, each.x_label, each.y_label, each.lines, each.paper))


def tables(rows):
    lines = []
    for prefix, title in SECTIONS.items():
        of_section = [row for row in rows if row.claim["id"].startswith(prefix)]
        lines += ["", f"### {title}", "", *table_of(of_section)] if of_section else []
    return lines[1:]


def costs(figures):
    """The runs of each figure."""
    lines = ["| figures | runs | s |", "|---|---|---|"]
    for charts, used in figures:
        lines.append(f"| {', '.join(each.name for each in charts)} | {len(used)} | {sum(used.values()):,.0f} |")
    return lines


def document(rows, figures, causes, template, commits):
    """docs/claims.md: the template with its parts, each in the place of its name."""
    seconds = {}
    for row in rows:
        seconds.update(row.used)
    cost = (f"The {len(seconds)} runs of the table took {sum(seconds.values()):,.0f} s of a processor. Sources of the "
            f"programs: {', '.join(sorted(commits))}.")
    parts = {"summary": summary_table(rows), "tables": tables(rows), "misses": misses_of(rows, causes)[1:],
             "figures": [f"![{each.title}](claims/{each.name}.svg)" for charts, _ in figures for each in charts],
             "cost": [*filled(cost), "", *costs(figures)]}
    for name, lines in parts.items():
        template = template.replace(f"@{name}@", "\n".join(lines))
    return template
