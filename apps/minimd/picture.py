#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the atoms of an extended XYZ file, as minimd --dump writes it, to an SVG file: seen along z, the near ones
above the far ones, in colours from slow (blue) to fast (red).

usage: picture.py FILE.xyz PICTURE.svg [FRAME]

FRAME counts from 0 (default the last frame).
"""
import re
import sys


def frames(lines):
    """Yields of each frame the lengths of the box and a list of (position, speed)."""
    at = 0
    while at < len(lines):
        if not lines[at].strip().isdigit():
            raise ValueError(f"line {at + 1}: a number of atoms is missing; the file is no extended XYZ")
        count = int(lines[at])
        lattice = re.search(r'Lattice="([^"]*)"', "".join(lines[at + 1:at + 2]))
        if lattice is None or len(lattice[1].split()) != 9:
            raise ValueError(f"line {at + 2}: a Lattice of nine numbers is missing; the file is no extended XYZ")
        box = [float(x) for x in lattice[1].split()][::4]
        atoms = []
        for number, line in enumerate(lines[at + 2:at + 2 + count], at + 3):
            numbers = [float(x) for x in line.split()[1:7]]
            if len(numbers) < 3:
                raise ValueError(f"line {number}: a position is missing; the file is no extended XYZ")
            atoms.append((numbers[:3], sum(v * v for v in numbers[3:]) ** 0.5))
        if len(atoms) != count:
            raise ValueError(f"the file ends within a frame of {count} atoms")
        yield box, atoms
        at += 2 + count


def picture(box, atoms, side=800):
    """The text of the SVG file."""
    scale = side / max(box[0], box[1])
    radius = 0.4 * scale * (box[0] * box[1] * box[2] / max(1, len(atoms))) ** (1 / 3)
    fastest = max((speed for _, speed in atoms), default=0) or 1
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{box[0] * scale:.0f}" height="{box[1] * scale:.0f}">',
            '<rect width="100%" height="100%" fill="white"/>']
    for (x, y, z), speed in sorted(atoms, key=lambda a: a[0][2]):
        part, depth = speed / fastest, 0.4 + 0.6 * min(1, max(0, z / box[2]))
        red, green, blue = 255 * part, 90 * (1 - abs(2 * part - 1)), 255 * (1 - part)
        text.append(f'<circle cx="{x * scale:.1f}" cy="{(box[1] - y) * scale:.1f}" r="{radius:.1f}" '
                    f'fill="rgb({red:.0f},{green:.0f},{blue:.0f})" fill-opacity="{depth:.2f}"/>')
    return "\n".join(text + ["</svg>", ""])


def frame_of(all_frames, number):
    try:
        return all_frames[int(number)]
    except (ValueError, IndexError):
        raise ValueError(f"frame {number}: the file has {len(all_frames)}, which count from 0") from None


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__.strip().splitlines()[3], file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            all_frames = list(frames(file.read().splitlines()))
        box, atoms = frame_of(all_frames, arguments[2] if len(arguments) == 3 else "-1")
        with open(arguments[1], "w", encoding="ascii") as file:
            file.write(picture(box, atoms))
    except OSError as e:
        print(f"picture.py: error: {e.filename}: {e.strerror}", file=sys.stderr)
        return 2
    except ValueError as e:
        print(f"picture.py: error: {arguments[0]}, {e}", file=sys.stderr)
        return 2
    print(f"{len(atoms)} atoms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
