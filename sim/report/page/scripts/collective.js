'use strict';
// The times of a collective by size: the answer, both curves, the table and the command that asks again.

/// Predicted rows, each with how NCCL does it, and measured ones beside them.
function collective_points(t) {
  const predicted = t.rows.map((r) => ({ ...r, how: r.algorithm ? `${r.algorithm}, ${r.protocol}` : 'predicted', curve: 'predicted', seconds: r.time_s, carried: r.busbw_bytes_per_s }));
  const measured = t.rows.filter((r) => r.measured_s).map((r) => ({ ...r, how: 'measured', curve: 'measured', seconds: r.measured_s, carried: r.busbw_bytes_per_s * r.time_s / r.measured_s }));
  return [...predicted, ...measured];
}

function collective_curve(points, heading, axis) {
  const size = { name: 'size of the buffer', value: (p) => p.bytes, show: human_bytes };
  const tip = (p) => `${human_bytes(p.bytes)}, ${p.how}\n${human_time(p.seconds)}\n${human_bandwidth(p.carried)} on the bus`;
  const holder = element('div');
  const draw = () => holder.replaceChildren(scatter(points, size, axis, { log: true, wide: true, group: (p) => p.how, joined: (p) => p.curve, tip }));
  draw();
  theme_listeners.push(draw);
  return section(heading, holder);
}

function collective_columns(t) {
  const known = (key) => t.rows.some((r) => r[key] !== null && r[key] !== undefined);
  const columns = [
    { name: 'size', value: (r) => r.bytes, show: human_bytes }, { name: 'elements', value: (r) => r.elements, show: (v) => d3.format(',')(v) },
    { name: 'time', value: (r) => r.time_s, show: human_time },
    { name: 'p50 over routes', key: 'p50_s', value: (r) => r.p50_s, show: human_time }, { name: 'p95 over routes', key: 'p95_s', value: (r) => r.p95_s, show: human_time },
    { name: 'size over time', value: (r) => r.algbw_bytes_per_s, show: human_bandwidth }, { name: 'on the bus', value: (r) => r.busbw_bytes_per_s, show: human_bandwidth },
    { name: 'algorithm', key: 'algorithm', text: true, value: (r) => r.algorithm }, { name: 'protocol', key: 'protocol', text: true, value: (r) => r.protocol },
    { name: 'channels', key: 'channels', value: (r) => r.channels },
    { name: 'measured', key: 'measured_s', value: (r) => r.measured_s, show: human_time }, { name: 'error', key: 'error', value: (r) => r.error, show: human_percent },
    { name: '', text: true, value: (r) => (r.extrapolated ? 'extrapolated' : '') },
  ];
  return columns.filter((c) => !c.key || known(c.key));
}

/// The errors of rows that were measured, as one text.
function collective_error(t) {
  const errors = t.rows.filter((r) => r.error !== null).map((r) => Math.abs(r.error));
  return errors.length ? [['median error against what was measured', human_percent(d3.median(errors))]] : [];
}

function show_collective(page, content) {
  const t = page.results, last = t.rows[t.rows.length - 1];
  if (page.advice) content.append(advice_section(page.advice));
  content.append(tiles([[`take part, on ${counted(t.nodes, 'node')}`, counted(t.ranks, 'device')],
    ...(last ? [[`${human_bytes(last.bytes)}${last.p50_s ? ` (p50 ${human_time(last.p50_s)}, p95 ${human_time(last.p95_s)})` : ''}`, human_time(last.time_s)],
      ['the bus carries at best', human_bandwidth(d3.max(t.rows, (r) => r.busbw_bytes_per_s))]] : []), ...collective_error(t)]));
  const points = collective_points(t);
  if (points.length > 1) {
    content.append(collective_curve(points, 'Time over the size', { name: 'time', value: (p) => p.seconds, show: human_time }),
      collective_curve(points, 'What the bus carries, over the size', { name: 'bus bandwidth', value: (p) => p.carried, show: human_bandwidth }));
  }
  content.append(section('Sizes', table(collective_columns(t), t.rows)),
    section('What the times rest on', element('div', { class: 'assumed' }, element('span', {}, element('b', {}, 'profile'), ` ${t.profile}`), element('span', {}, element('b', {}, 'elements'), ` ${t.type}`),
      element('span', {}, element('b', {}, 'sizes and bandwidths'), ' as nccl-tests defines them'))),
    section('To ask again', element('pre', {}, page.judgement.command), element('div', { class: 'tools' }, copy_button('Copy command', page.judgement.command))));
}
