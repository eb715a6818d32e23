'use strict';
// What every rank holds in device memory over the time that the timeline shows.

const memory_height = 190;

function rank_color(rank, ranks) { return theme_ramp(ranks < 2 ? 0.7 : 1 - rank / (ranks - 1)); }

/// Bytes to pixels, with the capacity where that is near.
function memory_scale(most, capacity) {
  const top = Math.max(most, capacity && capacity < most * 4 ? capacity : 0) * 1.08 || 1;
  return d3.scaleLinear([0, top], [memory_height - 6, axis_height + 4]);
}

function draw_byte_axis(context, scale, width) {
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const [bytes, text] of axis_ticks(0, scale.domain()[1], 4, human_bytes)) {
    context.fillStyle = theme_color('line');
    context.fillRect(label_width, Math.round(scale(bytes)), width - label_width, 1);
    context.fillStyle = theme_color('soft');
    context.fillText(bytes ? text : '0', label_width - 8, scale(bytes));
  }
  context.textAlign = 'left';
}

function draw_capacity(context, scale, capacity, width) {
  if (!capacity || capacity > scale.domain()[1]) return;
  context.strokeStyle = context.fillStyle = theme_color('warn');
  context.setLineDash([6, 4]);
  context.lineWidth = 1.4;
  context.beginPath();
  context.moveTo(label_width, scale(capacity));
  context.lineTo(width, scale(capacity));
  context.stroke();
  context.setLineDash([]);
  // Peaks, which have a label too, are mostly early.
  context.textAlign = 'right';
  context.fillText(`capacity ${human_bytes(capacity)}`, width - 6, scale(capacity) - 8);
  context.textAlign = 'left';
}

/// One curve as steps; at most two points a pixel.
function draw_curve(context, curve, data, x, y) {
  const last = curve.from.length;
  context.beginPath();
  context.moveTo(label_width, y(curve.held[0]));
  let pixel = -1, low = 0, high = 0;
  for (let i = 0; i < last; ++i) {
    const at = Math.max(label_width, x(curve.from[i])), held = curve.held[i];
    if (Math.floor(at) !== pixel) {
      context.lineTo(at, i ? y(curve.held[i - 1]) : y(held));
      context.lineTo(at, y(held));
      pixel = Math.floor(at);
      low = high = held;
    } else if (held < low || held > high) {
      low = Math.min(low, held);
      high = Math.max(high, held);
      context.lineTo(at, y(held));
    }
  }
  context.lineTo(x(data.last), y(curve.held[last - 1]));
  context.stroke();
}

/// Bytes up to `most` over time: the axes, and between them what `draw(context, scale)` draws.
function draw_over_time(canvas, view, most, capacity, width, draw) {
  const context = sharp(canvas, width, memory_height), scale = memory_scale(most, capacity);
  draw_byte_axis(context, scale, width);
  context.save();
  context.beginPath();
  context.rect(label_width, 0, width - label_width, memory_height);
  context.clip();
  draw(context, scale);
  draw_capacity(context, scale, capacity, width);
  context.restore();
  draw_axis(context, view, width, axis_height);
}

function draw_memory(canvas, data, view, capacity, width) {
  const x = tick_scale(data, view, width), unit = data.memory_unit_bytes;
  const most = d3.max(data.curves, (c) => d3.max(c.held)) * unit;
  draw_over_time(canvas, view, most, capacity, width, (context, scale) => {
    context.lineWidth = 1.4;
    for (const [k, curve] of data.curves.entries()) {
      context.strokeStyle = rank_color(k, data.curves.length);
      draw_curve(context, curve, data, x, (held) => scale(held * unit));
    }
  });
}

function memory_at(data, view, width, pixel) {
  const tick = tick_scale(data, view, width).tick(pixel);
  const lines = data.curves.map((c) => [data.ranks[c.rank], c.held[Math.max(0, d3.bisectRight(c.from, tick) - 1)] * data.memory_unit_bytes]);
  lines.sort((a, b) => b[1] - a[1]);
  return [human_time(tick * data.tick_s), ...lines.slice(0, 12).map(([rank, bytes]) => `${rank}: ${human_bytes(bytes)}`), ...(lines.length > 12 ? ['…'] : [])].join('\n');
}

function memory_chart(data, view, capacity) {
  const canvas = element('canvas', { role: 'img', 'aria-label': 'device memory of every rank over time' });
  const box = element('div', {}, canvas);
  const redraw = () => { if (box.clientWidth) draw_memory(canvas, data, view, capacity, box.clientWidth); };
  view.listen(redraw);
  theme_listeners.push(redraw);
  new ResizeObserver(redraw).observe(box);
  canvas.onpointermove = (event) => {
    const x = event.clientX - canvas.getBoundingClientRect().left;
    if (x >= label_width) show_tip(event, memory_at(data, view, box.clientWidth, x)); else hide_tip();
  };
  canvas.onpointerleave = hide_tip;
  const count = data.curves.length;
  const named = (k) => [data.ranks[data.curves[k].rank], rank_color(k, count)];
  const key = element('div');
  const fill = () => key.replaceChildren(legend(count <= 12 ? d3.range(count).map(named) : [named(0), ['to', 'transparent'], named(count - 1)]));
  fill();
  theme_listeners.push(fill);
  return element('div', {}, key, box);
}
