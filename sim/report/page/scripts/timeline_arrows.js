'use strict';
// Messages between spans: an arrow from the pass that made one to the pass that takes it. All that are
// seen are drawn where they are few; those of the chosen span always.

const most_arrows = 240;

/// The lane of span i: lanes are ranges that follow each other.
function lane_index(data, i) {
  let low = 0, high = data.lanes.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data.lanes[middle].last > i) high = middle; else low = middle + 1;
  }
  return low;
}

/// The messages in what is seen, as [sender, receiver]; null where they are too many.
function seen_messages(data, from_tick, to_tick) {
  const seen = [];
  for (let k = 0; k < data.senders.length; ++k) {
    if (data.end[data.senders[k]] > to_tick || data.start[data.receivers[k]] < from_tick) continue;
    if (seen.push([data.senders[k], data.receivers[k]]) > most_arrows) return null;
  }
  return seen;
}

function messages_of(data, i) {
  const found = [];
  for (let k = 0; i >= 0 && k < data.senders.length; ++k)
    if (data.senders[k] === i || data.receivers[k] === i) found.push([data.senders[k], data.receivers[k]]);
  return found;
}

function draw_arrow(context, x0, y0, x1, y1) {
  const bend = Math.max(6, Math.min(60, Math.abs(x1 - x0) / 2));
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 6, y1 - 3);
  context.lineTo(x1 - 6, y1 + 3);
  context.fill();
}

/// Beneath the axis; `top` is how far the rows are scrolled.
function draw_arrows(context, state, x, top, width, height) {
  const { data, view } = state;
  if (!data.senders.length) return;
  const rows = new Map(state.layout.rows.map((row) => [row.lane, row]));
  const middle = (i) => { const row = rows.get(data.lanes[lane_index(data, i)]); return row ? row.y - top + row.height / 2 : null; };
  const draw = (list, wide, alpha) => {
    context.globalAlpha = alpha;
    context.lineWidth = wide;
    for (const [from, to] of list) {
      const y0 = middle(from), y1 = middle(to);
      if (y0 !== null && y1 !== null) draw_arrow(context, x(data.end[from]), y0, x(data.start[to]), y1);
    }
  };
  context.save();
  context.beginPath();
  context.rect(label_width, axis_height, width - label_width, height - axis_height);
  context.clip();
  context.strokeStyle = context.fillStyle = theme_color('ink');
  if (state.shows_messages) draw(seen_messages(data, view.from / data.tick_s, view.to / data.tick_s) || [], 1, 0.55);
  draw(messages_of(data, state.chosen), 2, 1);
  context.restore();
}
