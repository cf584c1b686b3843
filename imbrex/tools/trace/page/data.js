// SPDX-License-Identifier: Apache-2.0
// What the page is about: the runs, unpacked, and how names, times and colours are shown.
'use strict';

const byId = id => document.getElementById(id);

const given = JSON.parse(byId('data').textContent);

function unpack(text, Numbers) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
  return new Numbers(bytes.buffer);
}

// ---- numbers as text

function inUnits(number, units) {
  let k = 0;
  while (k + 1 < units.length && number >= 999.95 * units[k][0]) ++k;
  return `${Number((number / units[k][0]).toPrecision(4))} ${units[k][1]}`;
}
const timeText = ns => inUnits(ns, [[1, 'ns'], [1e3, 'us'], [1e6, 'ms'], [1e9, 's']]);
const bytesText = n => inUnits(n, [[1, 'B'], [1e3, 'kB'], [1e6, 'MB'], [1e9, 'GB'], [1e12, 'TB']]);
const countText = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
const partText = part => `${(100 * part).toFixed(1)} %`;
const ratioText = ratio => Number.isFinite(ratio) ? `${ratio.toFixed(2)} x` : '-';
function figureText(kind, value) {
  if (value === null) return '-';
  switch (kind) {
    case 'time': return timeText(value);
    case 'bytes': return bytesText(value);
    case 'part': return partText(value);
    default: return Number.isInteger(value) ? countText(value) : value.toFixed(3);
  }
}

/** A name for little room: without what the library's own names begin with, and its end if that finds no room. */
function shortName(name, most = 60) {
  const short = name.replace(/imbrex::detail::/g, '').replace(/imbrex::/g, '').replace(/\(anonymous namespace\)::/g, '')
                    .replace(/std::basic_string<char>/g, 'std::string');
  return short.length > most ? short.slice(0, most - 1) + '\u2026' : short;
}
/** Shorter still, where many stand: "block::run" for "jacobi3d::block::run", "block(1, 2)" for "jacobi3d::block(1, 2)". */
function briefName(name) {
  const about = name.match(/^(.* of )(.*)$/);  // "broadcast of jacobi3d::block::run"
  if (about) return about[1] + briefName(about[2]);
  const arguments_ = name.search(/[<(]/);
  const [path, rest] = arguments_ < 0 ? [name, ''] : [name.slice(0, arguments_), name.slice(arguments_)];
  return path.split('::').slice(rest.startsWith('(') ? -1 : -2).join('::') + rest;
}
const baseName = file => file.split('/').pop();

// ---- colours: Okabe and Ito's and Tol's, which the colour-blind can tell apart

const palette = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#999933', '#882255', '#44aa99',
                 '#ddcc77', '#aa4499', '#117733'];
const greys = ['#8b929c', '#a3a9b2', '#757c87', '#b4bac2'];
const greens = ['#009e73', '#44aa99', '#117733', '#7fbf7b', '#999933'];

function hash(text) {
  let h = 2166136261;
  for (let k = 0; k < text.length; ++k) h = Math.imul(h ^ text.charCodeAt(k), 16777619);
  return (h ^ h >>> 15) >>> 0;
}

/** Colours by name: the same name has the same one on each page, unless a name that takes longer has it already. */
class Colours {
  constructor(colours) { this.colours = colours; this.known = new Map(); this.taken = new Map(); }
  of(name) {
    let colour = this.known.get(name);
    if (colour !== undefined) return colour;
    const n = this.colours.length;
    let place = hash(name) % n;
    const least = Math.min(...this.colours.map((_, k) => this.taken.get(k) || 0));
    while ((this.taken.get(place) || 0) > least) place = (place + 1) % n;
    this.taken.set(place, (this.taken.get(place) || 0) + 1);
    colour = this.colours[place];
    this.known.set(name, colour);
    return colour;
  }
}
const programColours = new Colours(palette);
const runtimeColours = new Colours(greys);
const kernelColours = new Colours(greens);
const operationKinds = [
  {name: 'kernel', colour: '#009e73'}, {name: 'copy to the device', colour: '#56b4e9'},
  {name: 'copy from the device', colour: '#e69f00'}, {name: 'copy on the device', colour: '#cc79a7'},
  {name: 'host function', colour: '#8b929c'}, {name: 'other operation', colour: '#a3a9b2'}];
