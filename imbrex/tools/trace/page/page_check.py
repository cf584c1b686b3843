#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a trace and its page, opens that in headless Chromium, where it uses itself, and checks what it saw.

usage: page_check.py IMBREX PROGRAM FOLDER

PROGRAM is Jacobi3D. The page and pictures of it are left in FOLDER. Exits with 77 if there is no Chromium.
"""
import html
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
SKIPPED = 77


# Text that would end the data around it, without escapes.
EVIL = """</script><img src=x onerror="document.title='out'"><!-- &lt;b&gt;"""


def chunk(kind, track, content):
    return struct.pack("<IIII", 0x6b6e6863, kind, track, len(content)) + content


def name(table, number, text):
    raw = text.encode()
    return struct.pack("<BxxxIQII", table, number, 0, len(raw), 0) + raw + bytes(-len(raw) % 8)


def record(time, kind, entry=0, detail=0, group=0, a=0, b=0):
    return struct.pack("<QBBHIQQ", time, kind, detail, entry, group, a, b)


def head(pes):
    return struct.pack("<8sIIIIIIQQqII", b"imbrext1", 1, 64, 0, 1, 0, pes, 1, 0, 0, 0, 0)


def write_evil_trace(file):
    """A trace all of whose names are EVIL: two PEs, messages between them, phases, marks and a device."""
    entries, collections, marks = 0, 1, 3
    begin, end, sent, arrived, operation, phase_begin, phase_end, mark = 1, 2, 7, 9, 12, 13, 14, 15
    tracks = {0: b"", 1: b"", 2 << 24: b""}
    for k in range(40):
        start = 10_000 * k
        tracks[0] += record(start, begin, group=1, b=k) + record(start + 1000, phase_begin, group=1, a=k)
        tracks[0] += record(start + 2000, sent, group=1, a=64 * k + 64, b=100) + record(start + 4000, end)
        tracks[1] += record(start + 6000, arrived, a=64 * k + 64)
        tracks[1] += record(start + 6500, begin, group=1, a=64 * k + 64, b=k) + record(start + 7000, mark, group=1)
        tracks[1] += record(start + 9000, end)
        tracks[0] += record(start + 9500, phase_end, group=1, a=k)
        tracks[2 << 24] += record(start + 9000, operation, entry=1, a=3000, group=1)
    names = name(entries, 0, EVIL) + name(collections, 1, EVIL + "\t64") + name(marks, 1, EVIL)
    chunks = b"".join(chunk(1, track, records) for track, records in tracks.items())
    file.write_bytes(head(2) + chunk(2, 0, names) + chunks + chunk(4, 0, b""))


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Browser:
    def __init__(self, program, folder):
        # All that it writes stays in the folder; the pages are our own, so no sandbox is needed, nor a GPU.
        self.command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                        "--hide-scrollbars", f"--user-data-dir={folder / 'browser'}", "--window-size=1280,1700"]

    def seen_by(self, page, fragment):
        text = run(*self.command, "--dump-dom", f"file://{page}{fragment}")
        found = re.search(r'<pre id="self-test"[^>]*>(.*?)</pre>', text, re.DOTALL)
        if found is None:
            sys.exit(f"{page}: the page did not come to the end of its test")
        return json.loads(html.unescape(found.group(1)))

    def picture(self, page, name, fragment=""):
        picture = page.with_name(name)
        picture.unlink(missing_ok=True)
        run(*self.command, f"--screenshot={picture}", f"file://{page}{fragment}")
        if not picture.exists() or picture.stat().st_size < 20_000:
            sys.exit(f"{picture}: there is no picture, or nothing on it")


def show(page, seen):
    print(page.name, json.dumps({what: seen[what] for what in seen if what not in ("text", "selected")}))


def check(page, seen, runs):
    show(page, seen)
    expectations = {
        "no error": "error" not in seen,
        "something is drawn": seen.get("painted", 0) > 1000,
        "the button zooms in": abs(seen.get("zoomedIn", 0) - 0.5) < 0.01,
        "and out": abs(seen.get("zoomedOut", 0) - 1) < 0.01,
        "w zooms": abs(seen.get("byKeys", 0) - 0.7) < 0.01,
        "so does the wheel": 0 < seen.get("byWheel", 1) < 0.6,
        "whole run": abs(seen.get("wholeAgain", 0) - 1) < 0.01,
        "bins hold the time of the program": len(seen.get("program", [])) == runs and all(
            abs(part - 1) < 0.02 for part in seen["program"]),
        "the search finds": seen.get("found", 0) > 10,
        "next goes on": seen.get("place") == 1 and seen.get("previous") == 0,
        "what is found is told": "jacobi3d::" in (seen.get("selected") or ""),
        "and is in view": seen.get("inView") is True,
        "the mouse tells what it is on": "jacobi3d::" in seen.get("tip", ""),
        "a click chooses": seen.get("clicked") is True,
        "messages belong to what sent them": seen.get("arrow") is True,
    }
    failed = [what for what, holds in expectations.items() if not holds]
    if failed:
        sys.exit(f"{page}: does not hold: {', '.join(failed)}")


def main():
    imbrex, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    browser_program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_program is None:
        print("skipped: none of", ", ".join(BROWSERS), "is installed")
        sys.exit(SKIPPED)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    browser = Browser(browser_program, folder)
    for name, factor in (("odf1", 1), ("odf4", 4)):
        run(imbrex, "run", "-n", 2, program, "--grid", "48,48,48", "--odf", factor, "--iters", 10, "--pes", 1,
            "--net-latency", "200us", "--trace", folder / f"{name}.trace")
    run(program, "--machine", "simulated", "--device-model", "v100", "--no-data", "--pes", 2, "--grid", "384,384,384",
        "--odf", 2, "--iters", 10, "--completion", "poll", "--trace", folder / "devices.trace")
    write_evil_trace(folder / "evil.trace")
    pages = {"odf4": ["odf4"], "devices": ["devices"], "compared": ["odf1", "odf4"]}
    for name, traces in pages.items():
        page = folder / f"{name}.html"
        told = run(imbrex, "trace", "report", *(folder / f"{trace}.trace" for trace in traces), "--output", page)
        if str(page) not in told or len(told.splitlines()) != 1:
            sys.exit(f"imbrex trace report says {told!r}, not one line with the page's name")
        fragment = f"#selftest&search={'device_block' if name == 'devices' else 'block::run'}"
        check(page, browser.seen_by(page, fragment), len(traces))
        browser.picture(page, f"{name}.png")
        browser.picture(page, f"{name}-zoomed.png", fragment)
    page = folder / "evil.html"
    run(imbrex, "trace", "report", folder / "evil.trace", "--output", page)
    seen = browser.seen_by(page, "#selftest")
    show(page, seen)
    if seen.get("images") != 0 or seen.get("title") != "Imbrex trace: evil.trace":
        sys.exit(f"{page}: a name has become a part of the page")
    if EVIL not in seen.get("text", "") or seen.get("found") != 120 or seen.get("arrow") is not True:
        sys.exit(f"{page}: names are not shown as they are")
    browser.picture(page, "evil.png", "#selftest")
    (folder / "empty.trace").write_bytes(head(1) + chunk(4, 0, b""))
    run(imbrex, "trace", "report", folder / "empty.trace")
    seen = browser.seen_by(folder / "empty.trace.html", "#selftest")
    show(page, seen)
    if "error" in seen or seen.get("found") != 0:
        sys.exit("the page of an empty trace fails")
    shutil.rmtree(folder / "browser", ignore_errors=True)
    print("pictures:", *sorted(str(picture) for picture in folder.glob("*.png")))


if __name__ == "__main__":
    main()
