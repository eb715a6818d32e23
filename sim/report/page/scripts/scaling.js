'use strict';
// Strong and weak scaling: throughput over the devices, where a sweep varies how many there are.

const most_scaling_lines = 12;

/// Of runs that fit; `others` are their settings but for what a curve is about.
function scaling_points(ran) {
  const varied = ['cluster.nodes', 'cluster.devices'].filter((path) => ran.some((r) => path in (r.settings || {})));
  if (varied.length !== 1) return [];
  const rate = ran.every((r) => r.tokens_per_s) ? 'tokens_per_s' : 'samples_per_s';
  const others = (r) => ({ ...r, settings: Object.fromEntries(Object.entries(r.settings).filter(([path]) => path !== varied[0] && path !== 'batch.global')) });
  return ran.filter((r) => r.feasible && r[rate] > 0 && Number(r.settings[varied[0]]) > 0).map((r) => ({
    devices: new Set(r.ranks.flatMap((k) => k.devices)).size, rate: r[rate], unit: rate.split('_')[0],
    batch: Math.round(r.samples_per_s * r.iteration_time_s), others: settings_text(others(r)), name: `${r.schedule}: ${settings_text(r)}`,
  })).filter((p) => p.devices);
}

/// [name, the best point at each number of devices] of points whose names are equal, `least` numbers at least.
function scaling_lines(points, name, least) {
  const lines = d3.nest().key(name).key((p) => p.devices).rollup((at) => d3.least(at, (p) => -p.rate)).entries(points);
  return lines.map(({ key, values }) => [key, values.map((v) => v.value).sort((a, b) => a.devices - b.devices)]).filter(([, line]) => line.length >= least);
}

/// A line for each combination of the other settings; of too many, or of none, the best of them.
function scaling_curves(points, batch, least) {
  const each = scaling_lines(points, (p) => [p.others, batch(p)].filter(Boolean).join(', '), least);
  if (each.length && each.length <= most_scaling_lines) return each;
  const best = scaling_lines(points, (p) => `the best of ${batch(p)}`, least);
  return best.sort((a, b) => d3.max(b[1], (p) => p.rate) - d3.max(a[1], (p) => p.rate)).slice(0, most_scaling_lines);
}

function scaling_chart(lines) {
  const width = 720, height = 340, left = 96, bottom = 46, top = 12, right = 16;
  const points = lines.flatMap(([, line]) => line), unit = points[0].unit;
  const first = d3.least(points, (p) => p.devices * 1e18 - p.rate), most = d3.max(points, (p) => p.devices);
  const ideal = [first, { devices: most, rate: first.rate * most / first.devices }];
  const x = d3.scaleLog([first.devices / 1.1, most * 1.1], [left, width - right]);
  const y = d3.scaleLog([d3.min(points, (p) => p.rate) / 1.2, d3.max([...points, ideal[1]], (p) => p.rate) * 1.2], [height - bottom, top]);
  const path = d3.line().x((p) => x(p.devices)).y((p) => y(p.rate));
  const color = (i) => (lines.length > micro_colors.length ? d3.schemePaired : micro_colors)[i];
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', `${unit} a second over devices`);
  const counts = [...new Set(points.map((p) => p.devices))].sort((a, b) => a - b);
  svg.append('g').attr('transform', `translate(0,${height - bottom})`).call(d3.axisBottom(x).tickValues(counts.filter((_, i) => i % Math.ceil(counts.length / 10) === 0)).tickFormat(String));
  svg.append('g').attr('transform', `translate(${left},0)`).call(round_ticks(d3.axisLeft(y), y, 5, human_rate));
  svg.append('text').attr('class', 'soft').attr('x', (left + width) / 2).attr('y', height - 8).attr('text-anchor', 'middle').text('devices');
  svg.append('text').attr('class', 'soft').attr('transform', `translate(14,${(height - bottom) / 2}) rotate(-90)`).attr('text-anchor', 'middle').text(`${unit} a second`);
  svg.append('path').attr('class', 'ideal').attr('d', path(ideal)).attr('stroke', 'currentColor').attr('stroke-dasharray', '5 4').attr('opacity', 0.5);
  lines.forEach(([, line], i) => {
    svg.append('path').attr('class', 'curve').attr('d', path(line)).attr('fill', 'none').attr('stroke', color(i)).attr('stroke-width', 2);
    svg.append('g').selectAll('circle').data(line).join('circle').attr('cx', (p) => x(p.devices)).attr('cy', (p) => y(p.rate)).attr('r', 4).attr('fill', color(i))
      .on('pointermove', (p) => show_tip(d3.event, `${p.name}\n${human_rate(p.rate)} ${unit} a second\n${human_percent(p.rate / first.rate * first.devices / p.devices)} of the ideal`)).on('pointerleave', hide_tip);
  });
  return element('div', {}, legend(lines.map(([name], i) => [name, color(i)])), svg.node());
}

/// The batch stays on a strong curve and grows with the devices on a weak one. Where a sweep varies
/// both, two points alone make no weak curve.
function scaling_sections(ran) {
  const points = scaling_points(ran);
  const counts = new Set(points.map((p) => p.devices)).size;
  const strong = scaling_curves(points, (p) => `batch ${p.batch}`, 2);
  const weak = scaling_curves(points, (p) => `batch ${Number((p.batch / p.devices).toPrecision(6))} a device`, Math.max(2, Math.min(3, counts)));
  return [['Strong scaling', strong], ['Weak scaling', weak]].filter(([, lines]) => lines.length)
    .map(([heading, lines]) => section(`${heading}; dashed is ideal`, scaling_chart(lines)));
}
