'use strict';
// How sure a time is: where four in five real iterations are expected to lie, and the chance that a
// run is the fastest of those beside it.

/// The seconds that runs are judged by: the median where chips or routes are drawn.
const typical_time = (r) => r.p50_s ?? r.iteration_time_s;

/// " (p10 1 s, p90 2 s)" of an uncertainty; empty where there is none.
function range_text(uncertainty) {
  return uncertainty ? ` (p10 ${human_time(uncertainty.p10_s)}, p90 ${human_time(uncertainty.p90_s)})` : '';
}

/// Columns of a table of runs, as far as any run knows them.
function range_columns(rows) {
  const chance = (r) => r.best_probability ?? null;
  const end = (key) => (r) => r.uncertainty?.[key] ?? null;
  return [
    { name: 'iteration, p10', value: end('p10_s'), show: human_time },
    { name: 'iteration, p90', value: end('p90_s'), show: human_time },
    { name: 'is the fastest with', value: chance, show: human_percent, heat: chance },
  ].filter((column) => rows.some((r) => column.value(r) !== null));
}
