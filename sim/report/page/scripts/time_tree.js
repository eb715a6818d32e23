'use strict';
// A tree of time: compute by what it does and by layer, and what else fills an iteration.

const tree_row = 30;

/// The kernels of the rank that computes longest, by layer and direction; empty where they are not known.
function kernels_of_busiest(r, data) {
  if (!data || !data.passes || !r.ranks.length) return new Map();
  const busiest = d3.greatest(r.ranks, (rank) => d3.sum(Object.values(rank.breakdown.compute_s))).rank;
  const rank = data.lanes.find((lane) => data.pipelines[lane.rank] === busiest);
  return rank ? kernel_times(data, rank.rank) : new Map();
}

/// A direction of a layer with its kernels, by their shares of the timeline.
function direction_of_layer(layer, name, seconds, kernels) {
  const color = kind_colors[name], of_layer = kernels.get(`${layer.name} ${name}`), all = of_layer ? d3.sum(of_layer.values()) : 0;
  if (!(all > 0)) return { name, value: seconds, color };
  return { name, color, children: [...of_layer].map(([kernel, s]) => ({ name: kernel, value: seconds * s / all, color })) };
}

/// The compute of the rank that computes longest: kinds of layers, then layers, directions and kernels.
function tree_of_time(r, data) {
  const kind_of = (layer) => layer.name.replace(/\s*\d+$/, ''), kernels = kernels_of_busiest(r, data);
  const leaves = (layer) => ['forward', 'backward'].filter((name) => layer[`${name}_s`] > 0).map((name) => direction_of_layer(layer, name, layer[`${name}_s`], kernels));
  const kinds = d3.nest().key(kind_of).entries(r.layers).map(({ key, values }) => ({
    name: values.length > 1 ? `${values.length} × ${key}` : values[0].name,
    children: values.map((layer) => ({ name: /^stage/.test(layer.name) ? layer.name : `${layer.name}, stage ${layer.stage}`, children: leaves(layer) })).filter((l) => l.children.length),
  })).filter((k) => k.children.length);
  return { name: 'layers of the rank that computes longest', children: kinds };
}

/// As much of a name as there is room for; of a kernel at least its kind.
function tree_label(d, wide) {
  const { name } = d.data, texts = [`${name} ${human_time(d.value)}`, name, ...(d.depth === 4 ? [name.split(' ')[0]] : [])];
  return texts.find((text) => wide > text.length * 6.4 + 8) || '';
}

/// The names of a part and of all that it is part of.
function tree_path(d) { return d.ancestors().map((a) => a.data.name).join('/'); }

/// `focus` is the path of the part that is as wide as the picture; `choose` gets that of a part that is clicked.
function draw_time_tree(r, data, focus, choose) {
  const width = page_width(), root = d3.hierarchy(tree_of_time(r, data)).sum((d) => d.value || 0);
  d3.partition().size([width, (root.height + 1) * tree_row])(root);
  const wide = root.descendants().find((d) => tree_path(d) === focus) || root, x = d3.scaleLinear([wide.x0, wide.x1], [0, width]);
  const left = (d) => Math.max(0, x(d.x0)), right = (d) => Math.min(width, x(d.x1));
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${(root.height + 1) * tree_row}`).attr('width', width).attr('role', 'img').attr('aria-label', 'time by layer');
  const fill = (d) => d.data.color || (d.depth % 2 ? theme_color('idle') : theme_color('wash'));
  const node = svg.selectAll('g').data(root.descendants().filter((d) => d.x1 > wide.x0 && d.x0 < wide.x1)).join('g').attr('class', 'leaf').attr('transform', (d) => `translate(${left(d)},${d.y0})`)
    .on('click', (d) => choose(tree_path(d)))
    .on('pointermove', (d) => show_tip(d3.event, `${d.ancestors().reverse().map((a) => a.data.name).join(' › ')}\n${human_time(d.value)}, ${human_percent(d.value / root.value)}`)).on('pointerleave', hide_tip);
  node.append('rect').attr('width', (d) => Math.max(0.5, right(d) - left(d) - 1)).attr('height', tree_row - 2).attr('rx', 2).attr('fill', fill);
  node.append('text').attr('x', 5).attr('y', tree_row / 2 + 3).style('fill', (d) => text_on(fill(d))).text((d) => tree_label(d, right(d) - left(d)));
  return svg.node();
}

function time_tree_section(r, data) {
  if (!r.layers || r.layers.every((layer) => !(layer.forward_s + layer.backward_s > 0))) return '';
  const holder = element('div');
  let focus = null;
  const draw = () => holder.replaceChildren(draw_time_tree(r, data, focus, (path) => { focus = path === focus ? null : path; hide_tip(); draw(); }));
  draw();
  theme_listeners.push(draw);
  return section('Time by layer and kernel', holder, element('p', { class: 'hint' }, 'A click shows a part at the whole width; another one on it shows all.'));
}
