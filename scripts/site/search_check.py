#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches the site build/site in a headless Chromium without a network, as a reader does.

usage: search_check.py [FOLDER]    FOLDER: the site, build/site unless given

Each word of `WANTED` must be found: one of the first three hits leads to a page that is named there.
"""
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from urllib.parse import quote

WANTED = {
    "receive_any": r"mailbox|tutorial|coming-from",
    "--net-latency": r"options",
    "MPI_Cancel": r"mpi-functions|coming-from|mpi\b",
    "deadlock": r"errors|trouble|tutorial|architecture",
}
HIT = re.compile(r'<li[^>]*>\s*<a href="([^"]+)"')
MILLISECONDS = 30000  # of the page's own clock, which Chromium advances as fast as it can


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the folder of the site without a line for each request."""

    def log_message(self, *_):
        pass


def hits_of(chromium, address, word):
    """The pages that the search lists for a word, in their order."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             f"--virtual-time-budget={MILLISECONDS}", "--dump-dom", f"{address}/search.html?q={quote(word)}"],
            capture_output=True, text=True, timeout=300)
    results = done.stdout.partition('id="search-results"')[2]
    return [page for page in HIT.findall(results) if not page.startswith("http")]


def main(arguments):
    site = pathlib.Path(arguments[0] if arguments else "build/site")
    if not (site / "search.html").exists():
        print(f"search: there is no site in {site}; make it by ./dev site", file=sys.stderr)
        return 2
    chromium = shutil.which("chromium")
    if chromium is None:
        print("search: there is no chromium; install it (Debian: chromium)", file=sys.stderr)
        return 2
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *rest: Quiet(*rest, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failed = 0
    for word, pages in WANTED.items():
        hits = hits_of(chromium, f"http://127.0.0.1:{server.server_port}", word)[:3]
        is_found = any(re.search(pages, hit) for hit in hits)
        failed += not is_found
        print(f"search: {word}: {'found' if is_found else 'NOT FOUND'}: {' '.join(hits)}")
    server.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
