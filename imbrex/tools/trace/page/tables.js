// SPDX-License-Identifier: Apache-2.0
// Head and tables: what the analysis of the runs says, beside each other if there are two.
'use strict';

const mostRows = 40;
const reports = given.report.runs;
const compared = reports.length > 1;
const runNames = ['first', 'second'];

function table(head, rows) {
  const cell = (tag, content, isName) =>
    element(tag, {className: isName ? 'name' : ''}, content ?? '');
  const body = rows.map(row => element('tr', {}, ...row.map((content, k) => {
    const made = cell('td', content, head[k][1]);
    if (content instanceof Element && content.classList.contains('bar-box')) made.classList.add('bar');
    return made;
  })));
  return element('table', {}, element('thead', {}, element('tr', {}, ...head.map(([text, isName]) => cell('th', text, isName)))),
                 element('tbody', {}, ...body));
}
const name = text => [text, true];
const number = text => [text, false];

/** Parts of a whole: [value, colour, what it is]. */
function bar(parts, whole) {
  return element('div', {className: 'bar-box'}, ...parts.filter(([value]) => value > 0).map(([value, colour, what]) => {
    const made = element('div', {title: `${what}: ${partText(value / whole)}`});
    made.style.width = `${100 * value / whole}%`;
    made.style.background = colour;
    return made;
  }));
}
function keys(parts) {
  return element('div', {className: 'keys'}, ...parts.map(([text, colour]) => element('span', {}, swatch(colour), text)));
}
function swatch(colour) {
  const made = element('i', {});
  made.style.background = colour;
  return made;
}
function named(text, colour, full) {
  const made = element('span', {title: full ?? text});
  if (colour) made.append(swatch(colour));
  made.append(text);
  return made;
}

/** A section with one part for each run. */
function section(title, about, make, wide) {
  const parts = reports.map((report, k) => {
    const made = make(report, runs[k]);
    return made === null ? null : element('div', {}, compared ? element('h3', {}, `${runNames[k]}: ${baseName(report.file)}`) : '', ...[made].flat());
  }).filter(part => part !== null);
  if (parts.length === 0) return;
  const made = element('section', {}, element('h2', {}, title), element('p', {}, about),
                       compared ? element('div', {className: 'pair'}, ...parts) : parts[0]);
  const columns = [...document.querySelectorAll('#columns > div')];
  if (wide || compared) byId('tables').append(made);
  else columns.reduce((l, r) => r.offsetHeight < l.offsetHeight ? r : l).append(made);
}
const more = (rows, what) => rows.length > mostRows ? [element('p', {}, `and ${rows.length - mostRows} more ${what}: --json has them all`)] : [];
const some = rows => rows.slice(0, mostRows);
const sumOf = (list, of) => list.reduce((sum, one) => sum + of(one), 0);

const idleCauses = [
  ['communication', 'message in flight', '#d55e00'], ['waking', 'message ready, not begun', '#f0c808'],
  ['device', 'waits for a device', '#aa4499'], ['timer', 'waits for a timer', '#ddcc77'], ['other', 'dependencies, imbalance', '#56b4e9'],
  ['before_first', 'nothing run yet', '#a3a9b2'], ['after_last', 'nothing to come', '#757c87']];
const idleOf = pe => sumOf(idleCauses, ([key]) => pe.idle[key]);
const idleOfAll = report =>
  Object.fromEntries([...idleCauses.map(([key]) => key), 'cut', 'cut_time'].map(key => [key, sumOf(report.pes, pe => pe.idle[key])]));
/** What of it is not exact, as the text report says it. */
const cutNote = of => of.cut ? ` (${countText(of.cut)} intervals cut by ${timeText(of.cut_time)} in all)` : '';

