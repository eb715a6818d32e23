'use strict';
// Parallel coordinates: a line a run through all that the study varies and all that came out. Dragging
// along an axis keeps the runs that pass there.

const most_parallel_lines = 600, parallel_height = 300;

/// An axis of a setting has its values in order, one of a result is a scale of numbers.
function parallel_axis(axis, rows) {
  const range = [parallel_height - 24, 40];
  if (axis.values) {
    const place = d3.scalePoint(axis.values, range).padding(0.3);
    return { name: axis.name, at: (r) => place(String(axis.of(r))), ticks: axis.values.map((v) => [place(v), v, true]) };
  }
  let [low, high] = d3.extent(rows, axis.value);
  if (low === high) [low, high] = [low * 0.95, high * 1.05 || 1];
  const place = d3.scaleLinear([low, high], axis.gain ? range : [range[1], range[0]]);
  const ticks = axis_ticks(low, high, 6, axis.show).filter(([v]) => v >= low && v <= high);
  return { name: axis.name, at: (r) => (Number.isFinite(axis.value(r)) ? place(axis.value(r)) : null), ticks: ticks.map(([v, text]) => [place(v), text]) };
}

function parallel_path(axes, x, r) {
  const points = axes.map((axis, i) => [x(i), axis.at(r)]);
  return points.every((p) => p[1] !== null) ? d3.line()(points) : null;
}

/// Gives every axis a brush; `act` gets a function that tells the rows within all of them.
function brush_axes(groups, axes, act) {
  const chosen = axes.map(() => null);
  groups.append('g').attr('class', 'brush').each(function (axis, i) {
    d3.select(this).call(d3.brushY().extent([[-12, 30], [12, parallel_height - 14]]).on('brush end', () => {
      chosen[i] = d3.event.selection;
      act((r) => chosen.every((part, k) => !part || (axes[k].at(r) >= part[0] && axes[k].at(r) <= part[1])));
    }));
  });
}

/// A name on two lines where axes stand too close for one.
function name_lines(name, step) {
  const cut = name.indexOf(' ');
  return step < 130 && cut > 0 ? [name.slice(0, cut), name.slice(cut + 1)] : [name];
}

function label_axes(groups, last, step) {
  groups.append('line').attr('y1', 34).attr('y2', parallel_height - 18).attr('stroke', 'currentColor').attr('opacity', 0.6);
  groups.append('text').attr('y', 16).attr('text-anchor', (_, i) => (i === 0 ? 'start' : i === last ? 'end' : 'middle')).attr('font-weight', 600)
    .selectAll('tspan').data((axis) => name_lines(axis.name, step)).join('tspan').attr('x', 0).attr('dy', (_, i, lines) => (i ? 14 : lines.length > 1 ? -5 : 0)).text((line) => line);
  groups.selectAll('text.value').data((axis) => axis.ticks).join('text').attr('class', 'soft halo').attr('y', ([y, , above]) => y + (above ? -6 : 4)).text((t) => t[1]);
  // The texts of the last axis stand to its left.
  groups.filter((_, i) => i === last).selectAll('text.halo').attr('text-anchor', 'end');
  groups.selectAll('text.halo').attr('x', function () { return d3.select(this).attr('text-anchor') === 'end' ? -8 : 8; });
}

function draw_parallel(rows, list, measure, named, tell) {
  const axes = list.map((axis) => parallel_axis(axis, rows)), last = axes.length - 1;
  const width = page_width();
  const x = d3.scaleLinear([0, last], [24, width - 24]), range = d3.extent(rows, measure.value);
  const color = (r) => theme_ramp(Math.abs((measure.value(r) - range[measure.gain ? 0 : 1]) / (range[1] - range[0] || 1)));
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${parallel_height}`).attr('width', width).attr('role', 'img').attr('aria-label', 'runs as lines through settings and results');
  const lines = svg.append('g').selectAll('path').data(rows.slice().reverse()).join('path').attr('class', 'run').attr('d', (r) => parallel_path(axes, x, r)).attr('fill', 'none')
    .attr('stroke', (r) => (r.feasible ? color(r) : theme_color('soft'))).attr('stroke-dasharray', (r) => (r.feasible ? null : '3 4')).attr('stroke-width', (r) => (r.front ? 3 : 1.5))
    .on('pointermove', (r) => show_tip(d3.event, named(r))).on('pointerleave', hide_tip);
  const groups = svg.append('g').selectAll('g').data(axes).join('g').attr('transform', (_, i) => `translate(${x(i)},0)`);
  label_axes(groups, last, x(1) - x(0));
  brush_axes(groups, axes, (within) => {
    lines.attr('opacity', (r) => (within(r) ? 1 : 0.07));
    tell(rows.filter(within).length);
  });
  return svg.node();
}

/// `ran` has the best first; `measures` are axes of the objectives.
function parallel_section(ran, measures, named, heading = 'Every run: what was set, and what came of it') {
  const rows = ran.filter((r) => measures.every((m) => Number.isFinite(m.value(r)))).slice(0, most_parallel_lines);
  const list = [...varied_settings(ran), ...measures];
  if (rows.length < 3 || list.length < 3) return '';
  const holder = element('div'), count = element('output');
  const tell = (kept) => { count.textContent = `${kept} of ${rows.length} runs`; };
  const draw = () => holder.replaceChildren(draw_parallel(rows, list, measures[0], named, tell));
  draw();
  tell(rows.length);
  theme_listeners.push(draw);
  return section(heading, element('div', { class: 'tools' }, count), holder,
    element('p', { class: 'hint' }, `Drag along an axis to keep the runs that pass there; a click on it takes that back. The best is up on every axis of a result. Dashed runs do not fit.${rows.length < ran.length ? ` The best ${rows.length} of ${ran.length} are drawn.` : ''}`));
}
