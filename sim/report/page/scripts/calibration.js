'use strict';
// A calibration: measured times against the profile's, errors by kernel, what the fit did not see.

function relative_error(p) { return p.predicted_s === null ? null : p.predicted_s / p.measured_s - 1; }

function errors_by_kernel(points) {
  const groups = [...new Set(points.map((p) => p.kernel))].map((k) => [k, points.filter((p) => p.kernel === k)]);
  const rows = groups.map(([kernel, all]) => {
    const errors = all.map(relative_error).filter((e) => e !== null).map(Math.abs).sort(d3.ascending);
    return { kernel, points: all.length, steady: all.filter((p) => p.steady).length, outliers: d3.sum(all, (p) => p.outliers),
      median: errors.length ? d3.quantile(errors, 0.5) : null, p95: errors.length ? d3.quantile(errors, 0.95) : null };
  });
  const error = (name, key) => ({ name, value: (r) => r[key], show: human_percent, heat: (r) => (r[key] || 0) * 2 });
  return table([
    { name: 'kernel', text: true, value: (r) => r.kernel }, { name: 'points', value: (r) => r.points },
    { name: 'known to 1 %', value: (r) => r.steady }, { name: 'samples thrown away', value: (r) => r.outliers },
    error('median error', 'median'), error('95th percentile', 'p95'),
  ], rows);
}

function time_scatter(points, group, tip) {
  return scatter(points, { name: 'measured', value: (p) => p.measured_s, show: human_time },
    { name: 'predicted', value: (p) => p.predicted_s, show: human_time }, { group, log: true, diagonal: true, tip });
}

const point_tip = (p) => `${p.what}\nmeasured ${human_time(p.measured_s)}, predicted ${human_time(p.predicted_s)}\nerror ${human_percent(relative_error(p))}`;

function condition_sections(c) {
  const clock = c.first_clock_hz ? [['clock, first to last', `${(c.first_clock_hz / 1e9).toFixed(2)} to ${(c.last_clock_hz / 1e9).toFixed(2)} GHz`]] : [];
  return [section('The machine while it was measured', tiles([
    ['verdict', c.verdict ? `not steady: ${c.verdict}` : 'steady', Boolean(c.verdict)], ...clock,
    ['one product, last over first', human_number(c.slowdown)], ['time stolen by a hypervisor', human_percent(c.stolen)],
    ['threads for each core', human_number(c.load)], ['launch', human_time(c.launch_s)],
    ['16 MiB of memory, first', human_time(c.first_allocation_s)], ['again', human_time(c.next_allocation_s)],
    ...(c.ranks > 1 ? [[`slowest of ${c.ranks} cores`, `${human_number(c.slowest)} of the median`]] : []),
  ])), section('Beside moving bytes', table([
    { name: 'kernel', text: true, value: (b) => b.kernel }, { name: 'beside', text: true, value: (b) => b.what }, { name: 'channels', value: (b) => b.channels },
    { name: 'alone', value: (b) => b.alone_s, show: human_time }, { name: 'beside it', value: (b) => b.beside_s, show: human_time },
    { name: 'times as long', value: (b) => b.slowdown, show: human_number, heat: (b) => b.slowdown - 1 },
    { name: 'bytes a second moved', value: (b) => b.moved_bytes_per_s, show: human_bytes },
  ], c.beside)), section('Operands in cache and in none', table([
    { name: 'kernel', text: true, value: (k) => k.kernel }, { name: 'hot', value: (k) => k.hot_s, show: human_time },
    { name: 'cold', value: (k) => k.cold_s, show: human_time }, { name: 'times as long', value: (k) => k.cold_s / k.hot_s, show: human_number, heat: (k) => k.cold_s / k.hot_s - 1 },
  ], c.cache))];
}

function unsteady_points(points) {
  const rows = points.filter((p) => !p.steady || p.outliers);
  if (!rows.length) return '';
  return section('Not known to 1 %, or with samples thrown away', table([
    { name: 'point', text: true, value: (p) => p.what }, { name: 'median', value: (p) => p.measured_s, show: human_time },
    { name: 'spread, 10th to 90th', value: (p) => (p.p90_s - p.p10_s) / p.measured_s, show: human_percent, heat: (p) => (p.p90_s - p.p10_s) / p.measured_s },
    { name: 'repetitions', value: (p) => p.repetitions }, { name: 'thrown away', value: (p) => p.outliers },
  ], rows));
}

function show_calibration(page, content) {
  const { points, held_out, conditions, roofs } = page.results;
  const seen = points.filter((p) => p.predicted_s !== null);
  const errors = held_out.map(relative_error).map(Math.abs).sort(d3.ascending);
  content.append(tiles([['points', String(points.length)], ['products that the fit did not see', String(held_out.length)],
    ['their median error', human_percent(errors.length ? d3.quantile(errors, 0.5) : null)],
    ['95th percentile', human_percent(errors.length ? d3.quantile(errors, 0.95) : null)]]));
  const unseen = held_out.map((p) => ({ ...p, what: `gemm ${p.dtype} m=${p.m} n=${p.n} k=${p.k}` }));
  const pair = element('div', { class: 'pair' }, section('Measured and predicted', time_scatter(seen, (p) => p.kernel, point_tip)));
  if (unseen.length) pair.append(section('Products that the fit did not see', time_scatter(unseen, (p) => p.dtype, point_tip)));
  const more = element('div', { class: 'pair charts' }, ...roofline_sections(points, roofs), section('Residuals by kernel: predicted over measured, less one', residual_strip(seen)));
  content.append(pair, more, section('Errors by kernel', errors_by_kernel(points)), ...(conditions ? condition_sections(conditions) : []), unsteady_points(points));
}
