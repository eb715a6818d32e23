'use strict';
// Why a job is slow: its step against the ideal, what each cause costs, and where the slow ranks are.

const diagnosis_parts = [
  ['forward', '#56b4e9', (b) => b.compute_s.forward],
  ['backward', '#e69f00', (b) => b.compute_s.backward + b.compute_s.input_gradient + b.compute_s.weight_gradient],
  ['optimizer and other compute', '#cc79a7', (b) => b.compute_s.optimizer + b.compute_s.recompute + b.compute_s.other],
  ['exposed communication', '#0072b2', (b) => d3.sum(Object.values(b.exposed_s))],
  ['host', kind_colors.host, (b) => b.host_s],
  ['bubble', null, (b) => b.bubble_s],  // in the theme's colour of what is idle
];

/// Horizontal bars on one axis: [{name, from, to, color, tip}], in seconds.
function time_bars(bars, label) {
  const line = 24, left = 280, right = 80, width = page_width(), height = bars.length * line + 28;
  const x = d3.scaleLinear([Math.min(0, d3.min(bars, (b) => b.from)), d3.max(bars, (b) => b.to) || 1], [left, width - right]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', label);
  const row = svg.selectAll('g').data(bars).join('g').attr('transform', (_, i) => `translate(0,${i * line})`);
  const shorter = (text) => (text.length > 36 ? `${text.slice(0, 35)}…` : text);
  row.append('text').attr('x', left - 8).attr('y', line / 2 + 4).attr('text-anchor', 'end').text((b) => shorter(b.name)).append('title').text((b) => b.name);
  row.append('rect').attr('x', (b) => x(b.from)).attr('y', 2).attr('height', line - 6).attr('width', (b) => Math.max(1, x(b.to) - x(b.from))).attr('fill', (b) => b.color)
    .on('pointermove', (b) => show_tip(d3.event, b.tip)).on('pointerleave', hide_tip);
  row.append('text').attr('x', (b) => x(b.to) + 5).attr('y', line / 2 + 4).text((b) => human_time(b.to - b.from));
  svg.append('g').attr('transform', `translate(0,${height - 26})`).call(round_ticks(d3.axisBottom(x), x, 6, human_time));
  return svg.node();
}

function diagnosed_times(d) {
  const bar = (name, seconds, color, what) => ({ name, from: 0, to: seconds, color, tip: `${name}: ${human_time(seconds)}\n${what}` });
  return time_bars([bar('measured', d.measured_s, '#d55e00', 'the median step'),
    bar('simulated', d.simulated_s, '#56b4e9', 'its own durations'),
    bar('ideal', d.ideal_s, '#009e73', 'every duration that of its peers')], 'measured, simulated and ideal step');
}

/// What causes leave of the way from the measured step to the ideal. Where they take off more, it leads up: a
/// cure may take away work that the ideal only shares evenly.
function last_bar(at, ideal) {
  const [name, what] = at > ideal ? ['unexplained', 'no cause has this of the excess']
    : ['beyond the ideal', 'with all of them cured a step is this much shorter than the ideal, which evens out peers and takes no work away'];
  return { name, from: Math.min(at, ideal), to: Math.max(at, ideal), color: no_micro_color, tip: `${name}: ${human_time(Math.abs(at - ideal))}\n${what}` };
}

/// Bars from the measured step to the ideal: each cause takes off what is left of it when those above are
/// cured.
function waterfall_bars(d) {
  let at = d.measured_s;
  const bars = [{ name: 'measured', from: 0, to: at, color: '#d55e00', tip: 'the median step' }];
  for (const cause of d.causes.filter((one) => one.attributed_s > 0)) {
    const to = at;
    at = Math.max(0, at - cause.attributed_s);
    bars.push({ name: `${cause.cause}: ${cause.who}`, from: at, to, color: '#e69f00', tip: `${cause.cause}: ${cause.who}\nby itself it recovers ${human_time(cause.recovered_s)}\nbesides those above ${human_time(cause.attributed_s)}` });
  }
  if (Math.abs(at - d.ideal_s) > 1e-6 * d.measured_s) bars.push(last_bar(at, d.ideal_s));
  return [...bars, { name: 'ideal', from: 0, to: d.ideal_s, color: '#009e73', tip: 'every duration that of its peers' }];
}

function causes_waterfall(d) { return time_bars(waterfall_bars(d), 'causes, from the measured step to the ideal'); }

/// Stage by data rank: how long its passes compute, of the mean.
function rank_heat(d) {
  const stages = d3.max(d.ranks, (r) => r.stage) + 1, data = d3.max(d.ranks, (r) => r.data) + 1;
  const cell = Math.max(4, Math.min(44, 820 / data)), left = 70;
  const worst = Math.max(0.05, d3.max(d.ranks, (r) => Math.abs(r.relative_compute - 1)));
  const color = d3.scaleLinear([1 - worst, 1, 1 + worst], ['#0072b2', '#eef1f5', '#d55e00']).clamp(true);
  const width = left + data * cell + 10, height = stages * cell + 24;
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', 'compute of every rank, of the mean');
  svg.selectAll('rect').data(d.ranks).join('rect').attr('x', (r) => left + r.data * cell).attr('y', (r) => r.stage * cell)
    .attr('width', cell - 1).attr('height', cell - 1).attr('fill', (r) => color(r.relative_compute))
    .on('pointermove', (r) => show_tip(d3.event, `stage ${r.stage}, data rank ${r.data}\ncompute ${human_number(r.relative_compute)} of the mean\nbubble ${human_time(r.breakdown.bubble_s)}, host ${human_time(r.breakdown.host_s)}`)).on('pointerleave', hide_tip);
  for (let stage = 0; stage < stages; ++stage) if (cell > 11) svg.append('text').attr('x', left - 6).attr('y', stage * cell + cell / 2 + 4).attr('text-anchor', 'end').text(`stage ${stage}`);
  svg.append('text').attr('x', left).attr('y', height - 6).attr('class', 'soft').text('data ranks');
  return svg.node();
}

/// The columns of the text, in its order, and remedies. What causes recover is of the mean step.
function causes_table(d) {
  const step = (d.step_times && d3.mean(d.step_times, (s) => s.measured_s)) || d.measured_s;
  const spread = (c) => (c.gain_p10_s === undefined ? '' : `${human_time(c.gain_p10_s)} – ${human_time(c.gain_p90_s)}`);
  return table([
    { name: 'cause', text: true, value: (c) => c.cause },
    { name: 'recovers', value: (c) => c.recovered_s, show: human_time, heat: (c) => c.recovered_s / d.measured_s * 3 },
    { name: 'of a step', value: (c) => c.recovered_s / step, show: human_percent },
    { name: 'attributed', value: (c) => c.attributed_s, show: (s) => (s ? human_time(s) : '-') },
    { name: 'who', text: true, value: (c) => c.who + (c.at_most ? ' (at most)' : '') },
    { name: 'remedy brings', value: (c) => c.remedied_s ?? c.recovered_s, show: human_time },
    { name: 'in eight steps of ten', text: true, value: spread },
    { name: 'remedy', text: true, wide: true, value: (c) => c.remedy || '' },
  ], d.causes);
}

/// Kinds of kernels in a step, each measured above expected where an experiment says it.
function kernel_bars(d) {
  const bar = (kernel, what, seconds, color) => ({ name: what === 'measured' ? kernel.kind : what, from: 0, to: seconds, color, tip: `${kernel.kind}, ${what}: ${human_time(seconds)}` });
  return time_bars(d.kernels.flatMap((one) => [bar(one, 'measured', one.measured_s, '#e69f00'),
    ...(one.predicted_s === undefined ? [] : [bar(one, 'expected', one.predicted_s, '#56b4e9')])]), 'kernels of a step');
}

function kernel_table(d) {
  const signed = (seconds) => (seconds < 0 ? '-' : '+') + human_time(Math.abs(seconds));
  return table([
    { name: 'kernels', text: true, value: (k) => k.kind }, { name: 'measured', value: (k) => k.measured_s, show: human_time },
    { name: 'expected', value: (k) => k.predicted_s, show: human_time },
    { name: 'apart', value: (k) => k.measured_s - k.predicted_s, show: signed, heat: (k) => (k.measured_s - k.predicted_s) / d.measured_s * 5 },
  ], d.kernels);
}

/// Layers of a step, each measured above expected where an experiment says it: those that are furthest
/// apart, or that take longest.
function layer_bars(d) {
  const most = 24, measured = (l) => l.forward_s + l.backward_s, expected = (l) => (l.predicted_forward_s || 0) + (l.predicted_backward_s || 0);
  const expects = d.layers.some((l) => l.predicted_forward_s !== undefined), weight = (l) => Math.abs(measured(l) - (expects ? expected(l) : 0));
  const shown = new Set([...d.layers].sort((a, b) => weight(b) - weight(a)).slice(0, most));
  const bar = (l, name, seconds, color, what) => ({ name, from: 0, to: seconds, color, tip: `${l.name}, ${what}: ${human_time(seconds)}\nforward ${human_time(l.forward_s)}, backward ${human_time(l.backward_s)}` });
  return time_bars(d.layers.filter((l) => shown.has(l) && measured(l) + expected(l) > 0).flatMap((l) => [bar(l, l.name, measured(l), '#e69f00', 'measured'),
    ...(expects ? [bar(l, 'expected', expected(l), '#56b4e9', 'expected')] : [])]), 'layers of a step');
}

/// Since an earlier run: the step, its parts, causes and kernels, each before and after.
function change_table(change) {
  const row = (name, one) => ({ name, ...one });
  const rows = [row('measured', change.measured), row('simulated', change.simulated), row('ideal', change.ideal),
    ...change.breakdown.map((one) => row(one.part, one)), ...change.causes.map((one) => row(`${one.cause}: ${one.who}`, one)),
    ...change.kernels.map((one) => row(`kernel ${one.kernel}`, one))];
  const signed = (seconds) => (seconds < 0 ? '-' : '+') + human_time(Math.abs(seconds));
  return table([
    { name: 'what', text: true, wide: true, value: (r) => r.name }, { name: 'before', value: (r) => r.before_s, show: human_time },
    { name: 'after', value: (r) => r.after_s, show: human_time }, { name: 'change', value: (r) => r.change_s, show: signed },
  ], rows);
}

function show_diagnosis(page, content) {
  const d = page.results, p = d.parallel;
  if (page.advice) content.append(advice_section(page.advice));
  content.append(tiles([['measured step', human_time(d.measured_s)], ['as long as the ideal step', `${human_number(d.slowdown)}×`],
    ['explained', human_percent(d.explained_fraction)], ['schedule', d.schedule],
    ['tensor × pipeline × data', `${p.tensor || 1} × ${p.pipeline} × ${p.data}`], ['micro-batches', String(d.micro_batches)], ['steps', String(d.steps)]]));
  content.append(section('A step', diagnosed_times(d)));
  if (d.causes.length) {
    content.append(section('Causes', causes_waterfall(d), causes_table(d),
      element('p', { class: 'note' }, "'recovers': with that alone cured; 'attributed': besides those above.")));
  }
  if (d.kernels && d.kernels.length) {
    const expects = d.kernels.some((kernel) => kernel.predicted_s !== undefined);
    content.append(section(expects ? 'Kernels against expectation' : 'Kernels of a step', kernel_bars(d), ...(expects ? [kernel_table(d)] : [])));
  }
  if (d.layers && d.layers.length) content.append(section(d.prediction ? 'Layers against expectation' : 'Layers of a step', layer_bars(d)));
  if (d.change) content.append(section(`Since ${d.change.source}`, change_table(d.change)));
  if (d.ranks.length) {
    const parts = diagnosis_parts.map(([name, color, value]) => ({ name, color: color || theme_color('idle'), value: (r) => value(r.breakdown) }));
    content.append(element('div', { class: 'pair' }, section('Compute of every rank', rank_heat(d)),
      section('Where the time of every rank goes', stacked_bars(d.ranks.slice(0, 200), (r) => `data ${r.data}, stage ${r.stage}`, parts, human_time))));
  }
  for (const note of d.notes) content.append(element('p', { class: 'note' }, note));
}