function head() {
  document.body.classList.toggle('compared', compared);
  document.title = `Imbrex trace: ${reports.map(report => baseName(report.file)).join(', ')}`;
  const files = byId('files');
  files.textContent = reports.map(report => baseName(report.file)).join(' against ');
  files.title = reports.map(report => report.file).join(' against ');
  byId('about').textContent = reports.map(report =>
    `${countText(report.records)} records, ${countText(report.all_pes)} PE${report.all_pes === 1 ? '' : 's'} of ` +
    `${countText(report.processes)} process${report.processes === 1 ? '' : 'es'}, ${timeText(report.length)}` +
    (report.simulated_time ? " of a model's time" : '')).join(compared ? '  \u00b7  ' : '');
  for (const report of reports)
    for (const warning of report.warnings) byId('warnings').append(element('li', {}, warning));
  const shown = [['length', 'length of the run'], ['utilisation', "PE time: program"],
                 ['overlap', 'communication hidden'], ['exposed', 'communication exposed'],
                 ['idle_part', "PE time: idle or parked"], ['path', 'critical path'],
                 ['bound', 'ideal bound'], ['messages', 'messages sent']];
  const kindOf = new Map(given.figures.map(figure => [figure.key, figure.kind]));
  for (const [key, text] of shown) {
    const values = reports.map(report => report.summary[key]);
    const kind = kindOf.get(key);
    const [first] = values;
    let second = '';
    if (key === 'bound' && !compared) second = first ? `the run is ${ratioText(reports[0].length / first)} that` : '';
    if (key === 'exposed' && !compared) second = `of ${timeText(reports[0].summary.communication)}, all PEs`;
    if (key === 'messages' && !compared) second = bytesText(reports[0].summary.message_bytes);
    if (key === 'path' && !compared) second = `${partText(first ? reports[0].critical_path.network / first : 0)} of it on the network`;
    if (compared) second = kind === 'part' ? '' : first ? `${(values[1] / first).toFixed(3)} x` : '';
    byId('figures').append(element('div', {className: 'figure'},
      element('b', {}, values.map(value => figureText(kind, value)).join(' \u2192 ')), element('span', {}, text),
      second ? element('small', {}, second) : null));
  }
}

function comparison() {
  if (!compared) return;
  // Of these less is better, or more.
  const better = {length: -1, utilisation: 1, runtime_part: -1, idle_part: -1, exposed: -1, overlap: 1, path: -1,
                  idle_communication: -1, idle_waking: -1, idle_other: -1, above_bound: -1};
  const rows = given.figures.map(({key, name: text, kind}) => {
    const [first, second] = reports.map(report => report.summary[key]);
    const ratio = first === null || second === null || first === 0 ? null : second / first;
    const change = element('span', {}, ratio === null ? '-' : ratio.toFixed(3));
    return {cells: [text, figureText(kind, first), figureText(kind, second), change],
            good: better[key] && ratio !== null && Math.abs(ratio - 1) > 0.01 ? Math.sign(ratio - 1) * better[key] : 0};
  });
  const made = table([name('figure'), number('first'), number('second'), number('second / first')], rows.map(row => row.cells));
  made.querySelectorAll('tbody tr').forEach((row, k) => {
    if (rows[k].good) row.lastChild.className = rows[k].good > 0 ? 'better' : 'worse';
  });
  const byName = new Map();
  reports.forEach((report, k) => {
    for (const entry of report.entries) {
      const known = byName.get(entry.name) ?? {entry, times: [0, 0], calls: [0, 0]};
      known.times[k] = entry.time;
      known.calls[k] = entry.calls;
      byName.set(entry.name, known);
    }
  });
  const entries = [...byName.values()].sort((l, r) => r.times[0] + r.times[1] - l.times[0] - l.times[1]);
  const times = table([name('entry'), number('first'), number('second'), number('second / first'), number('calls'), number('calls')],
    some(entries).map(({entry, times: [l, r], calls}) =>
      [named(shortName(entry.name), entryColour(entry), entry.name), timeText(l), timeText(r), l ? (r / l).toFixed(3) : '-',
       countText(calls[0]), countText(calls[1])]));
  byId('tables').append(
    element('section', {}, element('h2', {}, 'Comparison'),
      element('p', {}, 'What the second run has by what the first has: green where that is better, red where it is worse.'),
      element('div', {className: 'pair'}, element('div', {}, made), element('div', {}, times))));
}

