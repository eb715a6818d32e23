'use strict';
// What every rank holds in device memory over the time that the timeline shows.

const memory_height = 190;

function rank_color(rank, ranks) { return d3.interpolateViridis(ranks < 2 ? 0.4 : 0.05 + 0.85 * rank / (ranks - 1)); }

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

function draw_memory(canvas, data, view, capacity, width) {
  const context = sharp(canvas, width, memory_height);
  const x = tick_scale(data, view, width);
  const unit = data.memory_unit_bytes;
  const most = d3.max(data.curves, (c) => d3.max(c.held)) * unit;
  const near = capacity && capacity < most * 4;
  const top = Math.max(most, near ? capacity : 0) * 1.08 || 1;
  const scale = d3.scaleLinear([0, top], [memory_height - 6, axis_height + 4]);
  const step = d3.tickStep(0, top / 2 ** 30, 4) * 2 ** 30;
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (let bytes = 0; bytes < top; bytes += step) {
    context.fillStyle = theme_color('line');
    context.fillRect(label_width, Math.round(scale(bytes)), width - label_width, 1);
    context.fillStyle = theme_color('soft');
    context.fillText(human_bytes(bytes), label_width - 8, scale(bytes));
  }
  context.textAlign = 'left';
  context.save();
  context.beginPath();
  context.rect(label_width, 0, width - label_width, memory_height);
  context.clip();
  context.lineWidth = 1.4;
  for (const [k, curve] of data.curves.entries()) {
    context.strokeStyle = rank_color(k, data.curves.length);
    draw_curve(context, curve, data, x, (held) => scale(held * unit));
  }
  if (near) {
    context.strokeStyle = context.fillStyle = theme_color('warn');
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(label_width, scale(capacity));
    context.lineTo(width, scale(capacity));
    context.stroke();
    context.setLineDash([]);
    context.fillText(`capacity ${human_bytes(capacity)}`, label_width + 6, scale(capacity) - 8);
  }
  context.restore();
  draw_axis(context, view, width, axis_height);
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
  const key = count <= 12 ? data.curves.map((c, k) => [data.ranks[c.rank], rank_color(k, count)])
    : [[data.ranks[data.curves[0].rank], rank_color(0, count)], ['to', 'transparent'], [data.ranks[data.curves[count - 1].rank], rank_color(count - 1, count)]];
  return element('div', {}, legend(key), box);
}
