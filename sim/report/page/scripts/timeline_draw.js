'use strict';
// Draws lanes of spans. What it costs follows from the pixels, not from the number of spans: of the
// spans that fall into one pixel some are looked at, and the pixel shows the share of each colour and
// of nothing; the rest is skipped by bisection.

const axis_height = 22, compute_height = 26, other_height = 9, rank_gap = 5;

/// Where each shown lane stands: [{lane, y, height, label}], and the height of all.
function lay_out(data, shows_others) {
  const rows = [];
  let y = axis_height + 2;
  const ranks = new Map();
  for (const lane of data.lanes) {
    const computes = lane.name.startsWith('compute');
    if (!computes && !shows_others) continue;
    if (!ranks.has(lane.rank)) ranks.set(lane.rank, []);
    ranks.get(lane.rank).push({ lane, computes });
  }
  for (const [rank, list] of [...ranks].sort((a, b) => a[0] - b[0])) {
    list.sort((a, b) => b.computes - a.computes);
    for (const [place, { lane, computes }] of list.entries()) {
      const height = computes ? compute_height : other_height;
      rows.push({ lane, y, height, label: place === 0 ? data.ranks[rank] : '', name: computes ? '' : lane.name });
      y += height + 1;
    }
    y += rank_gap;
  }
  return { rows, height: y };
}

function span_color(data, i, by_micro) {
  const kind = data.kinds[data.kind[i]];
  if (!by_micro) return kind_colors[kind.category] || no_micro_color;
  return data.micro[i] < 0 ? no_micro_color : micro_colors[data.micro[i] % micro_colors.length];
}

const most_in_pixel = 48;

/// The shares of a pixel, [[colour, share]], that the spans from i to `next` take, which all begin in
/// it. The sum is at most one: what is missing is idle.
function shares_of_pixel(data, i, next, per_tick, by_micro) {
  const step = Math.max(1, Math.ceil((next - i) / most_in_pixel));
  const shares = new Map();
  for (let k = i; k < next; k += step) {
    const share = (data.end[k] - data.start[k]) * per_tick * Math.min(step, next - k);
    const color = span_color(data, k, by_micro);
    shares.set(color, (shares.get(color) || 0) + share);
  }
  const all = Math.max(1, d3.sum(shares.values()));
  return [...shares].map(([color, share]) => [color, share / all]);
}

/// Calls draw(i, x0, x1, next) for what is seen of a lane, from left to right. `next` is there for a
/// pixel that the spans from i to it share.
function each_visible(data, lane, x, from_tick, to_tick, draw) {
  for (let i = first_after(data, lane, from_tick); i < lane.last && data.start[i] < to_tick;) {
    const x0 = x(data.start[i]), x1 = x(data.end[i]);
    if (x1 - x0 >= 1) {
      draw(i, x0, x1);
      ++i;
      continue;
    }
    const pixel = Math.floor(x0);
    const next = Math.min(lane.last, Math.max(i + 1, first_after(data, lane, x.tick(pixel + 1), i)));
    draw(i, pixel, pixel + 1, next);
    i = next;
  }
}

/// Ticks to pixels, and back.
function tick_scale(data, view, width) {
  const per_tick = (width - label_width) * data.tick_s / (view.to - view.from);
  const first = view.from / data.tick_s;
  const x = (tick) => label_width + (tick - first) * per_tick;
  x.per_tick = per_tick;
  x.tick = (pixel) => first + (pixel - label_width) / per_tick;
  return x;
}

function is_dimmed(state, i) {
  if (state.search) return !state.search.found[i];
  return state.only_critical && !state.data.is_critical[i];
}

