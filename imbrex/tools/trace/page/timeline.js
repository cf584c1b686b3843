// SPDX-License-Identifier: Apache-2.0
// The timelines: one canvas a run, all with the same scale of time.
'use strict';

const labelWidth = 168;
const rulerHeight = 22;
const laneHeight = 13;
const heights = {head: 20, pe: 28, link: 26, device: 30, stream: 13};
const longest = Math.max(1, ...runs.map(run => run.length));

/** What all timelines show: from `begin` to `end`, ns since the start. */
const view = {begin: 0, end: longest};
let colouring = 'entry';
let theme = {};

function readTheme() {
  theme = {states: stateColours()};
  for (const name of ['paper', 'raised', 'line', 'ink', 'faint', 'accent', 'row', 'track', 'select', 'arrow'])
    theme[name] = styled(`--${name}`);
}

/** Steps of 1, 2 or 5 times a power of ten. */
function tickStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map(k => k * power).find(step => step >= least);
}

const parsed = new Map();  // colours as the numbers of pixels
function pixelOf(colour) {
  let pixel = parsed.get(colour);
  if (pixel === undefined) {
    const n = parseInt(colour.slice(1, 7), 16);
    pixel = (0xff000000 | (n & 255) << 16 | (n >> 8 & 255) << 8 | n >> 16) >>> 0;
    parsed.set(colour, pixel);
  }
  return pixel;
}
function dimmed(colour) {
  const mix = (at, of) => Math.round((parseInt(colour.slice(at, at + 2), 16) * 0.22 + parseInt(of.slice(at, at + 2), 16) * 0.78));
  return '#' + [1, 3, 5].map(at => mix(at, theme.row).toString(16).padStart(2, '0')).join('');
}
/** Black or white, whichever can be read on a colour. */
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#111111' : '#ffffff';
}

