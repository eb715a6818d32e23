'use strict';
// Every schedule beneath the others on one axis of time, so that equal lengths are equal times. Beside
// each stands what its ranks hold in memory at the peak, on one axis of bytes.

const compared_height = 9, memory_width = 250;

/// Lanes of compute alone, a thin line a rank.
function compact_layout(data) {
  const layout = lay_out(data, false);
  layout.rows.forEach((line, k) => { line.y = axis_height + 2 + k * (compared_height + 1); line.height = compared_height; line.label = k % 2 ? '' : line.label.split(':')[0]; line.name = ''; });
  layout.height = axis_height + 4 + layout.rows.length * (compared_height + 1);
  return layout;
}

function draw_memory_ticks(context, x, height) {
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  for (const [bytes, text] of axis_ticks(0, x.domain()[1], 3, human_bytes)) {
    context.fillStyle = theme_color('line');
    context.fillRect(Math.round(x(bytes)), axis_height - 5, 1, height);
    context.fillStyle = theme_color('soft');
    context.textAlign = bytes ? 'center' : 'left';
    context.fillText(bytes ? text : '0', Math.min(x(bytes), memory_width - 22), 9);
  }
}

/// A bar a rank by category, at the height of its lane.
function draw_rank_memory(canvas, row, layout, most, capacity) {
  const context = sharp(canvas, memory_width, layout.height);
  const x = d3.scaleLinear([0, most * 1.05], [8, memory_width - 4]);
  draw_memory_ticks(context, x, layout.height);
  const ranks = new Map(row.ranks.map((rank) => [rank.rank, rank]));
  for (const line of layout.rows) {
    const rank = ranks.get(row.timeline.pipelines[line.lane.rank]);
    let below = 0;
    for (const part of rank ? memory_parts(rank) : []) {
      context.fillStyle = part.color;
      context.fillRect(x(below), line.y, x(below + part.bytes) - x(below), line.height);
      below += part.bytes;
    }
  }
  if (capacity && capacity <= x.domain()[1]) {
    context.fillStyle = theme_color('warn');
    context.fillRect(x(capacity) - 1, axis_height - 2, 2, layout.height);
  }
}

/// "+3.4 %" of a number against another; empty for the same.
function difference(value, against) {
  const part = value / against - 1;
  return !Number.isFinite(part) || Math.abs(part) < 0.0005 ? '' : `${part > 0 ? '+' : '−'}${human_percent(Math.abs(part))}`;
}

/// What a run holds and what its devices have room for are both known.
function knows_memory(row) { return row.device_memory_bytes > 0 && peak_of(row) > 0; }
function peak_of(row) { return d3.max(row.ranks, (rank) => rank.peak_memory_bytes) || 0; }

/// What a schedule costs and saves against the fastest, in words.
function against_first(row, first) {
  if (row === first) return 'the fastest';
  const time = difference(typical_time(row), typical_time(first)), memory = difference(peak_of(row), peak_of(first));
  return `${time || 'as fast'}${time ? ' time' : ''}, ${memory || 'as much'} memory against ${first.schedule}`;
}

function schedule_chart(row, first, view, most) {
  const canvas = element('canvas', { class: 'still', role: 'img', 'aria-label': `timeline of ${row.schedule}` });
  const beside = element('canvas', { class: 'still', role: 'img', 'aria-label': `memory of ${row.schedule}` });
  const layout = compact_layout(row.timeline), capacity = row.timeline.capacity_bytes;
  const state = { data: row.timeline, view, layout, by_micro: false, shows_others: false, shows_critical: false, only_critical: false, chosen: -1, search: null };
  const name = element('p', { class: 'name' }, element('b', {}, row.schedule), ` ${human_time(typical_time(row))}, bubble ${human_percent(row.bubble_fraction)}, ${human_bytes(peak_of(row))}${row.feasible ? '' : ': does not fit'} `,
    element('span', { class: 'note' }, against_first(row, first)));
  return {
    made: element('div', {}, name, element('div', { class: 'beside' }, canvas, beside)),
    draw(width) {
      draw_timeline(canvas, state, 0, width - memory_width, layout.height);
      draw_rank_memory(beside, row, layout, most, capacity);
    },
  };
}

/// `ran` has the fastest first.
function together_section(ran) {
  const view = time_window(d3.max(ran, (row) => row.timeline.end_s));
  const capacity = d3.max(ran, (row) => row.timeline.capacity_bytes || 0), held = d3.max(ran, peak_of);
  const most = capacity < held * 3 ? Math.max(capacity, held) : held;
  const charts = ran.map((row) => schedule_chart(row, ran[0], view, most));
  const holder = element('div', {}, ...charts.map((chart) => chart.made));
  const draw = () => { if (holder.clientWidth > label_width + memory_width) for (const chart of charts) chart.draw(holder.clientWidth); };
  new ResizeObserver(draw).observe(holder);
  theme_listeners.push(draw);
  const kinds = memory_kinds.filter(([key]) => ran.some((row) => row.ranks.some((rank) => rank.memory[key] > 0)));
  const held_parts = kinds.map(([key, color]) => [key.replace('_', ' '), color]);
  if (capacity && capacity <= most) held_parts.push([`line: capacity ${human_bytes(capacity)}`, 'var(--warn)']);
  return section('All on one axis of time, and what every rank holds at its peak', element('div', { class: 'keys' }, legend(kinds_of(ran)), legend(held_parts)), holder);
}

/// Time and memory of every schedule: the line joins what nothing beats in both.
function trade_section(ran) {
  const front = new Set(), capacity = ran[0].timeline.capacity_bytes;
  let least = Infinity;
  for (const row of ran) if (row.feasible && peak_of(row) < least) { front.add(row); least = peak_of(row); }
  return section('What a schedule costs in time, and saves in memory', scatter(ran,
    { name: 'iteration time', value: (r) => typical_time(r), show: human_time }, { name: 'peak memory', value: peak_of, show: human_bytes },
    { wide: true, front: (r) => front.has(r), named: (r) => r.schedule, group: (r) => (r.feasible ? 'fits' : 'does not fit'),
      limit: capacity ? { value: capacity, text: `capacity ${human_bytes(capacity)}` } : null,
      tip: (r) => `${r.schedule}\n${human_time(typical_time(r))}\n${human_bytes(peak_of(r))}\n${against_first(r, ran[0])}` }));
}
