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
import subprocess
import sys

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
SKIPPED = 77


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


def check(page, seen, runs):
    print(page.name, json.dumps(seen))
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
    run(program, "--machine", "virtual", "--device-model", "v100", "--no-data", "--pes", 2, "--grid", "384,384,384",
        "--odf", 2, "--iters", 10, "--completion", "poll", "--trace", folder / "devices.trace")
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
    print("pictures:", *sorted(str(picture) for picture in folder.glob("*.png")))


if __name__ == "__main__":
    main()
