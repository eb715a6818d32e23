'use strict';
// What stands in the memory of one rank over time, by category, with what stands there at the peak.

const memory_kinds = [
  ['weights', '#44aa99'], ['weight_versions', '#117733'], ['optimizer', '#aa4499'], ['gradients', '#999933'],
  ['buffers', '#ddcc77'], ['activations', '#cc6677'],
];

/// The categories of a rank that has any of them: [{name, color, bytes}]; activations are last.
function memory_parts(rank) {
  return memory_kinds.filter(([key]) => rank.memory[key] > 0)
    .map(([key, color]) => ({ name: key.replace('_', ' '), color, bytes: rank.memory[key], moves: key === 'activations' }));
}

/// The curve as an area over what lasts, from `base` pixels up; at most two points a pixel.
function fill_curve(context, curve, data, x, y, width, base) {
  const last = curve.from.length;
  context.beginPath();
  context.moveTo(label_width, base);
  let before = null;
  for (let i = 0; i < last && x(curve.from[i]) <= width; ++i) {
    const at = Math.max(label_width, x(curve.from[i]));
    if (before !== null) context.lineTo(at, before);
    context.lineTo(at, before = y(curve.held[i]));
  }
  const end = Math.min(width, x(data.last));
  context.lineTo(end, before === null ? base : before);
  context.lineTo(end, base);
  context.fill();
}

function draw_parts(canvas, data, view, rank, curve, capacity, width) {
  const unit = data.memory_unit_bytes, x = tick_scale(data, view, width);
  const parts = memory_parts(rank), lasting = d3.sum(parts.filter((p) => !p.moves), (p) => p.bytes);
  const most = Math.max(rank.peak_memory_bytes, d3.max(curve.held) * unit);
  draw_over_time(canvas, view, most, capacity, width, (context, scale) => {
    let below = 0;
    for (const part of parts.filter((p) => !p.moves)) {
      context.fillStyle = part.color;
      context.fillRect(x(0), scale(below + part.bytes), x(data.last) - x(0), scale(below) - scale(below + part.bytes));
      below += part.bytes;
    }
    context.fillStyle = kind_of_memory('activations');
    fill_curve(context, curve, data, x, (held) => Math.min(scale(held * unit), scale(lasting)), width, scale(lasting));
    const peak = curve.held.indexOf(d3.max(curve.held)), at = Math.round(x(curve.from[peak]));
    context.fillStyle = theme_color('ink');
    context.fillRect(at, scale(curve.held[peak] * unit), 1.5, memory_height);
    const right = at > width - 130;
    context.textAlign = right ? 'right' : 'left';
    context.fillText(`peak ${human_bytes(curve.held[peak] * unit)}`, at + (right ? -5 : 5), Math.max(axis_height + 8, scale(curve.held[peak] * unit) - 8));
  });
}

function kind_of_memory(key) { return memory_kinds.find(([kind]) => kind === key)[1]; }

/// The curve of each of the results' ranks: [{rank, curve}].
function ranks_with_curves(data, ranks) {
  return ranks.map((rank) => ({ rank, curve: data.curves.find((c) => data.pipelines[c.rank] === rank.rank) })).filter((pair) => pair.curve);
}

/// Of one rank, first the fullest. Null where no curve belongs to a rank of the results.
function memory_parts_chart(data, view, capacity, ranks) {
  const pairs = ranks_with_curves(data, ranks);
  if (!pairs.length) return null;
  const fullest = d3.scan(pairs, (a, b) => b.rank.peak_memory_bytes - a.rank.peak_memory_bytes);
  const canvas = element('canvas', { class: 'still', role: 'img', 'aria-label': 'device memory of one rank by what it holds' });
  const box = element('div', {}, canvas), key = element('div');
  let shown = fullest;
  const draw = () => { if (box.clientWidth > label_width) draw_parts(canvas, data, view, pairs[shown].rank, pairs[shown].curve, capacity, box.clientWidth); };
  const fill = () => {
    key.replaceChildren(legend(memory_parts(pairs[shown].rank).map((p) => [`${p.name} ${human_bytes(p.bytes)}`, p.color])));
    draw();
  };
  const menu = kept_menu('memory', 'rank', pairs.map((p) => data.ranks[p.curve.rank]), fullest, (index) => { shown = index; fill(); });
  shown = menu.pick.selectedIndex;
  fill();
  view.listen(draw);
  theme_listeners.push(draw);
  new ResizeObserver(draw).observe(box);
  return element('div', {}, element('div', { class: 'tools' }, menu, element('output', {}, 'what stands at the peak:')), key, box);
}
