'use strict';
// A timeline unpacked: typed arrays over all spans, and lanes that are ranges of them.

async function unpack_timeline(packed) {
  if (!packed) return null;
  const data = { ...packed };
  for (const key of ['start', 'length', 'kind', 'name', 'micro']) data[key] = await column(packed[key]);
  data.end = Int32Array.from(data.start, (start, i) => start + data.length[i]);
  data.is_critical = new Uint8Array(data.start.length);
  for (const i of await column(packed.critical)) data.is_critical[i] = 1;
  let first = 0;
  data.lanes = packed.lanes.map((lane) => ({ ...lane, first, last: first += lane.count }));
  const messages = packed.messages ? await column(packed.messages) : [];
  data.senders = messages.slice(0, messages.length / 2);
  data.receivers = messages.slice(messages.length / 2);
  data.passes = packed.passes ? await unpack_passes(packed.passes) : null;
  data.cluster = packed.cluster ? await unpack_columns(packed.cluster, ['nodes', 'rails', 'pods']) : null;
  data.end_s = packed.last * packed.tick_s;
  data.curves = [];
  for (const { rank, from, held } of packed.memory)
    data.curves.push({ rank, from: await column(from), held: await column(held) });
  const categories = new Set();
  for (const k of new Set(data.kind)) categories.add(packed.kinds[k].category);
  data.categories = [...Object.keys(kind_colors).filter((c) => categories.has(c))];
  return data;
}

async function unpack_columns(packed, keys) {
  const unpacked = { ...packed };
  for (const key of keys) unpacked[key] = await column(packed[key]);
  return unpacked;
}

/// The kernels of passes: of kind k those from first[k] to first[k + 1], each with where it ends in the
/// time that all of them take; busy[k] is the part of a pass that this is.
async function unpack_passes(packed) {
  const passes = await unpack_columns(packed, ['counts', 'layer', 'name', 'purpose', 'share']);
  passes.first = new Int32Array(passes.counts.length + 1);
  passes.busy = new Float64Array(passes.counts.length);
  passes.end = new Float64Array(passes.share.length);
  passes.counts.forEach((count, kind) => {
    const first = passes.first[kind], last = passes.first[kind + 1] = first + count;
    let sum = 0;
    for (let k = first; k < last; ++k) passes.end[k] = sum += passes.share[k];
    for (let k = first; k < last; ++k) passes.end[k] /= sum;
    passes.busy[kind] = sum / 2 ** 30;
  });
  return passes;
}

/// The first span of a lane that ends after `tick`.
function first_after(data, lane, tick, from = lane.first) {
  let low = from, high = lane.last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data.end[middle] > tick) high = middle; else low = middle + 1;
  }
  return low;
}

/// The name of span i: that of its pattern with its micro-batch, "0F{0}" or "1F{0}+0B{-3}".
function span_name(data, i) {
  const name = data.names[data.name[i]];
  return data.patterns && data.micro[i] >= 0 ? name.replace(/\{(-?\d+)\}/g, (_, apart) => data.micro[i] + Number(apart)) : name;
}

/// By name: whether it matches. "micro 3" finds a micro-batch, "stage 2" a stage, words a name.
function search_spans(data, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return null;
  const number = /^(micro|micro-batch|stage)\s*(\d+)$/.exec(wanted);
  const found = new Uint8Array(data.start.length);
  let count = 0;
  for (let i = 0; i < found.length; ++i) {
    const hit = !number ? span_name(data, i).toLowerCase().includes(wanted) || data.kinds[data.kind[i]].category === wanted
      : (number[1] === 'stage' ? data.kinds[data.kind[i]].stage : data.micro[i]) === Number(number[2]);
    if (hit) { found[i] = 1; ++count; }
  }
  return { found, count };
}

function describe_span(data, lane, i) {
  const kind = data.kinds[data.kind[i]];
  const start = data.start[i] * data.tick_s, end = data.end[i] * data.tick_s;
  const lines = [
    span_name(data, i),
    `${data.ranks[lane.rank]}, ${lane.name}`,
    `${human_time(end - start)}, from ${human_time(start)} to ${human_time(end)}`,
    `${kind.category.replace('_', ' ')}, stage ${kind.stage}${data.micro[i] >= 0 ? `, micro-batch ${data.micro[i]}` : ''}`,
  ];
  if (kind.bytes) lines.push(`${human_bytes(kind.bytes)}, ${human_bytes(kind.bytes / Math.max(end - start, 1e-15))}/s`);
  if (data.is_critical[i]) lines.push('on the critical path');
  return lines;
}