function utilisation(report) {
  const colours = {program: '#0072b2', runtime: '#8b929c', idle: theme.track, unrecorded: theme.states[2]};
  const row = (pe, whole, text) => [text, bar([[pe.program, colours.program, 'program'], [pe.runtime, colours.runtime, 'runtime'],
                                               [pe.unrecorded, colours.unrecorded, 'not recorded']], whole),
    partText(pe.program / whole), partText(pe.runtime / whole), partText(idleOf(pe) / whole), countText(pe.items)];
  const whole = Math.max(1, report.length);
  const all = {program: sumOf(report.pes, pe => pe.program), runtime: sumOf(report.pes, pe => pe.runtime),
               unrecorded: sumOf(report.pes, pe => pe.unrecorded), items: sumOf(report.pes, pe => pe.items),
               idle: idleOfAll(report)};
  return [keys([['program', colours.program], ['runtime', colours.runtime], ['idle or parked', colours.idle]]),
    table([name('PE'), number(''), number('program'), number('runtime'), number('idle or parked'), number('items')],
      [...some(report.pes).map(pe => row(pe, whole, String(pe.pe))), row(all, whole * Math.max(1, report.pes.length), 'all')]),
    ...more(report.pes, 'PEs')];
}

function timeByEntry(report) {
  const entries = [...report.entries].sort((l, r) => r.time - l.time);
  const most = Math.max(1, entries.length ? entries[0].time : 1);
  const whole = Math.max(1, report.length * report.pes.length);
  return [table([name('entry'), number(''), number('time'), number('of all'), number('calls'), number('mean'), number('longest'), number('grain')],
    some(entries).map(e => [named(shortName(e.name), entryColour(e), e.name), bar([[e.time, entryColour(e), e.name]], most),
      timeText(e.time), partText(e.time / whole), countText(e.calls), e.calls ? timeText(e.time / e.calls) : '-',
      timeText(e.longest), timeText(e.grain)])), ...more(entries, 'entries')];
}

function phasesByName(report) {
  if (report.phases.length === 0) return null;
  const nameOf = p => p.name + (p.entry ? ` of ${shortName(p.entry)}` : '');
  const share = p => partText(p.program / Math.max(1, p.total));
  return [table([name('phase'), number('number'), number('total'), number('median'), number('longest'), number('program'), name('longest of')],
    some(report.phases).map(p => [nameOf(p), countText(p.count), timeText(p.total), timeText(p.p50), timeText(p.max), share(p), p.longest_of ?? ''])),
    ...more(report.phases, 'phases'),
    ...report.phases.filter(p => p.steps.length > 1).flatMap(p => [element('h3', {}, `by step: ${nameOf(p)}`),
      table([name('number'), number('from'), number('to'), number('phases'), number('longest'), number('program'), name('longest of')],
        some(p.steps).map(s => [String(s.number), timeText(s.begin), timeText(s.end), countText(s.count), timeText(s.max), share(s), s.longest_of ?? ''])),
      ...more(p.steps, 'steps')])];
}

function charesByClass(report) {
  if (report.chares.length === 0) return null;
  const whole = Math.max(1, report.length * report.pes.length);
  const most = Math.max(1, report.chares[0].busy);
  const colour = '#0072b2';
  return [table([name('chares'), number(''), number('time'), number('of all'), number('elements'), number('heaviest by mean'), number('calls'), number('sent')],
    some(report.chares).map(c => [named(shortName(c.name), null, c.name), bar([[c.busy, colour, c.name]], most), timeText(c.busy),
      partText(c.busy / whole), countText(c.elements), c.busy ? (c.heaviest.busy * c.elements / c.busy).toFixed(2) : '-',
      countText(c.calls), countText(c.sent)])), ...more(report.chares, 'classes'),
    element('h3', {}, 'heaviest elements'),
    table([name('element'), number(''), number('time'), number('of all'), number('calls'), number('sent'), number('with')],
      report.elements.slice(0, 16).map(e => [e.name, bar([[e.busy, colour, e.name]], Math.max(1, report.elements[0].busy)), timeText(e.busy),
        partText(e.busy / whole), countText(e.calls), countText(e.sent), bytesText(e.sent_bytes)]))];
}

