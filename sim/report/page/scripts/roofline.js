'use strict';
// What kernels reach beside the roof of the device, and how far off the profile is, kernel by kernel.

/// Points that compute, with FLOPs by byte and by second.
function roofline_points(points, dtype) {
  return points.filter((p) => p.dtype === dtype && p.flops > 0 && p.bytes > 0)
    .map((p) => ({ ...p, intensity: p.flops / p.bytes, rate: p.flops / p.measured_s }));
}

function human_flops(value) { return `${d3.format('.3~s')(value)}FLOP/s`.replace(/([\d.])([a-zA-Zµ]*)FLOP/, '$1 $2FLOP'); }

/// A chart for each type of numbers that was measured.
function roofline_sections(points, roofs) {
  if (!roofs) return [];
  return Object.entries(roofs.flops_per_s).map(([dtype, peak]) => {
    const shown = roofline_points(points, dtype);
    if (shown.length < 2) return '';
    const roof = (intensity) => Math.min(peak, intensity * (roofs.bytes_per_s || Infinity));
    return section(`Roofline, ${dtype}: the line is what the device can do`, scatter(shown,
      { name: 'FLOPs a byte', value: (p) => p.intensity, show: human_number }, { name: 'FLOP/s', value: (p) => p.rate, show: human_flops },
      { group: (p) => p.kernel, log: true, roof, tip: (p) => `${p.what}\n${human_flops(p.rate)}, ${human_percent(p.rate / roof(p.intensity))} of the roof` }));
  });
}

const most_residual = 1;  // what is farther off stands at the edge

/// A row a kernel, a dot a point: how much longer or shorter its prediction is.
function residual_strip(points) {
  const rows = d3.nest().key((p) => p.kernel).entries(points.map((p) => ({ ...p, error: relative_error(p) })));
  const line = 22, left = 110, width = 720, right = 20, height = rows.length * line + 40;
  const x = d3.scaleLinear([-most_residual, most_residual], [left, width - right]).clamp(true);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', 'relative errors by kernel');
  svg.append('g').attr('transform', `translate(0,${height - 36})`).call(d3.axisBottom(x).ticks(8).tickFormat((v) => human_percent(v).replace('.0', '')).tickSize(-(height - 40)));
  const row = svg.append('g').selectAll('g').data(rows).join('g').attr('transform', (_, i) => `translate(0,${i * line + line / 2})`);
  row.append('text').attr('x', left - 10).attr('y', 4).attr('text-anchor', 'end').text((r) => r.key);
  row.append('g').selectAll('circle').data((r) => r.values).join('circle').attr('class', 'residual').attr('cx', (p) => x(p.error)).attr('r', 4).attr('fill', micro_colors[0]).attr('fill-opacity', 0.6)
    .on('pointermove', (p) => show_tip(d3.event, point_tip(p))).on('pointerleave', hide_tip);
  svg.append('path').attr('d', `M${x(0)},0V${height - 36}`).attr('stroke', 'currentColor').attr('opacity', 0.6);
  return svg.node();
}