const entryColour = entry => (entry.program ? programColours : runtimeColours).of(entry.name);
const styled = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Names of states, in the order of `pe_state`; before the entries among the kinds that bins tell apart.
const states = ['program', 'runtime', 'not recorded', 'idle, nothing run yet', 'idle', 'idle, waits for a device',
                'idle, waits for a timer', 'idle'];
const otherEntries = states.length;
const stateColours = () => ['', '', styled('--unrecorded'), styled('--before'), null, styled('--wait-device'),
                            styled('--wait-timer'), null];

// ---- the runs

function unpackBins(row) {
  const counts = unpack(row.counts, Uint8Array);
  const starts = new Uint32Array(counts.length + 1);
  for (let k = 0; k < counts.length; ++k) starts[k + 1] = starts[k] + 2 * counts[k];
  return {starts, shares: unpack(row.shares, Uint8Array)};
}

/** The places where `key` is not below `value`, in a list of places sorted by key. */
function lowerBound(places, key, value) {
  let low = 0, high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key[places[middle]] < value) low = middle + 1; else high = middle;
  }
  return low;
}
const sortedBy = (places, key) => Uint32Array.from(places).sort((l, r) => key[l] - key[r]);

class Run {
  constructor(report, raw, number) {
    Object.assign(this, {report, number, file: baseName(report.file), length: raw.length, bin: raw.bin, unit: raw.unit, links: raw.links,
                         streams: raw.streams, names: raw.names, chares: raw.chares, cut: raw.cut,
                         details: raw.details});
    this.entries = report.entries;
    this.kinds = states.map(name => ({name, entry: null}));
    this.kinds.push({name: 'other entries', entry: null});
    for (const e of raw.entries_in_bins) this.kinds.push({name: this.entries[e].name, entry: e});
    this.rows = raw.rows.map((row, place) => ({...row, place, bins: row.counts === undefined ? null : unpackBins(row)}));
    for (const link of this.links)
      Object.assign(link, {count: unpack(link.count, Uint8Array), amount: unpack(link.amount, Uint8Array)});
    this.marked = raw.marked.map(([begin, end, row, name, number, phase]) => ({begin, end, row, name, number, phase}));
    this.layPhases();
    this.unpackSlices(raw.slices);
    this.unpackMessages(raw.messages);
    this.unpackOperations(raw.operations);
  }

  /** Phases may overlap: each row has as many lanes as it needs, up to some. */
  layPhases() {
    for (const row of this.rows) {
      row.phases = this.marked.filter(mark => mark.phase && mark.row === row.place).sort((l, r) => l.begin - r.begin);
      const ends = [];
      for (const phase of row.phases) {
        let lane = ends.findIndex(end => end <= phase.begin);
        if (lane < 0) lane = Math.min(ends.length, 5);
        ends[lane] = phase.end;
        phase.lane = lane;
      }
      row.lanes = ends.length;
    }
  }

  unpackSlices(raw) {
    const s = this.slices = {
      begin: unpack(raw.begin, Uint32Array), length: unpack(raw.length, Uint32Array), row: unpack(raw.row, Uint16Array),
      entry: unpack(raw.entry, Uint16Array), chare: unpack(raw.chare, Uint32Array), depth: unpack(raw.depth, Uint8Array)};
    // Of each row and depth they do not overlap, and come in the order of time.
    this.rows.forEach(row => { row.depths = []; });
    for (let k = 0; k < s.begin.length; ++k) {
      const depths = this.rows[s.row[k]].depths;
      while (depths.length <= s.depth[k]) depths.push([]);
      depths[s.depth[k]].push(k);
    }
    for (const row of this.rows) row.depths = row.depths.map(places => sortedBy(places, s.begin));
  }

