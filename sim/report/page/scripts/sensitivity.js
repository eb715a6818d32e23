'use strict';
// What ten per cent more of each resource gains: a bar for each, and what it changes.

/// A bar a row from no gain on. What does not fit has another colour.
function gain_bars(rows, now) {
  const line = 26, left = 190, right = 230, width = page_width(), height = rows.length * line + 30;
  const [low, high] = d3.extent(rows, (r) => r.gain_fraction);
  const x = d3.scaleLinear([Math.min(0, low), Math.max(high, 0.001)], [left, width - right]);
  const change = (r) => (Math.abs(r.gain_fraction) < 0.0005 ? 'nothing' : `${human_percent(r.gain_fraction)}: ${human_time(now)} to ${human_time(r.iteration_time_s)}`);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', 'gains by resource');
  svg.append('g').attr('transform', `translate(0,${height - 26})`).call(round_ticks(d3.axisBottom(x), x, 6, human_percent));
  const row = svg.selectAll('g.gain').data(rows).join('g').attr('class', 'gain').attr('transform', (_, i) => `translate(0,${i * line})`)
    .on('pointermove', (r) => show_tip(d3.event, `10 % more ${r.resource}\n${change(r)}${r.note ? `\n${r.note}` : ''}`)).on('pointerleave', hide_tip);
  row.append('text').attr('x', left - 10).attr('y', line / 2 + 4).attr('text-anchor', 'end').text((r) => r.resource);
  row.append('rect').attr('x', (r) => x(Math.min(0, r.gain_fraction))).attr('y', 3).attr('height', line - 7).attr('width', (r) => Math.max(1, Math.abs(x(r.gain_fraction) - x(0))))
    .attr('fill', (r) => micro_colors[r.feasible ? 0 : 5]);
  row.append('text').attr('x', (r) => x(Math.max(0, r.gain_fraction)) + 7).attr('y', line / 2 + 4).text((r) => `${change(r)}${r.feasible ? '' : ', does not fit'}`);
  return svg.node();
}

function show_sensitivity(page, content) {
  const s = page.results, known = s.rows.filter((r) => r.gain_fraction !== null), best = known[0];
  content.append(advice_section(page.advice));
  content.append(tiles([[`an iteration${range_text(s.uncertainty)}`, human_time(s.iteration_time_s)],
    ...(best ? [[`more work in the same time, by ${best.resource}`, human_percent(best.gain_fraction)]] : []),
    [s.feasible ? 'the memory of the devices' : 'does NOT fit the memory', s.feasible ? 'fits' : 'no', !s.feasible]]));
  const holder = element('div');
  const draw = () => holder.replaceChildren(gain_bars(known, s.iteration_time_s));
  if (known.length) {
    draw();
    theme_listeners.push(draw);
    content.append(section('So much more is done in the same time with ten per cent more of it', holder,
      element('p', { class: 'hint' }, 'A latency is divided by 1.1. Of devices, the gain of the next number of replicas is brought down to ten per cent.')));
  }
  content.append(section('Resources, the largest gain first', table([
    { name: '10 % more of', text: true, value: (r) => r.resource }, { name: 'gains', value: (r) => r.gain_fraction, show: human_percent, heat: (r) => r.gain_fraction / 0.1 },
    { name: 'iteration', value: (r) => r.iteration_time_s, show: human_time }, { name: 'fits', text: true, value: (r) => (r.feasible ? 'yes' : 'NO') },
    { name: 'note', text: true, wide: true, value: (r) => r.note || '' }], s.rows)),
  assumed_section(page.assumed), experiment_section(s));
}
