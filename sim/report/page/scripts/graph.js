'use strict';
// The cluster as a graph: devices at the bottom, switches above, links coloured by how busy they are.

const most_vertices = 64;

/// links: [{name: 'from > to', ...}]. Layers count links from the nearest device.
function link_graph(links) {
  const edges = links.map((link) => { const [from, to] = link.name.split(' > '); return { ...link, from, to }; });
  const vertices = new Map(edges.flatMap((e) => [e.from, e.to]).map((name) => [name, { name, layer: name.startsWith('device ') ? 0 : null, x: 0 }]));
  for (let layer = 0, found = true; found; ++layer) {
    found = false;
    for (const [a, b] of edges.flatMap((e) => [[e.from, e.to], [e.to, e.from]]).map((ends) => ends.map((name) => vertices.get(name))))
      if (a.layer === layer && b.layer === null) { b.layer = layer + 1; found = true; }
  }
  return { edges, vertices, reached: [...vertices.values()].every((v) => v.layer !== null) };
}

/// Devices in the order of their numbers, the others over the middle of what is below them.
function place_vertices({ edges, vertices }, width) {
  const layers = d3.nest().key((v) => v.layer).sortKeys((a, b) => a - b).entries([...vertices.values()]).map((l) => l.values);
  for (const layer of layers) {
    const below = (v) => d3.mean(edges.filter((e) => [e.from, e.to].includes(v.name)).map((e) => vertices.get(e.from === v.name ? e.to : e.from)).filter((o) => o.layer < v.layer), (o) => o.x) || 0;
    const places = new Map(layer.map((v) => [v, below(v)]));
    layer.sort((a, b) => places.get(a) - places.get(b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
    layer.forEach((v, i) => { v.x = (i + 0.5) * width / layer.length; });
  }
  return layers;
}

function draw_graph(graph, layers, width, step) {
  const height = layers.length * step, y = (v) => height - (v.layer + 0.5) * step;
  const most = d3.max(graph.edges, (e) => e.busy_fraction) || 1;
  const heat = d3.interpolateRgb(theme_color('idle'), theme_color('warn'));
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', 'links of the cluster by how busy they are');
  const way = (e) => {  // both directions bend to their right, so that they lie apart
    const a = graph.vertices.get(e.from), b = graph.vertices.get(e.to), dx = b.x - a.x, dy = y(b) - y(a);
    const bend = (a.layer === b.layer ? 0.5 * step : 7) / Math.hypot(dx, dy);
    return `M${a.x},${y(a)}Q${(a.x + b.x) / 2 - dy * bend},${(y(a) + y(b)) / 2 + dx * bend} ${b.x},${y(b)}`;
  };
  svg.append('g').selectAll('path').data(graph.edges).join('path').attr('class', 'link').attr('d', way).attr('fill', 'none').attr('stroke-width', 3)
    .attr('stroke', (e) => heat(e.busy_fraction / most))
    .on('pointermove', (e) => show_tip(d3.event, `${e.name}\n${human_percent(e.busy_fraction)} busy\n${human_bytes(e.bytes)}`)).on('pointerleave', hide_tip);
  for (const layer of layers) {
    const vertex = svg.append('g').selectAll('g').data(layer).join('g').attr('class', 'vertex').attr('transform', (v) => `translate(${v.x},${y(v)})`);
    vertex.append('circle').attr('r', 6).attr('fill', theme_color('accent')).on('pointermove', (v) => show_tip(d3.event, v.name)).on('pointerleave', hide_tip);
    if (layer.length <= 10) vertex.append('text').attr('y', layer[0].layer ? -11 : 20).attr('text-anchor', 'middle').text((v) => v.name);
  }
  return element('div', {}, legend([['idle', heat(0)], [`the busiest, ${human_percent(most)}`, heat(1)]]), svg.node());
}

function graph_section(links) {
  const graph = link_graph(links);
  if (!graph.reached || graph.vertices.size > most_vertices) return '';
  const width = page_width(), layers = place_vertices(graph, width), holder = element('div');
  const draw = () => holder.replaceChildren(draw_graph(graph, layers, width, 96));
  draw();
  theme_listeners.push(draw);
  return section('The busiest links in the graph of the cluster', holder, element('p', { class: 'hint' }, 'Hover for names and numbers.'));
}