  unpackMessages(raw) {
    const m = this.messages = {
      sent: unpack(raw.sent, Uint32Array), ready: unpack(raw.ready, Uint32Array), begun: unpack(raw.begun, Uint32Array),
      bytes: unpack(raw.bytes, Uint32Array), from: unpack(raw.from, Uint16Array), to: unpack(raw.to, Uint16Array)};
    const lists = this.rows.map(() => ({sent: [], begun: []}));
    for (let k = 0; k < m.sent.length; ++k) {
      lists[m.from[k]].sent.push(k);
      lists[m.to[k]].begun.push(k);
    }
    this.rows.forEach((row, k) => {
      row.sent = sortedBy(lists[k].sent, m.sent);
      row.begun = sortedBy(lists[k].begun, m.begun);
    });
    this.messagesBySent = sortedBy(m.sent.keys(), m.sent);
  }

  unpackOperations(raw) {
    const o = this.operations = {
      begin: unpack(raw.begin, Uint32Array), length: unpack(raw.length, Uint32Array), bytes: unpack(raw.bytes, Uint32Array),
      stream: unpack(raw.stream, Uint16Array), name: unpack(raw.name, Uint16Array), kind: unpack(raw.kind, Uint8Array)};
    const lists = this.streams.map(() => []);
    for (let k = 0; k < o.begin.length; ++k) lists[o.stream[k]].push(k);
    this.streams.forEach((stream, k) => { stream.places = sortedBy(lists[k], o.begin); });
  }

  /** Messages that a row sent (or began) from `begin` to `end`, in units. */
  messagesIn(row, which, begin, end) {
    const places = this.rows[row][which];
    const from = lowerBound(places, this.messages[which], begin);
    return places.subarray(from, lowerBound(places, this.messages[which], end + 1));
  }

  /** The innermost slice of a row at a time in units, in no more others than `deepest`; -1 if none ran. */
  sliceAt(row, time, deepest = 255) {
    const s = this.slices;
    let found = -1;
    for (const places of this.rows[row].depths.slice(0, deepest + 1)) {
      const k = lowerBound(places, s.begin, time + 1) - 1;
      if (k >= 0 && time <= s.begin[places[k]] + s.length[places[k]]) found = places[k];
    }
    return found;
  }

  sliceName(k) {
    const chare = this.chares[this.slices.chare[k]];
    const entry = briefName(shortName(this.entryName(this.slices.entry[k])));
    if (!chare) return entry;
    const [of, method] = entry.split('::');
    const brief = briefName(chare);
    return method !== undefined && brief.startsWith(`${of}(`) ? `${brief}::${method}` : `${entry} \u00b7 ${brief}`;
  }
  entryName(entry) { return entry < this.entries.length ? this.entries[entry].name : `entry ${entry}`; }
  rowName(row) {
    const one = this.rows[row];
    return one.kind === 'pe' ? `PE ${one.number}` : one.kind === 'device' ? `device ${one.number}` : 'network';
  }
  operationColour(k) {
    const o = this.operations;
    return o.kind[k] === 0 ? kernelColours.of(this.names[o.name[k]]) : operationKinds[Math.min(o.kind[k], 5)].colour;
  }
}

const runs = given.timelines.map((raw, k) => new Run(given.report.runs[k], raw, k));
// What takes longest has its colour first.
for (const entry of runs.flatMap(run => run.entries).sort((l, r) => r.time - l.time)) entryColour(entry);
for (const run of runs) run.entryColours = run.entries.map(entryColour);

/** An element of the page; strings among the children are text, whatever they hold. */
function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter(child => child !== null));
  return made;
}
