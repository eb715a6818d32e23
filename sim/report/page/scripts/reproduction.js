'use strict';
// Published claims: what each says, what comes out here, and why they differ.

function said_ratio(claim) { return `${claim.sense === 'about' ? '' : `${claim.sense} `}${human_number(claim.claimed)}×`; }
function ratio_text(ratio) { return ratio === null || ratio === undefined ? '–' : `${human_number(ratio)}×`; }

function claim_shower(claim) {
  return claim.quantity.endsWith('_s') && !claim.quantity.includes('_per_') ? human_time
    : claim.quantity.endsWith('_bytes') ? human_bytes : human_number;
}

function claims_overview(papers) {
  const rows = papers.flatMap((paper) => paper.claims.map((claim) => ({ paper, claim })));
  return section('Claims', table([
    { name: 'paper', text: true, value: (r) => r.paper.name },
    { name: 'claim', text: true, value: (r) => r.claim.name },
    { name: 'basis', text: true, value: (r) => r.claim.basis },
    { name: 'claimed', value: (r) => r.claim.claimed, show: ratio_text },
    { name: 'here', value: (r) => r.claim.ratio, show: ratio_text },
    { name: 'of the gain', value: (r) => r.claim.gain_share, show: (v) => (v ?? null) === null ? '–' : human_percent(v) },
    { name: 'verdict', text: true, value: (r) => r.claim.verdict },
  ], rows));
}

/// A bar a case from its ratio, and a line at what is claimed.
function case_bars(claim) {
  const bars = [...claim.cases.map((c) => ({ name: c.name || 'as given', ratio: c.ratio, varied: false })),
    ...claim.variations.map((v) => ({ name: `with ${v.assumption}`, ratio: v.ratio, varied: true }))].filter((b) => b.ratio);
  if (!bars.length) return '';
  const line = 22, left = 300, right = 70, width = page_width(), height = bars.length * line + 30;
  // A gain is what a ratio is beyond one: bars begin there, and lead left where something is lost.
  const ends = d3.extent([1, claim.claimed, ...bars.map((b) => b.ratio)]), room = (ends[1] - ends[0] || 1) * 0.06;
  const x = d3.scaleLinear([ends[0] < 1 ? ends[0] - room : 1, ends[1] + room], [left, width - right]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-label', `${claim.name}: ratio of every case`);
  const row = svg.selectAll('g').data(bars).join('g').attr('transform', (_, i) => `translate(0,${i * line})`);
  row.append('text').attr('x', left - 8).attr('y', line / 2 + 4).attr('text-anchor', 'end').text((b) => (b.name.length > 44 ? `${b.name.slice(0, 43)}…` : b.name)).append('title').text((b) => b.name);
  row.append('rect').attr('x', (b) => x(Math.min(1, b.ratio))).attr('y', 2).attr('height', line - 5).attr('width', (b) => Math.abs(x(b.ratio) - x(1))).attr('fill', (b) => micro_colors[b.varied ? 1 : 0]);
  svg.append('path').attr('d', `M${x(claim.claimed)},0V${height - 26}`).attr('stroke', 'currentColor').attr('stroke-dasharray', '5 4');
  svg.append('g').attr('transform', `translate(0,${height - 26})`).call(d3.axisBottom(x).ticks(6).tickFormat((v) => `${human_number(v)}×`));
  svg.append('g').selectAll('text').data(bars).join('text').attr('x', (b) => x(b.ratio) + 5).attr('y', (_, i) => i * line + line / 2 + 4).attr('class', 'halo').text((b) => ratio_text(b.ratio));
  return element('div', {}, svg.node(), element('p', { class: 'hint' }, `Dashed: claimed, ${said_ratio(claim)}.`));
}

function claim_section(claim) {
  const show = claim_shower(claim);
  const list = (heading, texts) => texts.length ? element('div', {}, element('h3', {}, heading), element('ul', {}, ...texts.map((t) => element('li', {}, t)))) : '';
  const cases = table([
    { name: 'case', text: true, value: (c) => c.name || 'as given' },
    { name: 'system', text: true, value: (c) => c.system }, { name: objective_label(claim.quantity), value: (c) => c.system_value, show: (v) => show(v ?? null) },
    { name: 'baseline', text: true, value: (c) => c.baseline }, { name: `${objective_label(claim.quantity)} `, value: (c) => c.baseline_value, show: (v) => show(v ?? null) },
    { name: 'ratio', value: (c) => c.ratio, show: ratio_text },
    ...(claim.cases.some((c) => c.reason) ? [{ name: 'why not', text: true, wide: true, value: (c) => c.reason || '' }] : [])], claim.cases);
  return section(claim.name,
    element('p', {}, `${claim.claim}${claim.source ? ` (${claim.source})` : ''}`),
    tiles([['claimed', said_ratio(claim)], ['here', ratio_text(claim.ratio)], ['of the gain', (claim.gain_share ?? null) === null ? '–' : human_percent(claim.gain_share)],
      ['basis', claim.basis], ['tolerance', human_percent(claim.tolerance)],
      ['verdict', claim.verdict, claim.verdict === 'contradicted']]),
    case_bars(claim), claim.cases.length ? cases : '',
    list('Assumed, for the source does not say', claim.assumptions),
    claim.because ? element('p', {}, claim.because) : '');
}

function show_reproduction(page, content) {
  const { papers } = page.results;
  content.append(claims_chart(papers));
  if (papers.length > 1) content.append(claims_overview(papers));
  for (const paper of papers) {
    content.append(section(`${paper.name}: ${paper.description}`, element('p', {}, paper.source),
      paper.feature ? element('p', {}, 'In an experiment of your own: ', element('code', {}, paper.feature)) : ''));
    for (const claim of paper.claims) content.append(claim_section(claim));
  }
}