function idleByCause(report) {
  const row = (pe, text) => {
    const all = Math.max(1, idleOf(pe));
    return [text + cutNote(pe.idle), bar(idleCauses.map(([key, what, colour]) => [pe.idle[key], colour, what]), all), timeText(idleOf(pe)),
            ...idleCauses.slice(0, 5).map(([key]) => partText(pe.idle[key] / all))];
  };
  const all = {idle: idleOfAll(report)};
  return [keys(idleCauses.map(([, what, colour]) => [what, colour])),
    table([name('PE'), number(''), number('idle'), number('message'), number('waking'), number('device'),
           number('timer'), number('other')],
          [...some(report.pes).map(pe => row(pe, String(pe.pe))), row(all, 'all')]), ...more(report.pes, 'PEs')];
}

function overlap(report) {
  const [covered, exposed] = ['#009e73', '#d55e00'];
  const row = (of, text, most) => [text + cutNote(of), bar([[of.covered, covered, 'covered'], [of.exposed, exposed, 'exposed']], Math.max(1, most)),
    timeText(of.communication), timeText(of.covered), timeText(of.exposed), of.communication ? partText(of.covered / of.communication) : '-'];
  const rows = [];
  const add = (list, text) => {
    const most = Math.max(1, ...list.map(one => one.overlap.communication));
    for (const one of some(list)) rows.push(row(one.overlap, text(one), most));
  };
  add(report.pes, pe => `PE ${pe.pe}`);
  if (report.processes > 1) add(report.overlap_of_processes, one => `process ${one.process}`);
  add(report.devices, one => `device ${one.device}${report.processes > 1 ? ` of process ${one.process}` : ''}`);
  return [keys([['covered by computation', covered], ['exposed', exposed]]),
    table([name('of'), number(''), number('communication'), number('covered'), number('exposed'), number('hidden')], rows),
    ...more(report.pes, 'PEs')];
}

function histogram(classes, total, text) {
  if (classes.length === 0) return element('p', {}, 'none');
  const low = Math.min(...classes.map(([power]) => power));
  const high = Math.max(...classes.map(([power]) => power));
  const of = new Map(classes);
  const most = Math.max(...of.values());
  const bars = element('div', {className: 'histogram'});
  const ticks = element('div', {className: 'ticks'});
  const every = Math.ceil((high - low + 1) / 9);
  for (let power = low; power <= high; ++power) {
    const count = of.get(power) ?? 0;
    const made = element('div', {title: `below ${text(2 ** power)}: ${countText(count)}, ${partText(count / total)}`});
    made.style.height = `${100 * count / most}%`;
    if (count === 0) made.style.visibility = 'hidden';
    bars.append(made);
    ticks.append(element('span', {}, (power - low) % every === 0 ? text(2 ** power) : ''));
  }
  return element('div', {}, bars, ticks);
}

