// SPDX-License-Identifier: Apache-2.0
// What the page does: moving, choosing, searching.
'use strict';

readTheme();
const timelines = runs.map(run => new Timeline(run, byId('timelines')));

// ---- drawing, at most once a frame

let wanted = false;
function redraw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(drawAll);
}
function drawAll() {
  wanted = false;
  for (const timeline of timelines) timeline.draw();
  drawOverview();
}

function setView(begin, end) {
  const least = 50;
  const room = longest * 1.01;
  const length = Math.min(Math.max(end - begin, least), room);
  view.begin = Math.max(-0.005 * longest, Math.min(begin, room - length));
  view.end = view.begin + length;
  redraw();
}
function zoom(factor, at = (view.begin + view.end) / 2) {
  setView(at - (at - view.begin) * factor, at + (view.end - at) * factor);
}
const move = part => setView(view.begin + part * (view.end - view.begin), view.end + part * (view.end - view.begin));
const wholeRun = () => setView(-0.005 * longest, longest * 1.005);

// ---- the overview: all PEs together, and which part is in view

const overview = {canvas: byId('overview'), image: null};

function makeOverview() {
  const {canvas} = overview;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  overview.ratio = ratio;
  const made = document.createElement('canvas');
  made.width = canvas.width;
  made.height = canvas.height;
  const c = made.getContext('2d');
  const left = labelWidth * ratio;
  const width = made.width - left;
  const each = made.height / runs.length;
  runs.forEach((run, place) => {
    const pes = run.rows.filter(row => row.kind === 'pe' && row.bins !== null);
    if (pes.length === 0) return;
    const bins = Math.max(...pes.map(row => row.bins.starts.length - 1));
    const step = Math.max(1, Math.ceil(bins / 500));
    const colours = run.kinds.map((kind, k) => k < states.length ? theme.states[k] : kind.entry === null ? greys[0] : entryColour(run.entries[kind.entry]));
    for (let from = 0; from < bins; from += step) {
      const sums = new Map();
      for (const {bins: {starts, shares}} of pes) {
        const until = Math.min(from + step, starts.length - 1);
        if (from >= until) continue;
        for (let k = starts[from]; k < starts[until]; k += 2) sums.set(shares[k], (sums.get(shares[k]) ?? 0) + shares[k + 1]);
      }
      const x = left + width * (from * run.bin) / longest;
      const w = Math.ceil(width * step * run.bin / longest) + 0.5;
      let y = (place + 1) * each - 1;
      for (const kind of [...sums.keys()].sort((l, r) => r - l)) {
        if (!colours[kind]) continue;
        const h = sums.get(kind) / 255 / step / pes.length * (each - 3);
        c.fillStyle = colours[kind];
        c.fillRect(x, y - h, w, h);
        y -= h;
      }
    }
  });
  c.font = `${11 * ratio}px system-ui, "DejaVu Sans", sans-serif`;
  c.fillStyle = theme.faint;
  c.textBaseline = 'middle';
  runs.forEach((run, place) => c.fillText(compared ? `${runNames[place]}, all PEs` : 'all PEs', 8 * ratio, (place + 0.5) * each));
  overview.image = made;
}

function drawOverview() {
  const {canvas, image, ratio} = overview;
  const c = canvas.getContext('2d');
  c.clearRect(0, 0, canvas.width, canvas.height);
  c.drawImage(image, 0, 0);
  const left = labelWidth * ratio;
  const width = canvas.width - left;
  const from = left + Math.max(0, view.begin / longest) * width;
  const to = left + Math.min(1, view.end / longest) * width;
  c.fillStyle = theme.paper;
  c.globalAlpha = 0.65;
  c.fillRect(left, 0, from - left, canvas.height);
  c.fillRect(to, 0, canvas.width - to, canvas.height);
  c.globalAlpha = 1;
  c.strokeStyle = theme.accent;
  c.lineWidth = 2;
  c.strokeRect(from + 1, 1, Math.max(2, to - from - 2), canvas.height - 2);
}