class Timeline {
  constructor(run, box) {
    this.run = run;
    this.canvas = element('canvas', {tabIndex: 0});
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `timeline of ${run.report.file}`);
    box.append(element('div', {className: 'timeline'}, this.canvas));
    this.context = this.canvas.getContext('2d');
    this.folded = new Set();
    this.scroll = 0;
    this.selected = null;  // {slice} or {operation}
    this.matches = null;
    this.pixels = document.createElement('canvas');
    this.makeGroups();
    this.layOut();
  }

  // ---- lines: what stands below each other

  makeGroups() {
    const {run} = this;
    const processes = [...new Set(run.rows.map(row => row.process))].sort((l, r) => l - r);
    this.groups = processes.map(process => {
      const rows = run.rows.filter(row => row.process === process);
      const links = run.links.filter(link => link.to === process && link.most > 0);
      return {process, pes: rows.filter(row => row.kind === 'pe').sort((l, r) => l.number - r.number),
              devices: rows.filter(row => row.kind === 'device').sort((l, r) => l.number - r.number), links};
    });
    const others = run.links.filter(link => !processes.includes(link.to));
    if (others.length > 0) this.groups.push({process: null, pes: [], devices: [], links: others});
    if (run.streams.length > 16)
      for (const row of run.rows) if (row.kind === 'device') this.folded.add(`device ${row.place}`);
  }

  layOut() {
    this.lines = [];
    let top = 0;
    const pes = this.run.rows.filter(row => row.kind === 'pe').length;
    const add = (kind, properties) => {
      const height = kind === 'phases' ? laneHeight * properties.row.lanes + 2
                   : kind !== 'pe' || pes <= 16 ? heights[kind] : pes <= 48 ? 20 : 14;
      this.lines.push({kind, top, height, ...properties});
      top += height;
    };
    this.lineOfRow = new Map();
    this.lineOfStream = new Map();
    for (const group of this.groups) {
      const fold = `process ${group.process}`;
      const closed = this.folded.has(fold);
      const text = group.process === null ? 'other links' : `process ${group.process}`;
      add('head', {group, fold, text: `${closed ? '\u25b8' : '\u25be'} ${text}`});
      if (closed) continue;
      for (const row of group.pes) {
        this.lineOfRow.set(row.place, this.lines.length);
        add('pe', {row, text: `PE ${row.number}`});
        if (row.lanes > 0) add('phases', {row, text: 'phases'});
      }
      for (const row of group.devices) {
        const streams = this.run.streams.map((stream, k) => ({...stream, k})).filter(stream => stream.row === row.place);
        const foldDevice = `device ${row.place}`;
        const hidden = this.folded.has(foldDevice);
        const sign = streams.length === 0 ? '' : hidden ? '\u25b8 ' : '\u25be ';
        add('device', {row, fold: streams.length ? foldDevice : undefined, text: `${sign}device ${row.number}`,
                       note: streams.length ? `${streams.length} stream${streams.length > 1 ? 's' : ''}` : ''});
        if (hidden) continue;
        streams.sort((l, r) => l.owner.localeCompare(r.owner, 'en', {numeric: true}));
        const owners = new Map();
        for (const stream of streams) {
          // One that has several numbers them.
          const count = (owners.get(stream.owner) ?? 0) + 1;
          owners.set(stream.owner, count);
          this.lineOfStream.set(stream.k, this.lines.length);
          add('stream', {stream, text: count > 1 ? `${stream.owner} #${count}` : stream.owner});
        }
      }
      for (const link of group.links)
        add('link', {link, text: link.from === link.to ? 'messages in flight' : `in flight from ${link.from}`});
    }
    this.height = top;
    this.resize();
  }

  resize() {
    const box = this.canvas.parentElement;
    const most = Math.max(200, (runs.length > 1 ? 0.36 : 0.6) * window.innerHeight);
    this.width = Math.max(400, box.clientWidth);
    this.shown = Math.min(this.height + rulerHeight + (runs.length > 1 ? 18 : 2), most);
    this.canvas.style.height = `${this.shown}px`;
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.shown * this.ratio);
    this.scrollTo(this.scroll);
  }

  get top() { return rulerHeight + (runs.length > 1 ? 16 : 0); }
  scrollTo(y) { this.scroll = Math.max(0, Math.min(y, this.height + this.top - this.shown)); }
  xOf(ns) { return labelWidth + (ns - view.begin) / (view.end - view.begin) * (this.width - labelWidth); }
  timeAt(x) { return view.begin + (x - labelWidth) / (this.width - labelWidth) * (view.end - view.begin); }
  lineAt(y) {
    if (y < this.top) return null;
    return this.lines.find(line => y - this.top + this.scroll < line.top + line.height) ?? null;
  }
  yOf(line) { return this.top + line.top - this.scroll; }

  // ---- drawing

  colourOfSlice(k) {
    const {slices, chares, entryColours} = this.run;
    if (colouring === 'chare' && slices.chare[k] !== 0) return programColours.of(chares[slices.chare[k]]);
    return entryColours[slices.entry[k]] ?? greys[0];
  }

  /** The colours of the kinds that bins tell apart, as pixels; null: background. */
  kindPixels() {
    return this.run.kinds.map((kind, k) => {
      let colour = theme.states[k] === undefined ? kind.entry === null ? greys[0] : entryColour(this.run.entries[kind.entry])
                                                 : theme.states[k];
      if (!colour) return 0;
      if (this.matches && !(kind.entry !== null && this.matches.entries.has(kind.entry))) colour = dimmed(colour);
      return pixelOf(colour);
    });
  }

  draw() {
    const c = this.context;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.shown);
    c.textBaseline = 'middle';
    this.kindColours = this.kindPixels();
    for (const line of this.lines) {
      const y = this.yOf(line);
      if (y + line.height < this.top || y > this.shown) continue;
      this.drawLine(line, y);
    }
    this.drawMarks();
    this.drawMessages();
    this.drawLabels();
    this.drawRuler();
  }

  drawLine(line, y) {
    const c = this.context;
    const right = this.width - labelWidth;
    if (line.kind === 'head') {
      c.fillStyle = theme.raised;
      c.fillRect(labelWidth, y, right, line.height);
      return;
    }
    const end = Math.min(this.xOf(this.run.length), this.width);
    const inner = line.height - (line.kind === 'stream' ? 2 : 4);
    c.fillStyle = theme.row;
    if (end > labelWidth) c.fillRect(labelWidth, y + 1, end - labelWidth, inner);
    if (line.kind === 'phases') this.drawPhases(line.row, y + 1);
    if (line.kind === 'pe') this.drawPe(line.row, y + 1, inner);
    if (line.kind === 'device') this.drawDevice(line.row, y + 1, inner);
    if (line.kind === 'stream') this.drawStream(line.stream.k, y + 1, inner);
    if (line.kind === 'link') this.drawLink(line.link, y + 1, inner);
  }

  /** Where in a list of places what is in view begins and ends; the list is in the order of time and disjoint. */
  inView(places, begin) {
    const unit = this.run.unit;
    const from = Math.max(0, lowerBound(places, begin, view.begin / unit) - 1);
    return [from, lowerBound(places, begin, view.end / unit)];
  }

  /** Of the view the part, in pixels, of which everything is told; null if there is none. */
  detailed() {
    const [from, to] = this.run.details;
    const left = from === 0 ? labelWidth : Math.max(labelWidth, this.xOf(from));
    const right = Math.min(this.width, this.run.cut || to < this.run.length ? this.xOf(to) : this.width);
    return right - left > 1 ? [left, right] : null;
  }

  drawPe(row, y, h) {
    const part = this.detailed();
    const ranges = row.depths.map(places => this.inView(places, this.run.slices.begin));
    const count = ranges.reduce((sum, [from, to]) => sum + to - from, 0);
    // More than pixels: bins tell better who had how much of a pixel, as long as they are not much wider than that.
    const dense = count > 0.9 * this.width;
    const binWidth = this.run.bin / (view.end - view.begin) * (this.width - labelWidth);
    const many = dense && (binWidth < 2.5 || count > 60_000 * this.lines[0].height / this.shown);
    if (many || part === null || part[0] > labelWidth || part[1] < this.width - 1 || row.depths.length === 0)
      this.drawBins(row.bins, y, h, this.kindColours);
    if (many || part === null || row.depths.length === 0) return;
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(part[0], y, part[1] - part[0], h);
    c.clip();
    c.fillStyle = theme.row;
    c.fillRect(part[0], y, Math.min(this.xOf(this.run.length), part[1]) - part[0], h);
    row.depths.forEach((places, depth) => this.drawSlices(places, ranges[depth], y, h, depth, dense));
    c.restore();
  }

  /** Where they are dense each gets the part of its pixels that it covers, else at least most of one. */
  drawSlices(places, [from, to], y, h, depth, dense) {
    const c = this.context;
    const {slices, unit} = this.run;
    const inset = Math.min((h < 18 ? 2 : 4) * depth, h / 2);
    const scale = (this.width - labelWidth) / (view.end - view.begin);
    let drawn = -1;
    let before = null;
    for (let at = from; at < to; ++at) {
      const k = places[at];
      const left = labelWidth + (slices.begin[k] * unit - view.begin) * scale;
      const width = slices.length[k] * unit * scale;
      if (!dense && left + width < drawn + 0.5) continue;  // this pixel is taken
      let colour = this.colourOfSlice(k);
      if (this.matches !== null && !this.matches.slice(k)) colour = dimmed(colour);
      if (colour !== before) c.fillStyle = before = colour;  // it is slow to set
      c.fillRect(left, y + inset, Math.max(width - (width > 3 ? 0.7 : 0), dense ? 0 : 0.8), h - inset);
      drawn = left + width;
      if (width > 46) {
        this.drawName(this.run.sliceName(k), left, width, y + inset, h - inset, colour);
        before = null;
      }
    }
  }

  drawName(name, left, width, y, h, colour) {
    const c = this.context;
    const from = Math.max(left, labelWidth) + 4;
    const room = Math.min(left + width, this.width) - from - 3;
    const fits = Math.floor(room / 6.3);
    if (fits < 4 || h < 10) return;
    c.font = '11px system-ui, "DejaVu Sans", sans-serif';
    c.fillStyle = inkOn(colour);
    c.fillText(name.length > fits ? name.slice(0, fits - 1) + '\u2026' : name, from, y + h / 2 + 0.5);
  }

  /** What bins tell, each column of pixels shared by what happened in it; bottom up. */
  drawBins(bins, y, h, colours, only) {
    if (bins === null || bins.starts.length < 2) return;
    const width = Math.round((this.width - labelWidth) * this.ratio);
    const height = Math.max(1, Math.round(h * this.ratio));
    const image = this.imageOf(width, height);
    const target = new Uint32Array(image.data.buffer);
    target.fill(0);
    const {starts, shares} = bins;
    const count = starts.length - 1;
    const perPixel = (view.end - view.begin) / width / this.run.bin;
    const first = view.begin / this.run.bin;
    const sums = this.sums ?? (this.sums = new Float64Array(256));
    const order = [];
    let last = -1;
    for (let x = 0; x < width; ++x) {
      const from = Math.max(0, Math.floor(first + x * perPixel));
      const until = Math.min(count, Math.max(from + 1, Math.floor(first + (x + 1) * perPixel)));
      if (from >= count) break;
      if (until === from + 1 && last === from) {  // as the column before
        for (let at = x; at < target.length; at += width) target[at] = target[at - 1];
        continue;
      }
      last = until === from + 1 ? from : -1;
      order.length = 0;
      for (let k = starts[from]; k < starts[until]; k += 2) {
        const kind = shares[k];
        if (colours[kind] === 0 || (only !== undefined && !only(kind))) continue;
        if (sums[kind] === 0) order.push(kind);
        sums[kind] += shares[k + 1];
      }
      order.sort((l, r) => r - l);
      let done = 0;
      let bottom = height;
      for (const kind of order) {
        done += sums[kind] / 255 / (until - from);
        sums[kind] = 0;
        const top = Math.max(0, height - Math.round(done * height));
        for (let row = top; row < bottom; ++row) target[row * width + x] = colours[kind];
        bottom = top;
      }
    }
    this.show(image, y);
  }

  imageOf(width, height) {
    if (this.image === undefined || this.image.width !== width || this.image.height !== height)
      this.image = this.context.createImageData(width, height);
    return this.image;
  }
  show(image, y) {
    if (this.pixels.width !== image.width || this.pixels.height !== image.height) {
      this.pixels.width = image.width;
      this.pixels.height = image.height;
    }
    this.pixels.getContext('2d').putImageData(image, 0, 0);
    this.context.drawImage(this.pixels, labelWidth, y, image.width / this.ratio, image.height / this.ratio);
  }

  drawDevice(row, y, h) {
    const lane = Math.floor((h - 1) / 2);
    const part = this.detailed();
    const {operations, unit, streams} = this.run;
    const ranges = streams.filter(stream => stream.row === row.place).map(stream => [stream.places, ...this.inView(stream.places, operations.begin)]);
    if (part !== null && part[0] === labelWidth && part[1] === this.width &&
        ranges.reduce((sum, [, from, to]) => sum + to - from, 0) < 1.5 * this.width) {
      const c = this.context;
      const scale = (this.width - labelWidth) / (view.end - view.begin);
      c.save();
      c.beginPath();
      c.rect(labelWidth, y, this.width - labelWidth, h);
      c.clip();
      for (const [places, from, to] of ranges)
        for (let at = from; at < to; ++at) {
          const k = places[at];
          const copy = operations.kind[k] >= 1 && operations.kind[k] <= 3;
          c.fillStyle = this.run.operationColour(k);
          c.fillRect(labelWidth + (operations.begin[k] * unit - view.begin) * scale, copy ? y + lane + 1 : y,
                     Math.max(operations.length[k] * unit * scale, 0.8), lane);
        }
      c.restore();
      return;
    }
    const colours = operationKinds.map(kind => pixelOf(kind.colour));
    this.drawBins(row.bins, y, lane, colours, kind => kind === 0 || kind > 3);
    this.drawBins(row.bins, y + lane + 1, lane, colours, kind => kind >= 1 && kind <= 3);
  }

  drawStream(stream, y, h) {
    const {operations, unit, streams} = this.run;
    const c = this.context;
    const [from, to] = this.inView(streams[stream].places, operations.begin);
    const scale = (this.width - labelWidth) / (view.end - view.begin);
    c.save();
    c.beginPath();
    c.rect(labelWidth, y, this.width - labelWidth, h);
    c.clip();
    let drawn = -1;
    for (let at = from; at < to; ++at) {
      const k = streams[stream].places[at];
      const left = labelWidth + (operations.begin[k] * unit - view.begin) * scale;
      const width = operations.length[k] * unit * scale;
      if (left + width < drawn + 0.5) continue;
      const colour = this.run.operationColour(k);
      c.fillStyle = this.matches === null || this.matches.operation(k) ? colour : dimmed(colour);
      c.fillRect(left, y, Math.max(width - (width > 3 ? 0.7 : 0), 0.8), h);
      drawn = left + width;
      if (width > 40) this.drawName(this.run.names[operations.name[k]], left, width, y, h, colour);
    }
    c.restore();
  }

  /** How many messages are on their way, as an area. */
  drawLink(link, y, h) {
    const c = this.context;
    const pixels = this.width - labelWidth;
    const perPixel = (view.end - view.begin) / pixels / this.run.bin;
    const first = view.begin / this.run.bin;
    c.beginPath();
    c.moveTo(labelWidth, y + h);
    for (let x = 0; x <= pixels; ++x) {
      const from = Math.max(0, Math.floor(first + x * perPixel));
      const until = Math.max(from + 1, Math.min(link.count.length, Math.floor(first + (x + 1) * perPixel)));
      let most = 0;
      for (let k = from; k < until && k < link.count.length; ++k) most = Math.max(most, link.count[k]);
      c.lineTo(labelWidth + x, y + h - most / 255 * (h - 1));
    }
    c.lineTo(this.width, y + h);
    c.globalAlpha = 0.55;
    c.fillStyle = theme.accent;
    c.fill();
    c.globalAlpha = 1;
  }

  drawMarks() {
    const c = this.context;
    const {unit, names} = this.run;
    c.font = '10px system-ui, "DejaVu Sans", sans-serif';
    const taken = new Map();
    c.fillStyle = theme.select;
    for (const mark of this.run.marked) {
      const x = this.xOf(mark.begin * unit);
      const number = this.lineOfRow.get(mark.row);
      if (mark.phase || x < labelWidth || x > this.width || number === undefined) continue;
      const line = this.lines[number];
      const y = this.yOf(line);
      if (y < this.top - line.height || y > this.shown) continue;
      c.beginPath();
      c.moveTo(x - 3.5, y);
      c.lineTo(x + 3.5, y);
      c.lineTo(x, y + 6);
      c.fill();
      const text = `${names[mark.name].slice(0, 20)} ${mark.number}`;
      if (x < (taken.get(line) ?? 0)) continue;
      taken.set(line, x + 6 * text.length + 12);
      c.fillText(text, x + 5, y + 5);
    }
  }

  drawPhases(row, y) {
    const c = this.context;
    const {unit, names} = this.run;
    for (const phase of row.phases) {
      const left = Math.max(this.xOf(phase.begin * unit), labelWidth);
      const width = Math.min(this.xOf(phase.end * unit), this.width) - left;
      if (width < 0) continue;
      const colour = programColours.of(names[phase.name]);
      const top = y + laneHeight * phase.lane;
      c.fillStyle = colour;
      c.fillRect(left, top, Math.max(width - 0.7, 0.8), laneHeight - 1);
      if (width > 40) this.drawName(`${names[phase.name]} ${phase.number}`, left, width, top, laneHeight - 1, colour);
    }
  }

  yOfRow(row) {
    const line = this.lineOfRow.get(row);
    return line === undefined ? null : this.yOf(this.lines[line]) + this.lines[line].height / 2 - 1;
  }

  drawMessages() {
    const c = this.context;
    const {messages, unit} = this.run;
    c.save();
    c.beginPath();
    c.rect(labelWidth, this.top, this.width - labelWidth, this.shown - this.top);
    c.clip();
    if (byId('arrows').checked && messages.sent.length > 0) {
      const order = this.run.messagesBySent;
      const from = lowerBound(order, messages.sent, (view.begin - 0.2 * (view.end - view.begin)) / unit);
      const until = lowerBound(order, messages.sent, view.end / unit);
      if (until - from <= 700) {
        c.strokeStyle = theme.ink;
        c.globalAlpha = 0.32;
        c.lineWidth = 0.8;
        c.beginPath();
        for (let at = from; at < until; ++at) this.messageLine(order[at], messages.from[order[at]] !== messages.to[order[at]]);
        c.stroke();
        c.globalAlpha = 1;
      }
    }
    if (this.selected !== null) this.drawSelected();
    c.restore();
  }

  messageLine(k, always) {
    const {messages, unit} = this.run;
    const from = this.yOfRow(messages.from[k]);
    const to = this.yOfRow(messages.to[k]);
    if (from === null || to === null || !always) return;
    const c = this.context;
    c.moveTo(this.xOf(messages.sent[k] * unit), from);
    c.lineTo(this.xOf(messages.begun[k] * unit), to);
  }

  drawSelected() {
    const c = this.context;
    const box = this.boxOf(this.selected);
    if (box === null) return;
    c.strokeStyle = theme.select;
    c.lineWidth = 2;
    c.strokeRect(box.left, box.top + 1, Math.max(box.width, 2), box.height - 2);
    if (this.selected.slice === undefined) return;
    const {came, sent} = this.messagesOf(this.selected.slice);
    for (const k of came) this.arrow(k, theme.accent);
    for (const k of sent.slice(0, 200)) this.arrow(k, theme.arrow);
  }

  arrow(k, colour) {
    const {messages, unit} = this.run;
    const [y0, y1] = [this.yOfRow(messages.from[k]), this.yOfRow(messages.to[k])];
    if (y0 === null || y1 === null) return;
    const c = this.context;
    const x0 = this.xOf(messages.sent[k] * unit);
    const x1 = this.xOf(messages.begun[k] * unit);
    // Of one that stays on its PE, a bow.
    const [cx, cy] = [(x0 + x1) / 2, y0 === y1 ? y0 - 26 : (y0 + y1) / 2];
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 1.6;
    c.beginPath();
    c.moveTo(x0, y0);
    c.quadraticCurveTo(cx, cy, x1, y1);
    c.stroke();
    c.beginPath();
    c.arc(x0, y0, 2.4, 0, 7);
    c.fill();
    const angle = Math.atan2(y1 - cy, x1 - cx);
    c.beginPath();
    c.moveTo(x1, y1);
    for (const turn of [2.65, -2.65]) c.lineTo(x1 + 9 * Math.cos(angle + turn), y1 + 9 * Math.sin(angle + turn));
    c.fill();
  }

  drawLabels() {
    const c = this.context;
    c.fillStyle = theme.paper;
    c.fillRect(0, this.top, labelWidth, this.shown - this.top);
    c.save();
    c.beginPath();
    c.rect(0, this.top, labelWidth - 4, this.shown - this.top);
    c.clip();
    for (const line of this.lines) {
      const y = this.yOf(line) + line.height / 2;
      if (y < this.top - 20 || y > this.shown + 20) continue;
      if (line.kind === 'head') {
        c.fillStyle = theme.raised;
        c.fillRect(0, this.yOf(line), labelWidth, line.height);
      }
      c.font = line.kind === 'head' ? '600 12px system-ui, "DejaVu Sans", sans-serif'
             : ['stream', 'phases'].includes(line.kind) ? '10px system-ui, "DejaVu Sans", sans-serif'
             : '12px system-ui, "DejaVu Sans", sans-serif';
      c.fillStyle = ['stream', 'link', 'phases'].includes(line.kind) ? theme.faint : theme.ink;
      c.fillText(line.text, {head: 8, pe: 18, link: 18, device: 18, stream: 30, phases: 30}[line.kind], y);
      if (line.note) {
        c.font = '10px system-ui, "DejaVu Sans", sans-serif';
        c.fillStyle = theme.faint;
        c.textAlign = 'right';
        if (line.kind === 'device') c.fillText(line.note, labelWidth - 10, y);
        c.textAlign = 'left';
      }
    }
    c.restore();
    if (this.height > this.shown - this.top) {
      const part = (this.shown - this.top) / this.height;
      c.fillStyle = theme.faint;
      c.globalAlpha = 0.5;
      c.fillRect(this.width - 6, this.top + this.scroll * part, 5, (this.shown - this.top) * part);
      c.globalAlpha = 1;
    }
  }

  drawRuler() {
    const c = this.context;
    c.fillStyle = theme.paper;
    c.fillRect(0, 0, this.width, this.top);
    c.font = '11px system-ui, "DejaVu Sans", sans-serif';
    if (runs.length > 1) {
      c.fillStyle = theme.ink;
      c.font = '600 12px system-ui, "DejaVu Sans", sans-serif';
      c.fillText(`${this.run.number === 0 ? 'first' : 'second'}: ${this.run.file}`, 8, 9);
      c.font = '11px system-ui, "DejaVu Sans", sans-serif';
    }
    const step = tickStep((view.end - view.begin) / Math.max(2, (this.width - labelWidth) / 110));
    const base = this.top - rulerHeight;
    for (let time = Math.ceil(view.begin / step) * step; time <= view.end; time += step) {
      const x = this.xOf(time);
      c.fillStyle = theme.line;
      c.fillRect(x, base + 15, 1, 7);
      c.fillRect(x, this.top, 0.5, this.shown);
      c.fillStyle = theme.faint;
      c.fillText(tickText(time, step), x + 4, base + 11);
    }
    c.fillStyle = theme.line;
    c.fillRect(0, this.top - 1, this.width, 1);
    if (this.zooming) {
      const [from, to] = this.zooming;
      c.fillStyle = theme.accent;
      c.globalAlpha = 0.25;
      c.fillRect(Math.min(from, to), 0, Math.abs(to - from), this.shown);
      c.globalAlpha = 1;
    }
  }

  // ---- what is where

  boxOf(one) {
    const {slices, operations, unit} = this.run;
    const isSlice = one.slice !== undefined;
    const number = isSlice ? this.lineOfRow.get(slices.row[one.slice]) : this.lineOfStream.get(operations.stream[one.operation]);
    if (number === undefined) return null;
    const line = this.lines[number];
    const [list, k] = isSlice ? [slices, one.slice] : [operations, one.operation];
    const left = this.xOf(list.begin[k] * unit);
    return {left, width: this.xOf((list.begin[k] + list.length[k]) * unit) - left, top: this.yOf(line), height: line.height - 2, line};
  }

  /** The messages that a slice began with, and those that it sent. */
  messagesOf(k) {
    const {slices} = this.run;
    const row = slices.row[k];
    const begin = slices.begin[k];
    const sent = Array.from(this.run.messagesIn(row, 'sent', begin, begin + slices.length[k]));
    // What goes on inside another goes on by the message that the other began with.
    for (let depth = slices.depth[k]; depth >= 0; --depth) {
      const outer = depth === slices.depth[k] ? k : this.run.sliceAt(row, begin, depth);
      if (outer < 0) continue;
      const came = Array.from(this.run.messagesIn(row, 'begun', slices.begin[outer], slices.begin[outer]));
      if (came.length > 0) return {came, sent};
    }
    return {came: [], sent};
  }

  thingAt(x, y) {
    const line = this.lineAt(y);
    if (line === null || x < labelWidth) return null;
    const {unit} = this.run;
    const slack = 2 * (view.end - view.begin) / (this.width - labelWidth) / unit;
    const time = this.timeAt(x) / unit;
    if (line.kind === 'pe') {
      for (const at of [time, time - slack, time + slack]) {
        const slice = this.run.sliceAt(line.row.place, at);
        if (slice >= 0) return {slice};
      }
    }
    if (line.kind === 'stream') {
      const {operations, streams} = this.run;
      const places = streams[line.stream.k].places;
      const at = lowerBound(places, operations.begin, time + slack) - 1;
      if (at >= 0 && time <= operations.begin[places[at]] + operations.length[places[at]] + slack)
        return {operation: places[at]};
    }
    return null;
  }

  /** What a bin of a row holds at a time: [name, part, colour], the most first. */
  sharesAt(row, time) {
    const bin = Math.floor(time / this.run.bin);
    if (row.bins === null || bin < 0 || bin + 1 >= row.bins.starts.length) return [];
    const found = [];
    for (let k = row.bins.starts[bin]; k < row.bins.starts[bin + 1]; k += 2) {
      const kind = row.bins.shares[k];
      const part = row.bins.shares[k + 1] / 255;
      found.push(row.kind === 'device' ? [operationKinds[kind].name, part] : [this.run.kinds[kind].name, part]);
    }
    return found.sort((l, r) => r[1] - l[1]);
  }
}

function tickText(time, step) {
  const [size, unit] = step >= 1e9 ? [1e9, 's'] : step >= 1e6 ? [1e6, 'ms'] : step >= 1e3 ? [1e3, 'us'] : [1, 'ns'];
  // In the unit of what is in view, with as many digits as steps need.
  const [whole, name] = view.end >= 2e9 ? [1e9, 's'] : view.end >= 2e6 ? [1e6, 'ms'] : view.end >= 2e3 ? [1e3, 'us'] : [1, 'ns'];
  if (size >= whole) return `${Number((time / size).toFixed(6))} ${unit}`;
  return `${(time / whole).toFixed(Math.max(0, Math.ceil(Math.log10(whole / step))))} ${name}`;
}
