'use strict';
// Many runs: the best and why, the Pareto front, and all of them.

function objective_shower(key) {
  if (key.endsWith('_per_s') || key.endsWith('_per_device')) return human_rate;
  if (key.endsWith('_s')) return human_time;
  if (key.endsWith('_bytes')) return human_bytes;
  return key === 'mfu' || key === 'hfu' || key.endsWith('_fraction') ? human_percent : human_number;
}

function sweep_value(r, key) { return key === 'peak_memory_bytes' ? d3.max(r.ranks || [], (k) => k.peak_memory_bytes) ?? null : r[key]; }

/// No other run that fits is at most as large in both and smaller in one.
function pareto_of(rows, a, b) {
  const front = new Set();
  let least = Infinity;
  for (const r of rows.slice().sort((p, q) => a(p) - a(q) || b(p) - b(q))) {
    if (b(r) < least) { front.add(r); least = b(r); }
  }
  return front;
}

function show_sweep(page, content) {
  const rows = page.results.results;
  const ran = rows.filter((r) => !r.reason), refused = rows.filter((r) => r.reason);
  for (const line of page.advice.split('\n').filter(Boolean)) content.append(element('section', { class: 'advice' }, line));
  content.append(tiles([['runs', String(ran.length)], ['fit the memory', String(ran.filter((r) => r.feasible).length)], ['could not be', String(refused.length)]]));
  if (ran.length) content.append(...sweep_sections(ran));
  if (refused.length) content.append(refused_section(refused.map((r) => ({ ...r, schedule: settings_text(r) || r.schedule }))));
}

function settings_text(r) { return Object.entries(r.settings || {}).map(([key, v]) => `${key.split('.').pop()} ${v}`).join(', '); }

function sweep_sections(ran) {
  const time = (r) => sweep_value(r, 'iteration_time_s'), memory = (r) => sweep_value(r, 'peak_memory_bytes');
  const front = pareto_of(ran.filter((r) => r.feasible), time, memory);
  const named = (r) => (settings_text(r) ? `${r.schedule}: ${settings_text(r)}` : r.schedule);
  const paths = [...new Set(ran.flatMap((r) => Object.keys(r.settings || {})))];
  const columns = [
    ...paths.map((path) => ({ name: path.split('.').pop(), text: true, value: (r) => r.settings[path] })),
    { name: 'schedule', text: true, value: (r) => r.schedule },
    ...['iteration_time_s', 'peak_memory_bytes', 'bubble_fraction', 'mfu', 'tokens_per_s', 'energy_j', 'cost_usd', 'time_to_train_s'].filter((key) => ran.some((r) => sweep_value(r, key) !== null && sweep_value(r, key) !== undefined))
      .map((key) => ({ name: key.replace(/_(s|bytes|j|usd)$/, '').replaceAll('_', ' '), value: (r) => sweep_value(r, key), show: objective_shower(key) })),
    { name: 'fits', text: true, value: (r) => (r.feasible ? 'yes' : 'NO') },
    { name: 'front', text: true, value: (r) => (front.has(r) ? '★' : '') },
  ];
  const sorted = ran.slice().sort((a, b) => b.feasible - a.feasible || time(a) - time(b));
  return [section('Time and memory: the line joins what nothing beats in both', scatter(ran,
    { name: 'iteration time', value: time, show: human_time }, { name: 'peak memory', value: memory, show: human_bytes },
    { group: (r) => (r.feasible ? 'fits' : 'does not fit'), front: (r) => front.has(r), tip: (r) => `${named(r)}\n${human_time(time(r))}\n${human_bytes(memory(r))}` })),
  section('Runs, the best first', table(columns, sorted))];
}