function overviewTo(event) {
  const box = overview.canvas.getBoundingClientRect();
  const at = (event.clientX - box.left - labelWidth) / (box.width - labelWidth) * longest;
  const half = (view.end - view.begin) / 2;
  setView(at - half, at + half);
}
overview.canvas.addEventListener('pointerdown', event => {
  overview.canvas.setPointerCapture(event.pointerId);
  overviewTo(event);
});
overview.canvas.addEventListener('pointermove', event => { if (event.buttons & 1) overviewTo(event); });

// ---- mouse

function listen(timeline) {
  const {canvas} = timeline;
  let drag = null;
  const place = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 24 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      move((event.deltaX + (event.shiftKey ? event.deltaY : 0)) * lines / canvas.clientWidth);
    else if (event.altKey) { timeline.scrollTo(timeline.scroll + event.deltaY * lines); redraw(); }
    else zoom(1.0016 ** (event.deltaY * lines), timeline.timeAt(Math.max(labelWidth, place(event)[0])));
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    const [x, y] = place(event);
    canvas.setPointerCapture(event.pointerId);
    drag = {x, y, begin: view.begin, end: view.end, scroll: timeline.scroll, moved: false, ruler: y < timeline.top && x > labelWidth};
  });
  canvas.addEventListener('pointermove', event => {
    const [x, y] = place(event);
    if (drag === null) return showTip(timeline, x, y, event);
    if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 4) drag.moved = true;
    if (!drag.moved) return;
    hideTip();
    if (drag.ruler) {
      timeline.zooming = [drag.x, x];
      return redraw();
    }
    const by = (drag.x - x) / (timeline.width - labelWidth) * (drag.end - drag.begin);
    timeline.scrollTo(drag.scroll + drag.y - y);
    setView(drag.begin + by, drag.end + by);
  });
  canvas.addEventListener('pointerup', event => {
    const [x, y] = place(event);
    if (drag !== null && drag.moved && drag.ruler) {
      const [from, to] = [timeline.timeAt(drag.x), timeline.timeAt(x)];
      setView(Math.min(from, to), Math.max(from, to));
    } else if (drag !== null && !drag.moved) {
      click(timeline, x, y);
    }
    timeline.zooming = null;
    drag = null;
    redraw();
  });
  canvas.addEventListener('pointerleave', hideTip);
}

function click(timeline, x, y) {
  const line = timeline.lineAt(y);
  if (line !== null && x < labelWidth && line.fold !== undefined) {
    if (!timeline.folded.delete(line.fold)) timeline.folded.add(line.fold);
    timeline.layOut();
    return redraw();
  }
  select(timeline, timeline.thingAt(x, y));
}

// ---- what is under the mouse

