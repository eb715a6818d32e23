'use strict';
// Starts the page.

/// "GPT-3, 175B parameters on selene-96 · tensor 8, pipeline 12, data 8 · 1536 sequences": what job it
/// is, as far as the experiment says.
function job_of(experiment) {
  const named = (value) => (typeof value === 'string' ? value.split('/').pop() : value && ((value._name_or_path || '').split('/').pop() || value.name || value.base || value.description || (typeof value.node === 'string' && value.node.split('/').pop()))) || null;
  const { model, cluster, parallel, batch } = experiment;
  const degrees = ['tensor', 'pipeline', 'virtual', 'data', 'context', 'expert', 'zero'].filter((key) => parallel && !experiment.strategy && parallel[key] > (key === 'zero' ? 0 : 1)).map((key) => `${key} ${parallel[key]}`);
  const work = batch && batch.global ? `${batch.global} ${batch.sequence ? `sequences of ${batch.sequence}` : 'samples'}, ${batch.micro} in a micro-batch` : null;
  if (experiment.traffic) return [['Traffic', named(cluster)].filter(Boolean).join(' on ')];
  if (experiment.trace) return [[`A trace of ${Object.values(experiment.trace).filter((v) => typeof v === 'string').join(', ').split('/').pop()}`, named(cluster)].filter(Boolean).join(' on ')];
  return [[named(model) || (model && model.synthetic ? 'a synthetic model' : null), named(cluster)].filter(Boolean).join(' on '), degrees.join(', '), work].filter(Boolean);
}

/// What job an experiment in YAML is, as far as two of its lines say.
function named_in(yaml) {
  const [model, cluster] = ['model', 'cluster'].map((key) => (new RegExp(`^${key}: *([^{\\s].*)$`, 'm').exec(yaml) || [])[1]);
  return [model, cluster].filter(Boolean).map((name) => name.split('/').pop()).join(' on ');
}

/// The job first, where all of a page is about one; then what the page shows of it, when the file was
/// written, and by which version.
function titles_of(page) {
  const { replays = [page.results] } = page.results;
  const result = page.results.experiment ? page.results : replays[0].predicted?.experiment ? replays[0].predicted : (page.results.results || []).find((r) => r.experiment);
  const [named, ...rest] = result ? job_of(result.experiment) : page.results.best ? [named_in(page.results.best.experiment_yaml)] : [];
  const written = new Date(document.lastModified);
  const made = [Number.isNaN(written.getTime()) ? null : written.toISOString().slice(0, 10), document.querySelector('meta[name=generator]').content];
  const heading = (named || page.title).replace(/^a /, 'A ');
  // The degrees of a sweep's runs differ, and schedules have chunks of their own.
  const shared = page.kind === 'sweep' ? [] : page.kind === 'comparison' ? rest.map((text) => text.replace(/(, )?virtual \d+/, '')) : rest;
  return [heading, [named ? page.title : null, ...shared, ...made].filter(Boolean).join(' · ')];
}

async function start_page() {
  const page = JSON.parse(document.getElementById('data').textContent);
  page.timelines = await Promise.all(page.timelines.map(unpack_timeline));
  const show = { run: show_run, comparison: show_comparison, validation: show_validation, sweep: show_sweep, plan: show_plan, replay: show_replay, reproduction: show_reproduction, calibration: show_calibration, diagnosis: show_diagnosis, collective: show_collective, sensitivity: show_sensitivity };
  start_theme();
  const [title, subtitle] = titles_of(page);
  document.getElementById('title').textContent = title;
  if (title !== page.title) document.title = `${page.title}: ${title}`;
  document.getElementById('subtitle').textContent = subtitle;
  show[page.kind](page, document.getElementById('content'));
  document.documentElement.dataset.ready = 'true';
}

start_page();
