#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/pictures/*.svg: the execution model, a timeline of overlap, a message's way, a migration.

usage: pictures.py [--check]    with --check, fails if a picture is old
"""
import pathlib
import sys
from xml.sax.saxutils import escape

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/pictures"
COLOURS = {"a": "#4477aa", "b": "#cc6677", "c": "#228833", "d": "#aa7733", "idle": "#dddddd", "box": "#f4f4f4"}


class Picture:
    """An SVG picture on white ground."""

    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def box(self, x, y, width, height, text="", colour="box", size=13):
        ink = "#222" if colour in {"box", "idle"} else "#fff"
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="{COLOURS[colour]}" '
                          f'stroke="#555" stroke-width="0.7"/>')
        if text:
            self.text(x + width / 2, y + height / 2 + size / 3, text, size, "middle", ink)
        return self

    def text(self, x, y, text, size=13, anchor="start", ink="#222"):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{ink}">'
                          f'{escape(text)}</text>')
        return self

    def arrow(self, x1, y1, x2, y2, dashed=False):
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#222" stroke-width="1.2"{dashes} '
                          f'marker-end="url(#head)"/>')
        return self

    def svg(self):
        width, height = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                f'height="{height}" font-family="sans-serif" role="img">\n<title>{escape(self.title)}</title>\n'
                '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                'orient="auto"><path d="M0 0L8 4L0 8z" fill="#222"/></marker></defs>\n'
                f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def overlap():
    picture = Picture(680, 210, "One chare a PE waits; four chares a PE take turns")
    picture.text(10, 20, "One chare on each PE: the PE waits for every message.")
    x = 60
    picture.text(10, 50, "PE 0")
    for _ in range(3):
        picture.box(x, 35, 110, 22, "compute", "a").box(x + 110, 35, 80, 22, "wait", "idle")
        x += 190
    picture.text(10, 95, "Four chares on each PE: one computes while the others wait.")
    picture.text(10, 125, "PE 0")
    x = 60
    for _ in range(3):
        for name in "abcd":
            picture.box(x, 110, 29, 22, name, name)
            x += 29
        x += 4
    picture.text(x + 10, 125, "done earlier")
    picture.text(10, 165, "A chare sends its faces and suspends. Messages travel while its PE runs others.")
    picture.text(10, 187, "When the faces of its neighbours have arrived, it is in the queue of its PE again.")
    return picture


def model():
    picture = Picture(680, 250, "Chares on PEs, with one queue of messages each")
    for number, names in enumerate((("a", "b"), ("c", "d"))):
        x = 20 + 340 * number
        picture.box(x, 30, 300, 190).text(x + 10, 50, f"PE {number}: one thread, one scheduler")
        picture.text(x + 10, 78, "queue").box(x + 65, 62, 60, 24, "face").box(x + 129, 62, 60, 24, "result")
        picture.arrow(x + 95, 88, x + 95, 118)
        picture.text(x + 110, 108, "one at a time")
        for index, name in enumerate(names):
            picture.box(x + 30 + 130 * index, 122, 110, 40, f"chare {2 * number + index}", name)
        picture.text(x + 10, 190, "The entry of a chare runs until it ends")
        picture.text(x + 10, 207, "or waits; then the next message runs.")
    picture.arrow(290, 142, 388, 142).text(306, 137, "send", 12)
    return picture


def message():
    picture = Picture(680, 240, "The way of a message")
    picture.text(10, 22, "send<&block::halo>(blocks[5], 7, face)")
    ways = ((40, "own PE", "queue"), (110, "PE of this process", "inbox"), (180, "other process", "UCX"))
    for y, place, by in ways:
        for number, step in enumerate(("location", place, by, "entry")):
            x = 20 + 168 * number
            picture.box(x, y, 136, 34, step, "a" if number == 3 else "box")
            if number < 3:
                picture.arrow(x + 136, y + 17, x + 166, y + 17)
    picture.text(356, 92, "moved, no copy", 12, "middle").text(356, 162, "moved, no copy", 12, "middle")
    picture.text(356, 232, "serialised, or read from the sender's memory", 12, "middle")
    return picture


def migration():
    picture = Picture(680, 230, "A chare moves to another PE")
    for number, name in enumerate(("PE 0", "PE 1", "PE 2")):
        picture.box(20 + 220 * number, 30, 200, 150).text(30 + 220 * number, 50, name)
    picture.box(50, 75, 90, 30, "chare 5", "idle").box(270, 75, 90, 30, "chare 5", "b")
    picture.arrow(142, 90, 268, 90).text(168, 84, "members", 12)
    picture.box(490, 75, 110, 30, "sender", "c")
    picture.arrow(488, 100, 145, 130, dashed=True).text(330, 132, "1. to the old place", 12)
    picture.arrow(140, 140, 268, 112).text(150, 160, "2. forwarded", 12)
    picture.arrow(362, 98, 488, 84).text(372, 70, "3. the new place", 12)
    picture.text(20, 205, "Members and unread messages move. Later messages go to the new place at once.")
    return picture


PICTURES = {"overlap": overlap, "model": model, "message": message, "migration": migration}


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    old = []
    for name, draw in PICTURES.items():
        path, made = FOLDER / f"{name}.svg", draw().svg()
        if not arguments:
            path.write_text(made)
        elif not path.exists() or path.read_text() != made:
            old.append(path.name)
    if old:
        print(f"pictures: run scripts/site/pictures.py: {', '.join(old)} would change", file=sys.stderr)
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