const tip = byId('tip');
function hideTip() { tip.hidden = true; }
function showTip(timeline, x, y, event) {
  const line = timeline.lineAt(y);
  const text = line === null || line.kind === 'head' || x < labelWidth ? labelTip(line) : describe(timeline, line, x, y);
  if (text === null) return hideTip();
  tip.replaceChildren(...text.map((part, k) => element(k === 0 ? 'b' : 'div', {}, part)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - box.width - 8)}px`;
  tip.style.top = `${event.clientY + 18 + box.height > window.innerHeight ? event.clientY - box.height - 10 : event.clientY + 18}px`;
}
const labelTip = line => line === null || line.kind !== 'stream' ? null : [`stream of ${line.text}`];

function describe(timeline, line, x, y) {
  const {run} = timeline;
  const {slices, operations, unit} = run;
  const thing = timeline.thingAt(x, y);
  const time = timeline.timeAt(x);
  if (time < 0 || time > run.length) return null;
  if (thing !== null && thing.slice !== undefined) {
    const k = thing.slice;
    const chare = run.chares[slices.chare[k]];
    const entry = run.entries[slices.entry[k]];
    return [run.entryName(slices.entry[k]), ...(chare ? [chare] : []),
            `${timeText(slices.length[k] * unit)} from ${timeText(slices.begin[k] * unit)}${entry && !entry.program ? ', of the runtime' : ''}`];
  }
  if (thing !== null) {
    const k = thing.operation;
    return [run.names[operations.name[k]], `${operationKinds[Math.min(operations.kind[k], 5)].name}, stream of ${run.streams[operations.stream[k]].owner}`,
            `${timeText(operations.length[k] * unit)} from ${timeText(operations.begin[k] * unit)}` +
            (operations.bytes[k] ? `, ${bytesText(operations.bytes[k])}` : '')];
  }
  if (line.kind === 'link') {
    const bin = Math.floor(time / run.bin);
    const now = (line.link.count[bin] ?? 0) / 255 * line.link.most;
    const amount = (line.link.amount[bin] ?? 0) / 255 * line.link.most_bytes;
    return [`${now.toFixed(1)} messages in flight, ${bytesText(amount)}`,
            `at ${timeText(time)}; in all ${countText(line.link.messages)} with ${bytesText(line.link.bytes)}`];
  }
  if (line.kind === 'phases') {
    const lane = Math.floor((y - timeline.yOf(line) - 1) / laneHeight);
    const phase = line.row.phases.find(one => one.lane === lane && one.begin * unit <= time && time <= one.end * unit);
    if (phase === undefined) return null;
    return [`${run.names[phase.name]} ${phase.number}`, `${timeText((phase.end - phase.begin) * unit)} from ${timeText(phase.begin * unit)}`];
  }
  if (line.row === undefined) return null;
  const shares = timeline.sharesAt(line.row, time);
  return [`${line.text.replace(/^. /, '')} at ${timeText(time)}`,
          ...(shares.length ? shares.slice(0, 6).map(([what, part]) => `${partText(part)} ${shortName(what)}`) : ['idle']),
          `of ${timeText(run.bin)}`];
}

// ---- what is chosen

function link(timeline, thing, text) {
  return element('a', {onclick: () => show(timeline, thing)}, text);
}

function messageText(timeline, k, came) {
  const {run} = timeline;
  const {messages, unit} = run;
  const other = came ? run.sliceAt(messages.from[k], messages.sent[k]) : run.sliceAt(messages.to[k], messages.begun[k]);
  const times = `${bytesText(messages.bytes[k])}, ${timeText((messages.ready[k] - messages.sent[k]) * unit)} in flight, ` +
                `${timeText((messages.begun[k] - messages.ready[k]) * unit)} in the queue`;
  return element('li', {}, other < 0 ? '' : link(timeline, {slice: other}, run.sliceName(other)),
                 ` ${came ? 'from' : 'to'} ${run.rowName(came ? messages.from[k] : messages.to[k])}: ${times}`);
}

function select(timeline, thing) {
  for (const one of timelines) one.selected = one === timeline ? thing : null;
  const box = byId('selection');
  box.hidden = thing === null;
  redraw();
  if (thing === null) return;
  const {run} = timeline;
  const {unit} = run;
  if (thing.slice === undefined) {
    const o = run.operations;
    const k = thing.operation;
    box.replaceChildren(element('h2', {}, run.names[o.name[k]]),
      element('p', {}, `${operationKinds[Math.min(o.kind[k], 5)].name} in the stream of ${run.streams[o.stream[k]].owner}: ` +
              `from ${timeText(o.begin[k] * unit)} for ${timeText(o.length[k] * unit)}${o.bytes[k] ? `, ${bytesText(o.bytes[k])}` : ''}`));
    return;
  }
  const s = run.slices;
  const k = thing.slice;
  const {came, sent} = timeline.messagesOf(k);
  const chare = run.chares[s.chare[k]];
  const list = (messages, isCame) => messages.length === 0 ? element('p', {}, 'none recorded')
    : element('ul', {}, ...messages.slice(0, 50).map(m => messageText(timeline, m, isCame)));
  box.replaceChildren(element('h2', {}, run.entryName(s.entry[k])),
    element('p', {}, `${chare ? chare + ' on ' : ''}${run.rowName(s.row[k])}, from ${timeText(s.begin[k] * unit)} for ${timeText(s.length[k] * unit)}`),
    element('div', {className: 'columns'},
      element('div', {}, element('h3', {}, 'began with'), list(came, true)),
      element('div', {}, element('h3', {}, `sent ${sent.length}`), list(sent, false))));
}

/** Chooses something, and moves so that it is in view. */
function show(timeline, thing) {
  const {run} = timeline;
  const [list, k] = thing.slice !== undefined ? [run.slices, thing.slice] : [run.operations, thing.operation];
  if (thing.slice === undefined) timeline.folded.delete(`device ${run.streams[list.stream[k]].row}`);
  timeline.folded.delete(`process ${run.rows[thing.slice !== undefined ? list.row[k] : run.streams[list.stream[k]].row].process}`);
  timeline.layOut();
  const begin = list.begin[k] * run.unit;
  const length = list.length[k] * run.unit;
  const middle = begin + length / 2;
  const shown = view.end - view.begin;
  if (length < shown / 60 || length > shown || begin < view.begin || begin + length > view.end) {
    const half = Math.min(Math.max(length < shown / 60 || length > shown ? length * 15 : shown / 2, 500), longest / 2);
    setView(middle - half, middle + half);
  }
  const box = timeline.boxOf(thing);
  if (box !== null && (box.top < timeline.top || box.top + box.height > timeline.shown))
    timeline.scrollTo(box.line.top - (timeline.shown - timeline.top) / 2);
  select(timeline, thing);
}

// ---- search

const search = {found: [], at: -1, text: ''};

function searchFor(text) {
  const wantedText = text.trim().toLowerCase();
  if (wantedText === search.text) return;
  Object.assign(search, {found: [], at: -1, text: wantedText});
  for (const timeline of timelines) {
    const {run} = timeline;
    if (wantedText === '') {
      timeline.matches = null;
      continue;
    }
    const has = name => name.toLowerCase().includes(wantedText);
    const entries = new Set(run.entries.map((entry, k) => has(entry.name) ? k : -1));
    const chares = run.chares.map(has);
    const names = run.names.map(has);
    const owners = run.streams.map(stream => has(stream.owner));
    timeline.matches = {
      entries, slice: k => entries.has(run.slices.entry[k]) || chares[run.slices.chare[k]],
      operation: k => names[run.operations.name[k]] || owners[run.operations.stream[k]]};
    for (let k = 0; k < run.slices.begin.length; ++k)
      if (timeline.matches.slice(k)) search.found.push({timeline, begin: run.slices.begin[k] * run.unit, thing: {slice: k}});
    for (let k = 0; k < run.operations.begin.length; ++k)
      if (timeline.matches.operation(k)) search.found.push({timeline, begin: run.operations.begin[k] * run.unit, thing: {operation: k}});
  }
  search.found.sort((l, r) => l.begin - r.begin);
  tellFound();
  redraw();
}
function tellFound() {
  byId('found').textContent = search.text === '' ? '' : search.found.length === 0 ? 'none found'
    : `${search.at < 0 ? '' : countText(search.at + 1) + ' of '}${countText(search.found.length)}`;
}
function step(by) {
  if (search.found.length === 0) return;
  search.at = search.at < 0 ? by > 0 ? 0 : search.found.length - 1 : (search.at + by + search.found.length) % search.found.length;
  const one = search.found[search.at];
  show(one.timeline, one.thing);
  tellFound();
}

// ---- legend

function makeLegend() {
  const time = new Map();
  for (const run of runs)
    for (const entry of run.entries) {
      const known = time.get(entry.name) ?? {entry, time: 0};
      known.time += entry.time;
      time.set(entry.name, known);
    }
  const most = [...time.values()].sort((l, r) => r.time - l.time).slice(0, 10);
  const keyOf = (text, colour, full) => {
    const made = element('span', {title: full}, swatch(colour), text);
    made.onclick = () => { byId('search').value = full; searchFor(full); };
    return made;
  };
  const items = most.map(({entry}) => keyOf(shortName(entry.name, 44) + (entry.program ? '' : ' (runtime)'), entryColour(entry), entry.name));
  const kernels = new Map();
  for (const run of runs)
    for (let k = 0; k < run.operations.begin.length; ++k)
      if (run.operations.kind[k] === 0) kernels.set(run.names[run.operations.name[k]], run.operationColour(k));
  const kinds = new Set(runs.flatMap(run => [...run.operations.kind]));
  for (const [text, colour] of kernels) items.push(keyOf(`kernel ${text}`, colour, text));
  for (const kind of [1, 2, 3]) if (kinds.has(kind)) items.push(element('span', {}, swatch(operationKinds[kind].colour), operationKinds[kind].name));
  items.push(element('span', {}, swatch(theme.row), 'idle'));
  const sometimes = [[2, pe => pe.unrecorded], [3, pe => pe.idle.before_first], [5, pe => pe.idle.device],
                     [6, pe => pe.idle.timer]];
  for (const [state, timeOf] of sometimes)
    if (reports.some(report => report.pes.some(pe => timeOf(pe) > 0)))
      items.push(element('span', {}, swatch(theme.states[state]), states[state]));
  byId('legend').replaceChildren(...items);
  const cut = runs.filter(run => run.cut || run.details[1] < run.length || run.details[0] > 0);
  byId('hint').textContent = cut.map(run =>
    `${run.file}: single slices and messages are shown from ${timeText(run.details[0])} to ${timeText(run.details[1])}, ` +
    'elsewhere shares of time; --from and --to of imbrex trace report choose another part.').join(' ');
}

// ---- keys, buttons, and the beginning

document.addEventListener('keydown', event => {
  if (event.target === byId('search')) {
    if (event.key === 'Enter') { searchFor(byId('search').value); step(event.shiftKey ? -1 : 1); }
    if (event.key === 'Escape') { byId('search').value = ''; searchFor(''); byId('search').blur(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'SELECT') return;
  const scrollBy = by => { for (const one of timelines) one.scrollTo(one.scroll + by); redraw(); };
  const inTimeline = event.target.tagName === 'CANVAS';
  const actions = {
    w: () => zoom(0.7), s: () => zoom(1 / 0.7), a: () => move(-0.15), d: () => move(0.15), ArrowLeft: () => move(-0.15),
    ArrowRight: () => move(0.15), 0: wholeRun, '/': () => byId('search').focus(), Escape: () => select(timelines[0], null),
    ...(inTimeline ? {ArrowUp: () => scrollBy(-40), ArrowDown: () => scrollBy(40)} : {})};
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});
byId('zoom-in').onclick = () => zoom(0.5);
byId('zoom-out').onclick = () => zoom(2);
byId('whole').onclick = wholeRun;
byId('search').oninput = () => searchFor(byId('search').value);
byId('next').onclick = () => step(1);
byId('previous').onclick = () => step(-1);
byId('colours').onchange = event => { colouring = event.target.value; redraw(); };
byId('arrows').onchange = redraw;

function start() {
  readTheme();
  parsed.clear();
  makeLegend();
  makeOverview();
  redraw();
}
window.addEventListener('resize', () => { timelines.forEach(one => one.resize()); makeOverview(); redraw(); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', start);
timelines.forEach(listen);
makeTables();
const [looked] = runs;
if (looked.details[0] > 0) setView(...looked.details);
else wholeRun();
start();
timelines.forEach(one => one.resize());
makeOverview();
drawAll();