function draw_axis(context, view, width, height) {
  const scale = d3.scaleLinear([view.from, view.to], [label_width, width]);
  context.fillStyle = theme_color('card');
  context.fillRect(0, 0, width, axis_height);
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  for (const [time, text] of time_ticks(scale, width - label_width)) {
    const x = Math.round(scale(time)) + 0.5;
    context.fillStyle = theme_color('line');
    context.fillRect(x - 0.5, axis_height - 5, 1, height - axis_height + 5);
    context.fillStyle = theme_color('soft');
    const wide = context.measureText(text).width;
    if (x + wide / 2 < width && x - wide / 2 > label_width - 40) context.fillText(text, x - wide / 2, 9);
  }
}

function draw_label(context, row, y) {
  context.fillStyle = theme_color(row.label ? 'ink' : 'soft');
  context.textBaseline = 'middle';
  context.font = `${row.label ? 12 : 9}px system-ui, "Liberation Sans", sans-serif`;
  const text = row.label || row.name;
  context.fillText(text, row.label ? 6 : 16, y + row.height / 2 + 0.5, label_width - 22);
}

/// The colours of a pixel one above the other, each as high as its share.
function draw_pixel(context, shares, left, y, height) {
  let bottom = y + height;
  for (const [color, share] of shares) {
    context.fillStyle = color;
    context.fillRect(left, bottom - height * share, 1, height * share);
    bottom -= height * share;
  }
}

function draw_row(context, state, row, y, x, width) {
  const { data, view } = state;
  context.fillStyle = theme_color('lane');
  context.fillRect(label_width, y, width - label_width, row.height);
  let color = null, ink = null;
  const critical = [];
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  each_visible(data, row.lane, x, view.from / data.tick_s, view.to / data.tick_s, (i, x0, x1, next) => {
    const left = Math.max(x0, label_width), right = Math.min(x1, width);
    if (next && left < right) {
      context.globalAlpha = is_dimmed(state, i) ? 0.18 : 1;
      draw_pixel(context, shares_of_pixel(data, i, next, x.per_tick, state.by_micro), left, y, row.height);
      color = null;
      if (data.is_critical[i] && state.shows_critical && !is_dimmed(state, i)) critical.push(left, right);
      return;
    }
    const now = span_color(data, i, state.by_micro);
    if (now !== color) { color = now; ink = text_on(now); }
    const dim = is_dimmed(state, i);
    context.globalAlpha = dim ? 0.18 : 1;
    context.fillStyle = color;
    const gap = right - left > 4 ? 0.7 : 0;
    context.fillRect(left, y, right - left - gap, row.height);
    if (data.is_critical[i] && state.shows_critical && !dim) critical.push(left, right - gap);
    if (i === state.chosen) critical.chosen = [left, right - gap];
    if (right - left > 18 && row.height > 12 && !dim) {
      if (draw_layers(context, state, i, [x0, x1], y, row.height, ink)) return;
      const text = span_name(data, i);
      const wide = context.measureText(text).width;
      if (wide + 4 < right - left) {
        context.fillStyle = ink;
        context.fillText(text, (left + right - wide) / 2, y + row.height / 2);
      }
    }
  });
  context.globalAlpha = 1;
  context.fillStyle = theme_color('ink');
  const thick = row.height > 12 ? 3 : 2;
  for (let k = 0; k < critical.length; k += 2) context.fillRect(critical[k], y + row.height - thick, Math.max(1, critical[k + 1] - critical[k]), thick);
  if (critical.chosen) {
    context.strokeStyle = theme_color('ink');
    context.lineWidth = 2;
    context.strokeRect(critical.chosen[0] + 1, y + 1, Math.max(1, critical.chosen[1] - critical.chosen[0] - 2), row.height - 2);
  }
  draw_label(context, row, y);
}

/// The rows between `top` and `top + height`, beneath an axis that stays.
function draw_timeline(canvas, state, top, width, height) {
  const context = sharp(canvas, width, height);
  const x = tick_scale(state.data, state.view, width);
  for (const row of state.layout.rows) {
    const y = row.y - top;
    if (y + row.height > axis_height && y < height) draw_row(context, state, row, y, x, width);
  }
  draw_arrows(context, state, x, top, width, height);
  draw_axis(context, state.view, width, axis_height);
}
