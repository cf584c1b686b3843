// SPDX-License-Identifier: Apache-2.0
// With #selftest behind its address the page uses itself, as a user would, and writes what it saw into itself.
'use strict';

function selfTest() {
  const seen = {};
  const press = id => byId(id).dispatchEvent(new MouseEvent('click', {bubbles: true}));
  const key = (target, name) => target.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
  const [timeline] = timelines;
  const {canvas, run} = timeline;
  const shown = () => view.end - view.begin;
  /** How many pixels of the timeline are not the background of a row. */
  const painted = () => {
    drawAll();
    const {data} = timeline.context.getImageData(labelWidth * timeline.ratio, timeline.top * timeline.ratio, canvas.width, canvas.height);
    const row = pixelOf(theme.row);
    return new Uint32Array(data.buffer).reduce((count, pixel) => count + (pixel !== 0 && pixel !== row ? 1 : 0), 0);
  };
  const whole = shown();
  seen.painted = painted();
  press('zoom-in');
  seen.zoomedIn = shown() / whole;
  press('zoom-out');
  seen.zoomedOut = shown() / whole;
  key(document.body, 'w');
  key(document.body, 'd');
  seen.byKeys = shown() / whole;
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -400, clientX: box.left + labelWidth + 300, clientY: box.top + 60, cancelable: true}));
  seen.byWheel = shown() / whole;
  press('whole');
  seen.wholeAgain = shown() / whole;

  // The sums of what is drawn are the analysis's, but for rounding to 255ths of bins.
  seen.program = runs.map(one => {
    let sum = 0;
    for (const {bins, kind} of one.rows) {
      if (kind !== 'pe') continue;
      for (let k = 0; k < bins.shares.length; k += 2) {
        const {entry} = one.kinds[bins.shares[k]];
        if (entry !== null && one.entries[entry].program) sum += bins.shares[k + 1] / 255 * one.bin;
      }
    }
    return sum / one.entries.filter(entry => entry.program).reduce((all, entry) => all + entry.time, 0);
  });

  const searched = new URLSearchParams(location.hash.slice(1)).get('search') ?? (run.entries[0]?.name ?? 'nothing');
  byId('search').value = searched;
  byId('search').dispatchEvent(new Event('input', {bubbles: true}));
  seen.found = search.found.length;
  key(byId('search'), 'Enter');
  key(byId('search'), 'Enter');
  seen.place = search.at;
  seen.selected = byId('selection').hidden ? null : byId('selection').textContent;
  const chosen = search.found[search.at];
  const chosenBox = chosen?.timeline.boxOf(chosen.thing);
  seen.inView = !!chosenBox && chosenBox.width >= 8 && chosenBox.left >= labelWidth && chosenBox.left + chosenBox.width <= timeline.width &&
    chosenBox.top >= timeline.top && chosenBox.top + chosenBox.height <= chosen.timeline.shown;
  press('previous');
  seen.previous = search.at;
  // A click on the slice that was found chooses it again.
  const current = search.found.find(one => one.thing.slice !== undefined && one.timeline === timeline);
  if (current !== undefined) {
    show(timeline, current.thing);
    const at = timeline.boxOf(current.thing);
    select(timeline, null);
    const where = {clientX: box.left + at.left + at.width / 2, clientY: canvas.getBoundingClientRect().top + at.top + at.height - 3, pointerId: 1};
    canvas.setPointerCapture = () => {};  // there is no pointer
    canvas.dispatchEvent(new PointerEvent('pointermove', where));
    seen.tip = tip.textContent;
    canvas.dispatchEvent(new PointerEvent('pointerdown', where));
    canvas.dispatchEvent(new PointerEvent('pointerup', where));
    seen.clicked = timeline.selected !== null;
    hideTip();
  }
  // Of the messages one that was sent by something that ran.
  const {messages} = run;
  for (let k = 0; k < messages.sent.length; ++k) {
    const sender = run.sliceAt(messages.from[k], messages.sent[k]);
    if (sender < 0 || messages.from[k] === messages.to[k]) continue;
    const {sent} = timeline.messagesOf(sender);
    seen.arrow = sent.includes(k);
    break;
  }
  // In the end, what is worth a picture: of what was found something that was sent for and sends, in the middle.
  const look = () => {
    const sendsOf = least => search.found.filter(({timeline: of, thing}) => {
      if (thing.slice === undefined || of.run.slices.chare[thing.slice] === 0) return false;
      const {came, sent} = of.messagesOf(thing.slice);
      return came.length >= least && sent.length > 0;
    });
    const sends = [...sendsOf(1), ...sendsOf(0)];
    byId('search').value = '';
    searchFor('');
    if (sends.length === 0) return;
    const {timeline: of, thing, begin} = sends[sends.length >> 1];
    press('whole');
    show(of, thing);
    setView(begin - longest / 18, begin + longest / 18);
  };
  const frames = 40;
  press('whole');
  zoom(0.5);
  const began = performance.now();
  for (let k = 0; k < frames; ++k) {
    move(k < frames / 2 ? 0.02 : -0.02);
    drawAll();
    timeline.context.getImageData(0, 0, 1, 1);  // until it is drawn
  }
  seen.framesASecond = Math.round(1000 * frames / (performance.now() - began));
  seen.images = document.images.length;
  seen.title = document.title;
  seen.text = byId('timeline-section').textContent.replace(/\s+/g, ' ');
  const asked = new URLSearchParams(location.hash.slice(1)).get('end');
  if (asked === 'whole') { byId('search').value = ''; searchFor(''); select(timeline, null); press('whole'); }
  else look();
  drawAll();
  document.body.append(element('pre', {id: 'self-test', hidden: true}, JSON.stringify(seen)));
}
if (location.hash.startsWith('#selftest'))
  try { selfTest(); } catch (error) { document.body.append(element('pre', {id: 'self-test', hidden: true}, JSON.stringify({error: String(error.stack)}))); }
