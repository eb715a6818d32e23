'use strict';
// Predictions against measurements: a point a run, on the diagonal where they agree.

const validation_quantities = [
  ['iteration_time_s', 'iteration time', human_time], ['samples_per_s', 'samples a second', human_rate],
  ['peak_memory_bytes', 'peak memory', human_bytes],
];

function group_table(results) {
  const groups = [...Object.entries(results.groups).map(([name, g]) => ({ name: g.title || name, ...g })), { name: 'all groups', ...results.overall }];
  const error = (name, key) => ({ name, value: (g) => g[key], show: human_percent, heat: (g) => (g[key] || 0) * 2 });
  return table([
    { name: 'group', text: true, wide: true, value: (g) => g.name },
    { name: 'predicted', value: (g) => g.predicted }, { name: 'runs', value: (g) => g.runs },
    error('median error', 'median_abs_error'), error('90th percentile', 'p90_abs_error'), error('mean', 'mean_abs_error'),
    error('memory, median', 'memory_median_abs_error'),
    { name: 'rank correlation', value: (g) => g.rank_correlation, show: human_number },
    error('regret', 'regret'),
    { name: 'out of memory told', value: (g) => g.oom_recall, show: human_percent },
    { name: 'told falsely', value: (g) => g.false_oom, show: human_percent },
  ].filter((c) => groups.some((g) => (c.value(g) ?? null) !== null)), groups);
}

/// How far off a prediction is, in words: with dozens of groups of runs, colours tell no more.
function error_band(error) {
  return Math.abs(error) <= 0.1 ? 'off by 10 % at most' : Math.abs(error) <= 0.25 ? 'by 25 % at most' : 'by more';
}

function validation_scatter(runs, [key, name, show]) {
  const points = runs.filter((r) => r.predicted && r.measured[key] && r.predicted[key]).sort((a, b) => Math.abs(a.error[key]) - Math.abs(b.error[key]));
  if (!points.length) return '';
  return section(`${name[0].toUpperCase()}${name.slice(1)}: predicted against measured`, scatter(points,
    { name: `measured ${name}`, value: (r) => r.measured[key], show },
    { name: `predicted ${name}`, value: (r) => r.predicted[key], show },
    { group: (r) => error_band(r.error[key]), log: true, diagonal: true, tip: (r) => `${r.name}\n${r.group}\npredicted ${show(r.predicted[key])}\nmeasured ${show(r.measured[key])}\nerror ${human_percent(r.error[key])}` }));
}

function show_validation(page, content) {
  const { results } = page, all = results.overall;
  for (const run of results.runs) run.group = results.groups[run.group]?.title || run.group;
  content.append(tiles([['runs predicted', `${all.predicted} of ${all.runs}`], ['median error', human_percent(all.median_abs_error)],
    ['90th percentile', human_percent(all.p90_abs_error)], ['rank correlation', human_number(all.rank_correlation)],
    ...((all.coverage ?? null) === null ? [] : [['of measured times lie in the predicted range, 80 % should', human_percent(all.coverage)]])]));
  const pair = element('div', { class: 'pair charts' });
  for (const quantity of validation_quantities) pair.append(validation_scatter(results.runs, quantity));
  content.append(pair, section('Groups', group_table(results)));
  const columns = [{ name: 'run', text: true, value: (r) => r.name }, { name: 'group', text: true, value: (r) => r.group }];
  for (const [key, name, show] of validation_quantities) {
    if (!results.runs.some((r) => r.measured[key])) continue;
    columns.push({ name: `${name}, predicted`, value: (r) => r.predicted?.[key], show: (v) => show(v ?? null) },
      { name: 'measured', value: (r) => r.measured[key], show: (v) => show(v ?? null) },
      { name: 'error', value: (r) => r.error?.[key], show: human_percent, heat: (r) => Math.abs(r.error?.[key] || 0) * 2 });
  }
  if (results.runs.some((r) => r.reason)) columns.push({ name: 'not predicted because', text: true, wide: true, value: (r) => r.reason });
  content.append(section('Runs', table(columns, results.runs)));
}
