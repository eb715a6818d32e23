'use strict';
// Claims as gains: what is claimed beside what comes out here, with the interval of its cases and of
// what is varied.

const verdict_colors = { reproduced: '#009e73', contradicted: '#d55e00' };
const no_verdict_color = '#8a94a3';

/// Least and most ratio of a claim's cases and variations.
function interval_of(claim) {
  const [low, high] = d3.extent([...claim.cases, ...claim.variations].map((c) => c.ratio).concat(claim.ratio).filter(Number.isFinite));
  return low === undefined ? null : { low, high };
}

function claim_tip({ paper, claim }, interval) {
  const lines = [`${paper.name}: ${claim.name}`, claim.claim, `claimed ${said_ratio(claim)}, here ${ratio_text(claim.ratio)}: ${claim.verdict}`];
  if (interval.low < interval.high) lines.push(`cases and variations from ${ratio_text(interval.low)} to ${ratio_text(interval.high)}`);
  return lines.join('\n');
}

/// Ticks of ratios at 1, 2 and 5; none of them where the range is short, then round steps.
function ratio_ticks(x) {
  const [low, high] = x.domain();
  return high / low > 8 ? log_ticks(low, high, human_number).map(([v]) => v) : d3.ticks(low, high, 8);
}

function draw_claims(rows) {
  const line = 22, left = 290, right = 30, width = page_width(), height = rows.length * line + 34;
  const ends = rows.flatMap((r) => [r.interval.low, r.interval.high, r.claim.claimed]).filter((v) => v > 0);
  const x = d3.scaleLog([Math.min(1, d3.min(ends)) / 1.08, d3.max(ends) * 1.08], [left, width - right]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', 'claimed and simulated gains of every claim');
  const axis = d3.axisBottom(x).tickValues(ratio_ticks(x)).tickFormat((v) => `${human_number(v)}×`).tickSize(-(height - 34));
  svg.append('g').attr('transform', `translate(0,${height - 30})`).call(axis);
  svg.append('path').attr('d', `M${x(1)},0V${height - 30}`).attr('stroke', 'currentColor').attr('opacity', 0.6);
  const row = svg.append('g').selectAll('g').data(rows).join('g').attr('class', 'claim').attr('transform', (_, i) => `translate(0,${i * line + line / 2})`)
    .on('pointermove', (r) => show_tip(d3.event, claim_tip(r, r.interval))).on('pointerleave', hide_tip);
  const color = (r) => verdict_colors[r.claim.verdict] || no_verdict_color;
  row.append('rect').attr('x', 0).attr('y', -line / 2).attr('width', width).attr('height', line).attr('fill', 'transparent');
  row.append('text').attr('x', left - 12).attr('y', 4).attr('text-anchor', 'end').text((r) => shortened(`${r.paper.name}: ${r.claim.name}`, 42));
  row.append('path').attr('d', (r) => `M${x(r.interval.low)},0H${x(r.interval.high)}`).attr('stroke', color).attr('stroke-width', 3).attr('stroke-linecap', 'round').attr('opacity', 0.55);
  row.append('circle').attr('cx', (r) => x(r.claim.ratio)).attr('r', 5).attr('fill', color);
  row.append('path').attr('d', (r) => d3.symbol().type(d3.symbolDiamond).size(64)()).attr('transform', (r) => `translate(${x(r.claim.claimed)},0)`).attr('fill', 'none').attr('stroke', 'currentColor').attr('stroke-width', 1.6);
  return svg.node();
}

function shortened(text, most) { return text.length > most ? `${text.slice(0, most - 1)}…` : text; }

/// Empty of less than two claims that have a ratio.
function claims_chart(papers) {
  const rows = papers.flatMap((paper) => paper.claims.map((claim) => ({ paper, claim, interval: interval_of(claim) })))
    .filter((r) => r.interval && r.claim.ratio > 0 && r.claim.claimed > 0);
  if (rows.length < 2) return '';
  const found = [...new Set(rows.map((r) => r.claim.verdict))];
  return section('Gains claimed, and gains here', legend(found.map((v) => [v, verdict_colors[v] || no_verdict_color])), draw_claims(rows),
    element('p', { class: 'hint' }, 'Diamond: claimed. Dot: here. Bar: from the least to the most of the cases and of what was varied.'));
}
