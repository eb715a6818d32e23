'use strict';
// Several schedules: which to take, the ranking, and the timeline of the one that is chosen.

function comparison_columns(ran) {
  const fastest = typical_time(ran[0]), knows_mfu = ran.some((r) => r.mfu !== null);
  const is_asynchronous = ran.some((r) => r.ranks.some((k) => k.weight_versions > 1 || k.staleness > 0));
  const bubble = (r) => r.bubble_fraction;
  const most = (key) => (r) => d3.max(r.ranks, (rank) => rank[key]);
  return [
    { name: 'schedule', text: true, value: (r) => r.schedule },
    { name: 'iteration', value: (r) => typical_time(r), show: human_time },
    ...range_columns(ran),
    { name: 'ratio', value: (r) => typical_time(r) / fastest, show: (v) => v.toFixed(3), heat: (r) => typical_time(r) / fastest - 1 },
    { name: 'memory against the fastest', value: (r) => peak_of(r) / peak_of(ran[0]) - 1, show: (v) => (Number.isFinite(v) && Math.abs(v) >= 0.0005 ? `${v > 0 ? '+' : '−'}${human_percent(Math.abs(v))}` : '–') },
    { name: 'bubble', value: bubble, show: human_percent, heat: bubble },
    { name: 'peak memory', value: most('peak_memory_bytes'), show: human_bytes },
    { name: 'in flight', value: most('peak_in_flight') },
    ...(is_asynchronous ? [{ name: 'versions', value: most('weight_versions') }, { name: 'staleness, steps', value: most('staleness') }] : []),
    { name: 'exposed comm.', value: most('exposed_communication_s'), show: human_time },
    ...(knows_mfu ? [{ name: 'MFU', value: (r) => r.mfu, show: human_percent }] : []),
    { name: 'fits', text: true, value: (r) => (!r.feasible ? 'NO' : knows_memory(r) ? 'yes' : '–') },
  ];
}

/// [[kind, colour]] of all that the schedules compute.
function kinds_of(ran) {
  const all = new Set(ran.flatMap((row) => row.timeline.categories));
  return Object.keys(kind_colors).filter((kind) => all.has(kind) && !['pipeline', 'tensor', 'data', 'expert', 'context'].includes(kind))
    .map((kind) => [kind.replace('_', ' '), kind_colors[kind]]);
}

function refused_section(rows) {
  return section('Cannot run', table([
    { name: 'schedule', text: true, value: (r) => r.schedule },
    { name: 'why', text: true, wide: true, value: (r) => r.reason }], rows));
}

function show_comparison(page, content) {
  const rows = page.results.results.map((r, i) => ({ ...r, timeline: page.timelines[i] }));
  const ran = rows.filter((r) => r.timeline).sort((a, b) => typical_time(a) - typical_time(b));
  const refused = rows.filter((r) => !r.timeline);
  if (page.advice) content.append(advice_section(page.advice));
  const below = element('div');
  const advised = ran.find((r) => page.advice.startsWith(`Take ${r.schedule},`)) || ran[0];
  let chosen = ran.find((r) => r.schedule === page_state.get('schedule')) || advised;
  const pick = element('select', { id: 'pick', 'aria-label': 'schedule shown' }, ...ran.map((r) => element('option', {}, r.schedule)));
  const show = (row) => {
    if (row !== chosen) page_state.set('schedule', row === advised ? null : row.schedule);
    chosen = row;
    pick.selectedIndex = ran.indexOf(row);
    theme_listeners.length = listeners;
    below.replaceChildren(...run_sections(row, row.timeline, `Timeline of ${row.schedule}`));
  };
  let listeners = 0;
  const ranking = () => table(comparison_columns(ran), ran, { on_row: show, chosen: (r) => r === chosen });
  if (ran.length) {
    const holder = element('div', {}, ranking());
    pick.onchange = () => { show(ran[pick.selectedIndex]); holder.replaceChildren(ranking()); };
    content.append(section('Ranking', holder, element('p', { class: 'hint' }, 'A row shows its timeline below.')));
    if (ran.length > 1) content.append(together_section(ran), trade_section(ran));
    listeners = theme_listeners.length;
    content.append(element('div', { class: 'tools' }, element('label', {}, 'Shown: ', pick)), below);
    show(chosen);
  }
  if (refused.length) content.append(refused_section(refused));
}
