'use strict';
// Stacked bars, one a row: where the time of every rank goes.

/// parts: [{name, color, value: row => number}]; label: row => text; show: number => text.
function stacked_bars(rows, label, parts, show) {
  const line = rows.length > 40 ? 9 : 19, left = 120, right = 60, width = 640;
  const height = rows.length * line + 26;
  const most = d3.max(rows, (row) => d3.sum(parts, (p) => Math.max(0, p.value(row)))) || 1;
  const x = d3.scaleLinear([0, most], [left, width - right]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', 'time of every rank by what it does');
  const row = svg.selectAll('g').data(rows).join('g').attr('transform', (_, i) => `translate(0,${i * line})`);
  if (line > 12) row.append('text').attr('x', left - 8).attr('y', line / 2 + 4).attr('text-anchor', 'end').text(label);
  row.each(function (r) {
    let from = 0;
    for (const part of parts) {
      const value = Math.max(0, part.value(r));
      d3.select(this).append('rect').attr('x', x(from)).attr('y', 1).attr('height', line - 3).attr('width', Math.max(0, x(from + value) - x(from)))
        .attr('fill', part.color).on('pointermove', () => show_tip(d3.event, `${label(r)}\n${part.name}: ${show(value)} (${human_percent(value / most)})`)).on('pointerleave', hide_tip);
      from += value;
    }
  });
  svg.append('g').attr('transform', `translate(0,${height - 24})`).call(round_ticks(d3.axisBottom(x), x, 5, show));
  return element('div', {}, legend(parts.map((p) => [p.name, p.color])), svg.node());
}
