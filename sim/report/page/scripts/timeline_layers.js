'use strict';
// The layers of a pass, drawn within it once it is wide enough. Their lengths are shares of the pass, by
// the time of each layer alone; backward passes take the layers from the last to the first. A pass that
// stops for collectives is several spans of one name, and each has the layers of its part.

const least_layer = 7, most_pieces = 512;  // pixels; spans of a pass

const layer_times = { forward: 'forward_s', backward: 'backward_s', input_gradient: 'backward_s', weight_gradient: 'backward_s' };

/// The spans of the pass that i is one of: [first, last[, next to each other in a lane. Null where
/// passes take turns.
function pieces_of(data, i) {
  const lane = data.lanes[lane_index(data, i)], name = data.name[i];
  let first = i, last = i + 1;
  while (first > lane.first && data.name[first - 1] === name && last - first < most_pieces) --first;
  while (last < lane.last && data.name[last] === name && last - first < most_pieces) ++last;
  const turns = (k) => k >= lane.first && k < lane.last && data.name[k] === name;
  return last - first === most_pieces || turns(first - 2) || turns(last + 1) ? null : [first, last];
}

/// [[layer, part of the span, part of the layer that is in it]] of a span in the order of time; null where
/// its layers are not known.
function layers_of(data, i) {
  const kind = data.kinds[data.kind[i]], key = layer_times[kind.category];
  const layers = key && data.layers && data.layers.get(kind.stage);
  const pieces = layers && pieces_of(data, i), all = layers ? d3.sum(layers, (layer) => layer[key]) : 0;
  if (!pieces || !(all > 0) || !data.length[i]) return null;
  const whole = d3.sum(d3.range(...pieces), (k) => data.length[k]);
  const from = d3.sum(d3.range(pieces[0], i), (k) => data.length[k]) / whole, to = from + data.length[i] / whole;
  const list = [];
  let at = 0;
  for (const layer of key === 'forward_s' ? layers : layers.slice().reverse()) {
    const end = at + layer[key] / all, seen = Math.min(to, end) - Math.max(from, at);
    if (seen > 1e-9) list.push([layer, seen / (to - from), seen / (end - at)]);
    at = end;
  }
  return list;
}

/// By stage, the layers of the results.
function layers_by_stage(layers) {
  const stages = new Map();
  for (const layer of layers) stages.set(layer.stage, [...(stages.get(layer.stage) || []), layer]);
  return stages;
}

/// Draws the layers of a span between x0 and x1. False where they are unknown or too narrow.
function draw_layers(context, state, i, x0, x1, y, height, ink) {
  const layers = height > 12 && x1 - x0 > 3 * least_layer && layers_of(state.data, i);
  if (!layers || (x1 - x0) / layers.length < least_layer) return false;
  let from = x0;
  context.fillStyle = ink;
  for (const [layer, share] of layers) {
    const to = from + share * (x1 - x0), wide = context.measureText(layer.name).width;
    if (from > x0 && from >= label_width) { context.globalAlpha = 0.35; context.fillRect(from, y, 1, height); context.globalAlpha = 1; }
    if (wide + 6 < to - from && (from + to - wide) / 2 > label_width) context.fillText(layer.name, (from + to - wide) / 2, y + height / 2);
    from = to;
  }
  return true;
}

/// The layer of a span at a tick, in words; null where it is not known.
function layer_at(data, i, tick) {
  const layers = layers_of(data, i);
  let share = layers ? (tick - data.start[i]) / data.length[i] : 0;
  for (const [layer, part, of_layer] of layers || []) {
    if (share <= part) return `${of_layer < 0.995 ? `${human_percent(of_layer)} of ` : ''}${layer.name}, about ${human_time(part * data.length[i] * data.tick_s)}`;
    share -= part;
  }
  return null;
}
