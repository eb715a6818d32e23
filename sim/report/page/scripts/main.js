'use strict';
// Starts the page.

function subtitle_of(page) {
  const result = page.results.experiment ? page.results : (page.results.results || []).find((r) => r.experiment);
  if (!result) return '';
  const named = (value) => (typeof value === 'string' ? value : value && value.name) || null;
  const { model, cluster } = result.experiment;
  return [named(model), named(cluster)].filter(Boolean).join(' on ');
}

async function start_page() {
  const page = JSON.parse(document.getElementById('data').textContent);
  page.timelines = await Promise.all(page.timelines.map(unpack_timeline));
  const show = { run: show_run, comparison: show_comparison, validation: show_validation, sweep: show_sweep, plan: show_plan, replay: show_replay, reproduction: show_reproduction, calibration: show_calibration };
  start_theme();
  document.getElementById('title').textContent = page.title;
  document.getElementById('subtitle').textContent = subtitle_of(page);
  show[page.kind](page, document.getElementById('content'));
  document.documentElement.dataset.ready = 'true';
}

start_page();
