'use strict';
// The whole cluster as a map: a cell a device, coloured by how it spends an iteration, by its memory or by
// its place in the pipeline; switches are strips, coloured by how busy they are.

const most_mapped = 20000;

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

/// How busy a switch is, `share` of the busiest.
function switch_color(share) { return d3.interpolateRgb(theme_color('idle'), theme_color('warn'))(share); }

function draw_strip(context, strip, busiest) {
  const color = switch_color(busiest ? strip.of.busy_fraction / busiest : 0);
  context.fillStyle = color;
  context.fillRect(strip.x, strip.y, strip.width, strip.height);
  if (!strip.named || context.measureText(strip.of.name).width + 6 > strip.width) return;
  context.fillStyle = text_on(color);
  context.fillText(strip.of.name, strip.x + 4, strip.y + strip.height / 2 + 0.5);
}

function draw_cluster_map(canvas, places, color_of, width) {
  const context = sharp(canvas, width, places.height), busiest = d3.max(places.strips, (strip) => strip.of.busy_fraction);
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  for (const box of places.boxes) {
    context.fillStyle = theme_color('soft');
    if (box.label && box.width > 36) context.fillText(box.name, box.x + pod_margin, box.y - box.label / 2 + 1);
    context.fillStyle = theme_color('lane');
    context.fillRect(box.x, box.y, box.width, box.height);
  }
  for (const strip of places.strips) draw_strip(context, strip, busiest);
  for (const [device, [x, y]] of places.devices) {
    context.fillStyle = color_of(device);
    context.fillRect(x, y, Math.max(1, places.cell - 1), Math.max(1, places.cell - 1));
  }
}

function device_tip(device, cluster, rank, measures) {
  const pod = cluster.pods[cluster.nodes[device]], joined = cluster.rails[device] >= 0 && cluster.switches.find((s) => s.pod === pod && s.rail === cluster.rails[device]);
  return [`device ${device}, node ${cluster.nodes[device]}${joined ? `, pod ${pod}, ${joined.name}` : ''}`,
    rank ? `pipeline rank ${rank.rank}, stages ${rank.stages.join(', ')}` : 'not used',
    ...(rank ? measures.filter((m) => !m.ranks).map((m) => `${m.name} ${m.show(m.of(rank))}`) : [])].join('\n');
}

function switch_tip({ of }) {
  return [of.pod < 0 ? of.name : `${of.name}, rail ${of.rail} of pod ${of.pod}`, `its busiest link is ${human_percent(of.busy_fraction)} busy`, human_bytes(of.bytes)].join('\n');
}

/// What a map tells of a place: of a device or of a switch; null beside them.
function map_tip(places, x, y, tell_device) {
  for (const [device, [left, top]] of places.devices)
    if (x >= left && x < left + places.cell && y >= top && y < top + places.cell) return tell_device(device);
  const strip = places.strips.find((s) => x >= s.x && x < s.x + s.width && y >= s.y - 1 && y <= s.y + s.height);
  return strip ? switch_tip(strip) : null;
}

/// "The cluster: 256 devices, 8 in a node, 32 nodes in 1 pod, 8 rails".
function cluster_heading(cluster, pods, is_known) {
  const sizes = new Set(pods.flatMap((pod) => pod.nodes).map((node) => d3.sum(node, (rail) => (rail ? rail.length : 0))));
  const joined = pods.filter((pod) => pod.pod >= 0), rails = d3.max(joined, (pod) => pod.switches.length);
  return [`The cluster: ${counted(cluster.nodes.length, 'device')}`, is_known && sizes.size === 1 ? `${[...sizes][0]} in a node` : '',
    joined.length > 1 ? counted(joined.length, 'pod') : '', rails > 1 ? `${counted(rails, 'rail')}${joined.length > 1 ? ' in a pod' : ''}` : ''].filter(Boolean).join(', ');
}

/// From the least to the most where ranks differ, else from nothing.
function map_range(ranks, measure) {
  const [low, high] = d3.extent(ranks, measure.of);
  return measure.ranks || high - low > 0.05 * high ? [low, high] : [0, high];
}

function map_legend(measure, range, places, has_idle) {
  const busiest = d3.max(places.strips, (strip) => strip.of.busy_fraction);
  return legend([...range.map((v, i) => [measure.show(v), theme_ramp(i)]), ...(has_idle ? [['not used', theme_color('idle')]] : []),
    ...(places.strips.length ? [['switch: idle', switch_color(0)], [`its busiest link ${human_percent(busiest)} busy`, switch_color(1)]] : [])]);
}

function cluster_section(r, layout, capacity) {
  const used = 1 + d3.max(r.ranks, (rank) => d3.max(rank.devices) ?? -1);
  if (!(used > 1) || used > most_mapped) return '';
  const cluster = layout && layout.nodes.length >= used ? layout : unknown_cluster(used), rank_of = new Array(cluster.nodes.length).fill(null);
  for (const rank of r.ranks) for (const device of rank.devices) rank_of[device] = rank;
  const measures = map_measures(r, capacity), canvas = element('canvas', { class: 'still', role: 'img', 'aria-label': 'devices and switches of the cluster by use' });
  const box = element('div', {}, canvas), key = element('div');
  let shown = 0, places = null;
  const draw = () => {
    if (!box.clientWidth) return;
    const measure = measures[shown], range = map_range(r.ranks, measure);
    const color_of = (device) => (rank_of[device] ? theme_ramp((measure.of(rank_of[device]) - range[0]) / (range[1] - range[0] || 1)) : theme_color('idle'));
    places = place_cluster(cluster, box.clientWidth);
    draw_cluster_map(canvas, places, color_of, box.clientWidth);
    key.replaceChildren(map_legend(measure, range, places, rank_of.includes(null)));
  };
  const menu = kept_menu('map', 'coloured by', measures.map((m) => m.name), 0, (index) => { shown = index; draw(); });
  shown = menu.pick.selectedIndex;
  new ResizeObserver(draw).observe(box);
  theme_listeners.push(draw);
  canvas.onpointermove = (event) => {
    const at = canvas.getBoundingClientRect();
    const tip = places && map_tip(places, event.clientX - at.left, event.clientY - at.top, (device) => device_tip(device, cluster, rank_of[device], measures));
    if (tip) show_tip(event, tip); else hide_tip();
  };
  canvas.onpointerleave = hide_tip;
  const pods = pods_of(cluster);
  return section(cluster_heading(cluster, pods, cluster === layout), element('div', { class: 'tools' }, menu), key, box,
    cluster === layout ? (cluster.switches.length ? element('p', { class: 'hint' }, 'A column is a node, a row a rail with its switch beneath. Hover for names and numbers.') : '')
      : element('p', { class: 'hint' }, 'Rows of eight: nothing tells which devices share a node.'));
}
