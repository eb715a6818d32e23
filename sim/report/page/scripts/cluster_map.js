'use strict';
// The whole cluster as a map: a cell a device, a box a node, coloured by how a device spends an
// iteration, by its memory or by its place in the pipeline.

const most_mapped = 20000;

/// Devices of a node, by the names of links within nodes: "device 192 > node 24 switch 0". Null where
/// no name tells, or several sizes or none would do.
function devices_per_node(links) {
  let least = 1, most = Infinity;
  for (const { name } of links) {
    const [, device, node] = (/^device (\d+) > node (\d+) /.exec(name) || []).map(Number);
    if (device === undefined) continue;
    least = Math.max(least, Math.floor(device / (node + 1)) + 1);
    most = Math.min(most, node > 0 ? Math.floor(device / node) : Infinity);
  }
  return least === most ? least : null;
}

/// What a map can show of a rank: shares of an iteration, or of the most.
function map_measures(r, capacity) {
  const all = (parts) => d3.sum(Object.values(parts)), most = d3.max(r.ranks, (rank) => rank.peak_memory_bytes);
  const share = (name, of) => ({ name, of, show: human_percent });
  return [
    share('computing', (rank) => all(rank.breakdown.compute_s) / r.iteration_time_s),
    share('waiting for communication', (rank) => all(rank.breakdown.exposed_s) / r.iteration_time_s),
    share('bubble', (rank) => rank.breakdown.bubble_s / r.iteration_time_s),
    share(capacity ? 'memory of its capacity' : 'memory of the fullest', (rank) => rank.peak_memory_bytes / (capacity || most)),
    { name: 'pipeline rank', of: (rank) => rank.rank, show: String, ranks: r.ranks.length },
  ].filter((m) => d3.max(r.ranks, m.of) > 0);
}

/// Where each device stands: [{device, x, y}], the boxes of nodes, and the size of all.
function place_devices(devices, per_node, width) {
  const columns = Math.min(per_node, Math.max(1, Math.ceil(Math.sqrt(per_node * 2)))), rows = Math.ceil(per_node / columns);
  const nodes = Math.ceil(devices / per_node), most_high = 340;
  let cell = 22;
  const across = () => Math.max(1, Math.floor(width / (columns * cell + 6)));
  while (cell > 3 && Math.ceil(nodes / across()) * (rows * cell + 6) > most_high) --cell;
  const box = (node) => [(node % across()) * (columns * cell + 6), Math.floor(node / across()) * (rows * cell + 6)];
  return {
    cell, columns, rows, height: Math.ceil(nodes / across()) * (rows * cell + 6), nodes, box,
    at(device) { const [x, y] = box(Math.floor(device / per_node)), k = device % per_node; return [x + (k % columns) * cell, y + Math.floor(k / columns) * cell]; },
  };
}

function draw_cluster_map(canvas, places, rank_of, measure, range, width) {
  const context = sharp(canvas, width, places.height);
  context.fillStyle = theme_color('lane');
  for (let node = 0; node < places.nodes; ++node) context.fillRect(...places.box(node), places.columns * places.cell + 2, places.rows * places.cell + 2);
  rank_of.forEach((rank, device) => {
    const [x, y] = places.at(device);
    context.fillStyle = rank ? theme_ramp((measure.of(rank) - range[0]) / (range[1] - range[0] || 1)) : theme_color('idle');
    context.fillRect(x + 1, y + 1, Math.max(1, places.cell - 1), Math.max(1, places.cell - 1));
  });
}

function map_tip(device, per_node, known, rank, measures) {
  return [`device ${device}${known ? `, node ${Math.floor(device / per_node)}` : ''}`, rank ? `pipeline rank ${rank.rank}, stages ${rank.stages.join(', ')}` : 'not used',
    ...(rank ? measures.filter((m) => !m.ranks).map((m) => `${m.name} ${m.show(m.of(rank))}`) : [])].join('\n');
}

/// From the least to the most where ranks differ, else from nothing.
function map_range(ranks, measure) {
  const [low, high] = d3.extent(ranks, measure.of);
  return measure.ranks || high - low > 0.05 * high ? [low, high] : [0, high];
}

function cluster_section(r, links, capacity) {
  const devices = 1 + d3.max(r.ranks, (rank) => d3.max(rank.devices) ?? -1);
  if (!(devices > 1) || devices > most_mapped) return '';
  const known = devices_per_node(links), per_node = known || 8, rank_of = new Array(devices).fill(null);
  for (const rank of r.ranks) for (const device of rank.devices) rank_of[device] = rank;
  const measures = map_measures(r, capacity), canvas = element('canvas', { class: 'still', role: 'img', 'aria-label': 'devices of the cluster by use' });
  const box = element('div', {}, canvas), key = element('div');
  let shown = 0, places = null;
  const draw = () => {
    if (!box.clientWidth) return;
    const measure = measures[shown], range = map_range(r.ranks, measure);
    places = place_devices(devices, per_node, box.clientWidth);
    draw_cluster_map(canvas, places, rank_of, measure, range, box.clientWidth);
    key.replaceChildren(legend([...range.map((v, i) => [measure.show(v), theme_ramp(i)]), ...(rank_of.includes(null) ? [['not used', theme_color('idle')]] : [])]));
  };
  const menu = kept_menu('map', 'coloured by', measures.map((m) => m.name), 0, (index) => { shown = index; draw(); });
  shown = menu.pick.selectedIndex;
  new ResizeObserver(draw).observe(box);
  theme_listeners.push(draw);
  canvas.onpointermove = (event) => {
    const at = canvas.getBoundingClientRect(), x = event.clientX - at.left, y = event.clientY - at.top;
    const device = rank_of.findIndex((_, d) => { const [left, top] = places.at(d); return x >= left && x < left + places.cell && y >= top && y < top + places.cell; });
    if (device < 0) hide_tip(); else show_tip(event, map_tip(device, per_node, known, rank_of[device], measures));
  };
  canvas.onpointerleave = hide_tip;
  return section(`The cluster: ${devices} devices${known ? `, ${known} in a node` : ''}`, element('div', { class: 'tools' }, menu), key, box,
    known ? '' : element('p', { class: 'hint' }, 'Rows of eight: no link tells which devices share a node.'));
}