function messages(report) {
  const m = report.messages;
  const latency = (of, text) => [text, countText(of.count), timeText(of.p50), timeText(of.p90), timeText(of.p99), timeText(of.max)];
  return [
    table([name(''), number('messages'), number('bytes')],
      [['sent', countText(m.sent), bytesText(m.bytes)],
       ['between PEs', countText(m.between_pes), bytesText(m.between_pes_bytes)],
       ['between processes', countText(m.between_processes), bytesText(m.between_processes_bytes)]]),
    element('h3', {}, 'sizes, below'), histogram(m.sizes.map(one => [one.below_power_of_two, one.messages]), m.sent, bytesText),
    element('h3', {}, 'time from sent to ready, arrived messages only, below'),
    histogram(m.sent_to_ready.classes.map(one => [one.below_power_of_two, one.count]), m.sent_to_ready.count, timeText),
    element('h3', {}, 'time in the queue, from ready to begun, below'),
    histogram(m.ready_to_begun.classes.map(one => [one.below_power_of_two, one.count]), m.ready_to_begun.count, timeText),
    table([name('latency'), number('messages'), number('median'), number('90 %'), number('99 %'), number('longest')],
          [latency(m.sent_to_ready, 'sent to ready'), latency(m.ready_to_begun, 'ready to begun')])];
}

function criticalPath(report) {
  const path = report.critical_path;
  const parts = [['messages in flight', path.network, '#d55e00'], ['the runtime', path.runtime, '#8b929c'],
                 ['idle, waiting for a device', path.wait_device, '#aa4499'], ['idle, waiting for a timer', path.wait_timer, '#ddcc77'],
                 ['idle or in a queue', path.wait_other, '#56b4e9'], ['not recorded', path.unrecorded, theme.states[2]],
                 ...path.entries.map(e => [e.name, e.time, programColours.of(e.name)]), ['other entries', path.other_entries, greys[0]]]
    .filter(([, time]) => time > 0).sort((l, r) => r[1] - l[1]);
  const whole = Math.max(1, path.length);
  return [element('p', {}, `${timeText(path.length)}, to the end of the last item, on PE ${path.pe}; ${countText(path.takeovers)} ` +
                  'times a PE waited for the message of its next item, and the path continues on the sender.'),
    bar(parts.map(([what, time, colour]) => [time, colour, what]), whole),
    table([name('part'), number('time'), number('of it')],
          parts.map(([what, time, colour]) => [named(shortName(what), colour, what), timeText(time), partText(time / whole)]))];
}

function bounds(report) {
  const b = report.bound;
  const rows = [['computation of the busiest PE', b.busiest_pe, '#0072b2'],
                ['all computation, divided evenly among the PEs', b.mean_of_pes, '#56b4e9'],
                ...(b.device ? [['kernels or copies of the busiest device', b.device, '#cc79a7']] : []),
                ['full overlap: the longer of both, one latency', b.overlapped, '#009e73']];
  const whole = Math.max(1, report.length, ...rows.map(([, time]) => time));
  return table([name('bound'), number(''), number('time'), number('the run is')],
    [...rows.map(([text, time, colour]) => [text, bar([[time, colour, text]], whole), timeText(time), time ? ratioText(report.length / time) : '-']),
     ['the run as it was', bar([[report.length, '#d55e00', 'the run']], whole), timeText(report.length), '']]);
}

function makeTables() {
  head();
  comparison();
  section('Time by entry', 'Without nested entries; longest: from a begin to its end; grain: mean time between two awaits.', timeByEntry, true);
  section('Chares', 'By class: their time without nested entries; calls: the messages to them.', charesByClass, true);
  section('Phases', 'All PEs, from begin to end; overlapping phases count each. Program: part of that time in which their PEs ran the program.', phasesByName);
  section('Utilisation', 'PE time as parts of the run.', utilisation);
  section('Overlap', 'Part of the communication time that computation covers. PE: messages from other PEs, from sent to ready; ' +
          'process: messages from other processes, against any of its PEs; device: copies against kernels.', overlap);
  section('Ideal bounds', 'Least times of a run with this work, and with full overlap of computation and communication of each PE, but for one latency.', bounds);
  section('Idle by cause', 'Of each moment the first cause that held.', idleByCause);
  section('Critical path', 'The chain of what had to happen one after the other.', criticalPath);
  section('Messages', 'Their number, sizes and latencies.', messages);
}
