'use strict';
// The timeline: mouse, keys, search and what is said of a span.

const most_height = 620;

function timeline_tools(state, act) {
  const button = (text, title, onclick) => element('button', { type: 'button', title, onclick }, text);
  const box = (text, checked, set) => {
    const input = element('input', { type: 'checkbox', checked, onchange: () => { set(input.checked); act.redraw(); } });
    return element('label', {}, input, ` ${text}`);
  };
  const colors = element('select', { 'aria-label': 'colours' }, element('option', {}, 'colour by kind'), element('option', {}, 'colour by micro-batch'));
  colors.onchange = () => { state.by_micro = colors.selectedIndex === 1; act.redraw(); };
  const search = element('input', { type: 'search', placeholder: 'Search: 1F0, send, micro 3', 'aria-label': 'search operations', size: 25 });
  const count = element('output');
  search.oninput = () => {
    state.search = search_spans(state.data, search.value);
    count.textContent = state.search ? `${state.search.count} of ${state.data.start.length}` : '';
    act.redraw();
  };
  search.onkeydown = (event) => {
    if (event.key === 'Enter') act.next_found(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') { search.value = ''; search.oninput(); }
    event.stopPropagation();
  };
  act.focus_search = () => search.focus();
  return element('div', { class: 'tools' }, search, count, colors,
    box('communication', state.shows_others, (on) => { state.shows_others = on; }),
    box('critical path', state.shows_critical, (on) => { state.shows_critical = on; }),
    ...(state.data.senders.length ? [box('messages', state.shows_messages, (on) => { state.shows_messages = on; })] : []),
    box('critical path only', state.only_critical, (on) => { state.only_critical = on; }),
    element('span', { class: 'gap' }),
    element('span', { class: 'group' }, button('−', 'zoom out', () => state.view.zoom(1 / 1.6)), button('+', 'zoom in', () => state.view.zoom(1.6)),
    button('Fit', 'show all (0)', () => state.view.set(0, state.view.end_s)),
    button('SVG', 'save what is seen as a picture', () => download('timeline.svg', 'image/svg+xml', timeline_svg(state, 1200)))));
}

function row_at(state, y) { return state.layout.rows.find((row) => y >= row.y && y < row.y + row.height + 1); }

/// The span under the pointer, or -1.
function span_at(state, row, x) {
  if (!row || x < label_width) return -1;
  const scale = tick_scale(state.data, state.view, state.width);
  const i = first_after(state.data, row.lane, scale.tick(x));
  return i < row.lane.last && state.data.start[i] <= scale.tick(x + 1) ? i : -1;
}

function lane_of(data, i) { return data.lanes.find((lane) => i >= lane.first && i < lane.last); }

function listen_to_mouse(canvas, box, state, act) {
  const width = () => (state.width - label_width) / (state.view.to - state.view.from);
  const at = (event) => { const r = canvas.getBoundingClientRect(); return [event.clientX - r.left, event.clientY - r.top]; };
  let drag = null;
  canvas.onpointerdown = (event) => { drag = { x: event.clientX, from: state.view.from, moved: false }; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointermove = (event) => {
    if (drag) {
      if (Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
      if (drag.moved) { hide_tip(); state.view.pan(drag.from - (event.clientX - drag.x) / width() - state.view.from); }
      return;
    }
    const [x, y] = at(event);
    const row = y > axis_height ? row_at(state, y + box.scrollTop) : null;
    const i = span_at(state, row, x);
    if (i >= 0) show_tip(event, [...describe_span(state.data, row.lane, i), ...kernel_lines(state.data, i, tick_scale(state.data, state.view, state.width).tick(x))].join('\n')); else hide_tip();
  };
  canvas.onpointerup = (event) => {
    const clicked = drag && !drag.moved;
    drag = null;
    const [x, y] = at(event);
    if (clicked) act.choose(span_at(state, row_at(state, y + box.scrollTop), x));
  };
  canvas.onpointerleave = hide_tip;
  // The page scrolls with the wheel alone; with Ctrl, or sideways, the timeline moves.
  canvas.addEventListener('wheel', (event) => {
    const time = state.view.from + Math.max(0, at(event)[0] - label_width) / width();
    if (event.ctrlKey || event.metaKey) state.view.zoom(Math.exp(-event.deltaY * 0.004), time);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) state.view.pan((event.deltaX || event.deltaY) / width());
    else return;
    event.preventDefault();
  }, { passive: false });
  canvas.ondblclick = (event) => state.view.zoom(2.5, state.view.from + (at(event)[0] - label_width) / width());
}

function listen_to_keys(canvas, state, act) {
  canvas.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const length = state.view.to - state.view.from;
    const keys = {
      w: () => state.view.zoom(1.6), s: () => state.view.zoom(1 / 1.6), a: () => state.view.pan(-length / 6), d: () => state.view.pan(length / 6),
      ArrowLeft: () => state.view.pan(-length / 6), ArrowRight: () => state.view.pan(length / 6),
      '+': () => state.view.zoom(1.6), '=': () => state.view.zoom(1.6), '-': () => state.view.zoom(1 / 1.6),
      0: () => state.view.set(0, state.view.end_s), Home: () => state.view.set(0, state.view.end_s),
      n: () => act.step(1), p: () => act.step(-1), '/': () => act.focus_search(),
      Escape: () => act.choose(-1),
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  };
}

/// Brings a span into the middle of the view where it is not seen, or too small.
function reveal(state, i) {
  const start = state.data.start[i] * state.data.tick_s, end = state.data.end[i] * state.data.tick_s;
  const length = state.view.to - state.view.from;
  if (start >= state.view.from && end <= state.view.to && (end - start) / length > 0.01) return;
  const wide = Math.min(length, Math.max((end - start) * 30, state.data.tick_s * 30));
  state.view.set((start + end - wide) / 2, (start + end + wide) / 2);
}

function timeline_acts(state, details) {
  const { data } = state;
  return {
    redraw() {},
    choose(i) {
      state.chosen = i;
      details.textContent = i < 0 ? '' : describe_span(data, lane_of(data, i), i).join(' · ');
      this.redraw();
    },
    show(i) { this.choose(i); reveal(state, i); this.redraw(); },
    step(by) {
      const lane = state.chosen < 0 ? state.layout.rows[0].lane : lane_of(data, state.chosen);
      const next = state.chosen < 0 ? lane.first : state.chosen + by;
      if (next >= lane.first && next < lane.last) this.show(next);
    },
    next_found(by) {
      if (!state.search || !state.search.count) return;
      const all = data.start.length;
      let i = state.chosen < 0 ? (by > 0 ? -1 : all) : state.chosen;
      do i = (i + by + all) % all; while (!state.search.found[i]);
      this.show(i);
    },
  };
}

function timeline_legend(state) {
  const entries = state.by_micro ? [['micro-batch modulo 7:', 'transparent'], ...micro_colors.map((c, i) => [String(i), c]), ['none', no_micro_color]]
    : state.data.categories.map((c) => [state.data.word_of ? state.data.word_of(c) : c.replace('_', ' '), kind_colors[c]]);
  if (state.shows_critical) entries.push(['bar beneath: critical path', theme_color('ink')]);
  return legend(entries);
}

/// `view`: the window of time, which other views may share.
function timeline(data, view) {
  const state = { data, view, by_micro: false, shows_others: true, shows_critical: true, shows_messages: true, only_critical: false, chosen: -1, search: null };
  const details = element('p', { class: 'details', 'aria-live': 'polite' });
  const canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-label': 'timeline: arrows move, plus and minus zoom, 0 shows all, n and p go from operation to operation, / searches' });
  const filler = element('div');
  const box = element('div', { class: 'rows' }, canvas, filler);
  const colors = element('div');
  const act = timeline_acts(state, details);
  let waiting = false;
  const draw = () => {
    waiting = false;
    if (!box.isConnected) return;
    state.width = box.clientWidth;
    state.layout = lay_out(data, state.shows_others);
    const height = Math.min(state.layout.height, most_height);
    box.style.height = `${height + 2}px`;
    filler.style.height = `${state.layout.height - height}px`;
    draw_timeline(canvas, state, box.scrollTop, box.clientWidth, height);
    colors.replaceChildren(timeline_legend(state));
  };
  remember_view(view);
  act.redraw = () => { if (!waiting) { waiting = true; requestAnimationFrame(draw); } };
  view.listen(act.redraw);
  theme_listeners.push(draw);
  box.onscroll = act.redraw;
  new ResizeObserver(act.redraw).observe(box);
  listen_to_mouse(canvas, box, state, act);
  listen_to_keys(canvas, state, act);
  const made = element('div', {}, timeline_tools(state, act), colors, box, details,
    element('p', { class: 'hint' }, 'Drag, A D or ← → to move, W S, Ctrl + wheel or + − to zoom, 0 for all, n and p from operation to operation, / to search, Enter for the next hit.'));
  made.state = state;
  return made;
}
