'use strict';
// Where the devices and the switches of a cluster stand on its map: a box a pod, a column a node, a row a
// rail with its switch as a strip beneath; the switches that join pods above all.

const pod_margin = 4, pod_label = 15, tier_height = 13;

/// Of a cluster that nobody tells of: rows of eight devices.
function unknown_cluster(devices) {
  return { nodes: d3.range(devices).map((d) => Math.floor(d / 8)), rails: d3.range(devices).map(() => -1), pods: d3.range(Math.ceil(devices / 8)), switches: [] };
}

/// [{pod, nodes: [[[device]]] by rail, switches by rail}]. Nodes that no switch joins are one box.
function pods_of(cluster) {
  const pods = new Map(), nodes = new Map();
  cluster.nodes.forEach((node, device) => {
    const rail = Math.max(0, cluster.rails[device]), key = cluster.rails[device] < 0 ? -1 : cluster.pods[node];
    if (!pods.has(key)) pods.set(key, { pod: key, nodes: [], switches: cluster.switches.filter((s) => s.pod === key && key >= 0) });
    if (!nodes.has(node)) { nodes.set(node, []); pods.get(key).nodes.push(nodes.get(node)); }
    (nodes.get(node)[rail] = nodes.get(node)[rail] || []).push(device);
  });
  return [...pods.values()];
}

/// The switches that join no node, by tier, the farthest from nodes first.
function tiers_above(cluster) {
  const tier = (s) => s.name.replace(/\s*\d+$/, ''), tiers = d3.nest().key(tier).entries(cluster.switches.filter((s) => s.pod < 0));
  const order = ['spine', 'core'];
  return tiers.map((t) => t.values).sort((a, b) => order.indexOf(tier(b[0])) - order.indexOf(tier(a[0])));
}

/// The form of a pod whose devices are `cell` pixels wide: columns of a node, rows of each rail.
function form_of_pod({ nodes, switches }, cell, width) {
  const rails = d3.max(nodes, (node) => node.length), most = d3.range(rails).map((r) => d3.max(nodes, (node) => (node[r] || []).length));
  const widest = d3.max(most), columns = widest > 2 ? Math.ceil(Math.sqrt(2 * widest)) : widest;
  const strip = switches.length ? Math.max(2, Math.round(cell / 4)) : 0, node_width = columns * cell + 2;
  const tops = [0];
  for (const count of most) tops.push(tops[tops.length - 1] + Math.ceil(count / columns) * cell + strip + 1);
  const line = tops[rails] + pod_margin, each_line = Math.max(1, Math.floor((width - 2 * pod_margin) / node_width));
  return { columns, strip, node_width, tops, line, each_line, width: Math.min(nodes.length, each_line) * node_width + 2 * pod_margin, height: Math.ceil(nodes.length / each_line) * line + pod_margin };
}

/// Adds the devices and the strips of a pod whose box begins at x and y.
function fill_pod(pod, form, cell, x, y, places) {
  pod.nodes.forEach((node, n) => {
    const left = x + pod_margin + (n % form.each_line) * form.node_width, top = y + pod_margin + Math.floor(n / form.each_line) * form.line;
    node.forEach((devices, rail) => devices.forEach((device, k) =>
      places.devices.set(device, [left + (k % form.columns) * cell, top + form.tops[rail] + Math.floor(k / form.columns) * cell])));
  });
  for (let first = 0; first < pod.nodes.length; first += form.each_line) {
    const top = y + pod_margin + first / form.each_line * form.line, wide = Math.min(form.each_line, pod.nodes.length - first) * form.node_width - 2;
    for (const one of pod.switches) places.strips.push({ of: one, x: x + pod_margin, y: top + form.tops[one.rail + 1] - form.strip - 1, width: wide, height: form.strip });
  }
}

function place_with(pods, tiers, cell, width) {
  const places = { cell, boxes: [], strips: [], devices: new Map(), height: 0 };
  tiers.forEach((tier, t) => tier.forEach((one, k) =>
    places.strips.push({ of: one, x: k * width / tier.length, y: t * (tier_height + 3), width: Math.max(1, width / tier.length - 2), height: tier_height, named: true })));
  const label = pods.length > 1 ? pod_label : 0;
  let x = 0, y = tiers.length * (tier_height + 3), line = 0;
  for (const pod of pods) {
    const form = form_of_pod(pod, cell, width);
    if (x > 0 && x + form.width > width) { x = 0; y += line; line = 0; }
    places.boxes.push({ name: pod.pod < 0 ? 'no switch' : `pod ${pod.pod}`, x, y: y + label, width: form.width, height: form.height, label });
    fill_pod(pod, form, cell, x, y + label, places);
    x += form.width + 6;
    line = Math.max(line, label + form.height + 6);
  }
  places.height = y + line;
  return places;
}

/// Where all of a cluster stands in `width` pixels, in cells as large as there is room for.
function place_cluster(cluster, width) {
  const pods = pods_of(cluster), tiers = tiers_above(cluster), most_high = 420;
  let cell = 22, places = place_with(pods, tiers, cell, width);
  while (cell > 3 && places.height > most_high) places = place_with(pods, tiers, --cell, width);
  return places;
}
