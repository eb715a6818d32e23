'use strict';
// The layers of a pass and, where there is room, their kernels, drawn within it. A pass that waits for
// its host to start kernels is longer than they are: there all of them are drawn longer alike.

const least_layer = 7, least_kernel = 9;  // pixels of one, in the mean

/// What kernels are for, by the numbers of the page.
const purposes = ['', 'forward', 'recompute', 'input_gradient', 'weight_gradient', ''];

/// The kernels of a span as [first, last[ of the columns of data.passes; null where none are known.
function kernels_of(data, i) {
  const kind = data.kind[i], first = data.passes ? data.passes.first[kind] : 0, last = data.passes ? data.passes.first[kind + 1] : 0;
  return first < last && data.length[i] > 0 ? [first, last] : null;
}

/// The parts of a span, 0 to 1, that a kernel takes.
function kernel_part(passes, first, k) { return [k > first ? passes.end[k - 1] : 0, passes.end[k]]; }

/// [{layer, from, to, seconds}] of a span in the order of time: kernels next to each other of one layer.
function layers_of(data, i) {
  const range = kernels_of(data, i), list = [];
  if (!range) return list;
  const { passes } = data, whole = data.length[i] * data.tick_s * passes.busy[data.kind[i]];
  for (let k = range[0]; k < range[1]; ++k) {
    const [from, to] = kernel_part(passes, range[0], k), last = list[list.length - 1];
    if (last && last.layer === passes.layer[k]) last.to = to; else list.push({ layer: passes.layer[k], from, to });
  }
  for (const one of list) one.seconds = (one.to - one.from) * whole;
  return list;
}

/// Writes the first of `texts` that there is room for in what is seen between two pixels.
function write_within(context, texts, from, to, y, width) {
  const left = Math.max(from, label_width), right = Math.min(to, width);
  for (const text of texts) {
    const wide = context.measureText(text).width;
    if (wide + 5 > right - left) continue;
    context.fillText(text, (left + right - wide) / 2, y);
    return;
  }
}

function draw_border(context, x, y, height, ink) {
  if (x < label_width) return;
  context.globalAlpha = 0.35;
  context.fillStyle = ink;
  context.fillRect(x, y, 1, height);
  context.globalAlpha = 1;
}

/// Draws the kernels of a span in the lower half of its row, each in the colour of what it is for.
function draw_kernels(context, state, i, [x0, x1], y, height) {
  const { passes } = state.data, [first, last] = kernels_of(state.data, i), own = span_color(state.data, i, state.by_micro);
  context.font = '10px system-ui, "Liberation Sans", sans-serif';
  for (let k = first; k < last; ++k) {
    const [from, to] = kernel_part(passes, first, k).map((part) => x0 + part * (x1 - x0));
    if (to < label_width || from > state.width) continue;
    const color = (!state.by_micro && kind_colors[purposes[passes.purpose[k]]]) || own, left = Math.max(from, label_width);
    if (color !== own) { context.fillStyle = color; context.fillRect(left, y, Math.min(to, state.width) - left, height); }
    draw_border(context, from, y, height, text_on(color));
    context.fillStyle = text_on(color);
    const name = passes.names[passes.name[k]];
    write_within(context, [name, name.split(' ')[0]], from, to, y + height / 2, state.width);
  }
}

/// Draws the layers of a span between two pixels. False where they are unknown or too narrow.
function draw_layers(context, state, i, [x0, x1], y, height, ink) {
  const { data } = state, layers = height > 12 && x1 - x0 > 3 * least_layer ? layers_of(data, i) : [];
  if (!layers.length || (x1 - x0) / layers.length < least_layer) return false;
  const [first, last] = kernels_of(data, i), is_fine = last - first > 1 && (x1 - x0) / (last - first) >= least_kernel;
  if (!is_fine && layers.length === 1) return false;
  if (is_fine) draw_kernels(context, state, i, [x0, x1], y + height / 2, height / 2);
  for (const { layer, from, to } of layers) {
    const left = x0 + from * (x1 - x0), right = x0 + to * (x1 - x0);
    if (from > 0) draw_border(context, left, y, height, ink);
    context.fillStyle = ink;
    write_within(context, [layer < 0 ? span_name(data, i) : data.passes.layers[layer]], left, right, y + height / (is_fine ? 4 : 2), state.width);
  }
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  return true;
}

/// The layer and the kernel of a span at a tick, a line each.
function kernel_lines(data, i, tick) {
  const range = kernels_of(data, i), { passes } = data;
  if (!range) return [];
  const part = Math.min(1, Math.max(0, (tick - data.start[i]) / data.length[i])), busy = passes.busy[data.kind[i]];
  const layer = layers_of(data, i).find((one) => part <= one.to + 1e-9);
  let k = range[0];
  while (k + 1 < range[1] && passes.end[k] < part) ++k;
  const [from, to] = kernel_part(passes, range[0], k), use = purposes[passes.purpose[k]];
  const seconds = (to - from) * busy * data.length[i] * data.tick_s;
  return [
    ...(layer && layer.layer >= 0 ? [`${passes.layers[layer.layer]}: ${human_time(layer.seconds)}`] : []),
    `${passes.names[passes.name[k]]}${use ? ` (${use.replace('_', ' ')})` : ''}: ${human_time(seconds)}`,
    ...(busy < 0.999 ? [`its kernels take ${human_percent(busy)} of the pass: the host starts them late`] : []),
  ];
}

/// By layer, direction and kernel the seconds that a rank of the timeline computes.
function kernel_times(data, rank) {
  const by_kind = new Float64Array(data.kinds.length), times = new Map();
  for (const lane of data.lanes.filter((l) => l.rank === rank && l.name.startsWith('compute')))
    for (let i = lane.first; i < lane.last; ++i) by_kind[data.kind[i]] += data.length[i] * data.tick_s;
  const { passes } = data;
  for (let kind = 0; kind < passes.counts.length; ++kind) {
    for (let k = passes.first[kind]; by_kind[kind] && k < passes.first[kind + 1]; ++k) {
      const key = `${passes.layers[passes.layer[k]]} ${purposes[passes.purpose[k]] === 'forward' ? 'forward' : 'backward'}`;
      const of_layer = times.get(key) || times.set(key, new Map()).get(key), name = passes.names[passes.name[k]];
      of_layer.set(name, (of_layer.get(name) || 0) + by_kind[kind] * passes.share[k] / 2 ** 30);
    }
  }
  return times;
}
