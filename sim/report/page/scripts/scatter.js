'use strict';
// A scatter plot: one point a row, coloured by group.

const scatter_shapes = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar, d3.symbolWye];

/// No two of 49 groups have one colour and one shape.
function symbol_of(index, size) {
  const count = scatter_shapes.length;
  return d3.symbol().type(scatter_shapes[(index + Math.floor(index / count)) % count]).size(size)();
}

/// [[text, colour, path]]
function symbol_legend(entries) {
  return element('div', { class: 'legend' }, ...entries.map(([text, color, path]) => {
    const svg = d3.create('svg').attr('width', 14).attr('height', 14).attr('viewBox', '-7 -7 14 14').attr('class', 'key');
    svg.append('path').attr('d', path).attr('fill', color);
    return element('span', {}, svg.node(), text);
  }));
}

const most_named = 14;

/// Names beside points: those that would lie over another are left out, the first given the first.
function name_points(svg, points, x, y, text, right) {
  const taken = [], high = 14;
  for (const r of points) {
    const words = text(r), wide = words.length * 6.3, left = x(r) + 9 + wide > right ? x(r) - 9 - wide : x(r) + 9, top = y(r) - 7;
    if (taken.some((b) => left < b.left + b.wide && b.left < left + wide && top < b.top + high && b.top < top + high)) continue;
    taken.push({ left, top, wide });
    svg.append('text').attr('class', 'halo named').attr('x', left).attr('y', y(r) - 6).text(words);
  }
}

/// A line at what must not be exceeded: {value, text} of the vertical axis.
function draw_limit(svg, limit, y, left, right) {
  svg.append('path').attr('class', 'limit').attr('d', `M${left},${y(limit.value)}H${right}`);
  svg.append('text').attr('class', 'halo limit').attr('x', left + 8).attr('y', y(limit.value) - 6).text(limit.text);
}

/// axis: {name, value: row => number, show: number => text, gain: more is better}; group: row => text;
/// front: row => whether it is ringed; line: joins those; wide: as the page; named: row => what stands beside
/// its point, where points are few or in the front; limit: {value, text} across the page, where it is near;
/// roof: a function of the horizontal axis that is drawn over it; joined: row => text, rows of one text are
/// joined by a line.
function scatter(rows, x_axis, y_axis, { group = () => '', tip = () => '', log = false, diagonal = false, front = null, line = true, wide = false, named = null, limit = null, roof = null, joined = null } = {}) {
  const width = wide ? page_width() : 720, height = 420, left = 98, bottom = 46, top = 12, right = 34;
  const points = rows.filter((r) => [x_axis, y_axis].every((a) => Number.isFinite(a.value(r)) && (!log || a.value(r) > 0)));
  const groups = [...new Set(points.map(group))];
  const color = (r) => micro_colors[[0, 1, 2, 4, 5, 6, 3][groups.indexOf(group(r)) % 7]];
  const shape = (name, size) => symbol_of(groups.indexOf(name), size);
  const symbol = (r) => shape(group(r), 56);
  const range = (axis, pixels) => {
    let [low, high] = d3.extent(points, axis.value);
    if (diagonal) [low, high] = d3.extent(points.flatMap((r) => [x_axis.value(r), y_axis.value(r)]));
    if (roof && axis === y_axis) high = Math.max(high, d3.max(points, (r) => roof(x_axis.value(r))));
    if (log) return d3.scaleLog([low / 1.15, high * 1.15], pixels);
    if (limit && axis === y_axis && limit.value > low && limit.value < high * 2) high = Math.max(high, limit.value);
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    return d3.scaleLinear([low - room, high + room], pixels);
  };
  const x = range(x_axis, [left, width - right]), y = range(y_axis, [height - bottom, top]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', `${y_axis.name} over ${x_axis.name}`);
  svg.append('g').attr('transform', `translate(0,${height - bottom})`).call(round_ticks(d3.axisBottom(x), x, 8, x_axis.show));
  svg.append('g').attr('transform', `translate(${left},0)`).call(round_ticks(d3.axisLeft(y), y, 6, y_axis.show));
  svg.append('text').attr('class', 'soft').attr('x', (left + width) / 2).attr('y', height - 8).attr('text-anchor', 'middle').text(x_axis.name);
  svg.append('text').attr('class', 'soft').attr('transform', `translate(14,${(height - bottom) / 2}) rotate(-90)`).attr('text-anchor', 'middle').text(y_axis.name);
  if (roof) {
    const [low, high] = x.domain().map(Math.log), steps = d3.range(low, high, (high - low) / 240).map(Math.exp);
    svg.append('path').attr('class', 'roof').attr('fill', 'none').attr('stroke', 'currentColor').attr('opacity', 0.6).attr('stroke-width', 1.5)
      .attr('d', d3.line().defined((v) => roof(v) <= y.domain()[1]).x((v) => x(v)).y((v) => y(roof(v)))(steps));
  }
  if (diagonal) {
    const [low, high] = x.domain();
    svg.append('path').attr('d', `M${x(low)},${y(low)}L${x(high)},${y(high)}`).attr('stroke', 'currentColor').attr('stroke-dasharray', '5 4').attr('opacity', 0.5);
  }
  if (front && line) {
    const ringed = points.filter(front).sort((a, b) => x_axis.value(a) - x_axis.value(b));
    svg.append('path').attr('fill', 'none').attr('stroke', 'currentColor').attr('opacity', 0.55)
      .attr('d', d3.line().x((r) => x(x_axis.value(r))).y((r) => y(y_axis.value(r))).curve(x_axis.gain ? d3.curveStepBefore : d3.curveStepAfter)(ringed));
  }
  if (joined) {
    const at = d3.line().x((r) => x(x_axis.value(r))).y((r) => y(y_axis.value(r)));
    for (const { values } of d3.nest().key(joined).entries(points))
      svg.append('path').attr('class', 'curve').attr('fill', 'none').attr('stroke', 'currentColor').attr('opacity', 0.45).attr('d', at(values.sort((a, b) => x_axis.value(a) - x_axis.value(b))));
  }
  svg.append('g').selectAll('path').data(points).join('path').attr('class', 'point').attr('d', symbol).attr('fill', color)
    .attr('stroke', front ? (r) => (front(r) ? 'currentColor' : 'none') : 'none').attr('fill-opacity', 0.85)
    .attr('transform', (r) => `translate(${x(x_axis.value(r))},${y(y_axis.value(r))})`)
    .on('pointermove', (r) => show_tip(d3.event, tip(r))).on('pointerleave', hide_tip);
  if (limit && limit.value > y.domain()[0] && limit.value < y.domain()[1]) draw_limit(svg, limit, y, left, width - right);
  if (named) {
    const few = points.length <= most_named ? points : points.filter(front || (() => false));
    name_points(svg, few.slice(0, most_named), (r) => x(x_axis.value(r)), (r) => y(y_axis.value(r)), named, width);
  }
  return element('div', {}, groups.length > 1 ? symbol_legend(groups.slice(0, 14).map((g) => [g, color(points.find((r) => group(r) === g)), shape(g, 70)])) : '', svg.node());
}
