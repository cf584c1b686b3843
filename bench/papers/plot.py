# SPDX-License-Identifier: Apache-2.0
"""Line charts on two logarithmic axes, as SVG."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 50
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f"]


class Axis:
    """From the least to the greatest value, in powers of a base."""

    def __init__(self, values, begin, end, base):
        self.low = math.log(min(values), base)
        self.high = math.log(max(values), base)
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        margin = 0.03 * (self.high - self.low)
        self.low, self.high = self.low - margin, self.high + margin
        self.begin, self.end, self.base = begin, end, base

    def at(self, value):
        part = (math.log(value, self.base) - self.low) / (self.high - self.low)
        return self.begin + part * (self.end - self.begin)

    def ticks(self):
        powers = range(math.ceil(self.low), math.floor(self.high) + 1)
        step = max(1, len(powers) // 8)
        marks = [self.base ** power for power in powers[::step]]
        if len(marks) < 2:
            marks = [self.base ** (self.low + part * (self.high - self.low)) for part in (0.05, 0.5, 0.95)]
        return marks


def written(value):
    """A number as a label."""
    for unit, size in (("Mi", 1 << 20), ("Ki", 1 << 10)):
        if value >= size and value == int(value) and int(value) % size == 0:
            return f"{int(value) // size} {unit}"
    return f"{value:.3g}"


def chart(title, x_label, y_label, lines, paper=None):
    """An SVG of lines: {name: {x: y}}. The points of the paper are rings, those of a line in its colour."""
    paper = paper or {}
    points = [(x, y) for line in [*lines.values(), *paper.values()] for x, y in line.items()]
    xs = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT, 2)
    ys = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, 10)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="22" font-size="14">{escape(title)}</text>',
           f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">'
           f'{escape(x_label)}</text>',
           f'<text x="16" y="{HEIGHT / 2:.0f}" text-anchor="middle" '
           f'transform="rotate(-90 16 {HEIGHT / 2:.0f})">{escape(y_label)}</text>']
    for tick in xs.ticks():
        x = xs.at(tick)
        out.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{written(tick)}</text>')
    for tick in ys.ticks():
        y = ys.at(tick)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{written(tick)}</text>')
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{xs.at(x):.1f},{ys.at(y):.1f}" for x, y in sorted(line.items()))
        dash = ' stroke-dasharray="5 3"' if number >= len(COLOURS) else ""
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{xs.at(x):.1f}" cy="{ys.at(y):.1f}" r="2.5" fill="{colour}"/>'
                for x, y in line.items()]
        out.append(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 12 + 18 * number}" fill="{colour}">'
                   f'{escape(name)}</text>')
    names = list(lines)
    for number, (name, line) in enumerate(paper.items()):
        colour = COLOURS[names.index(name) % len(COLOURS)] if name in names else "#000"
        out += [f'<circle cx="{xs.at(x):.1f}" cy="{ys.at(y):.1f}" r="6" fill="none" stroke="{colour}" '
                f'stroke-width="2"/>' for x, y in line.items()]
        out.append(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 24 + 18 * (len(lines) + number)}" fill="{colour}">'
                   f'&#9675; {escape(name)}, paper</text>')
    return "\n".join(out + ["</svg>", ""])
