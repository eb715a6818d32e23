'use strict';
// The plans that a search simulated and kept, as runs over what they set: for the heat map and the
// parallel coordinates that sweeps have.

const plan_settings = ['tensor', 'pipeline', 'virtual', 'data', 'context', 'expert', 'micro', 'zero', 'recompute'];

/// What an experiment in YAML sets of these, by its lines.
function settings_in(yaml) {
  const found = {};
  for (const key of plan_settings) {
    const line = new RegExp(`^ *${key}: *(\\S+)$`, 'm').exec(yaml);
    if (line) found[key] = line[1];
  }
  const parts = /^recompute:\n +(\w+): *(.+)$/m.exec(yaml);
  if (parts) found.recompute = parts[1] === 'modules' ? `${parts[2].split(',').length} modules` : `${parts[2]} ${parts[1]}`;
  return found;
}

function schedule_in(yaml) { return (/^schedule: *(\w\S*)$/m.exec(yaml) || /^schedule:\n +name: *(\S+)$/m.exec(yaml) || [])[1] || 'as given'; }

/// Candidates as rows of a sweep; what all of them lack is left out.
function candidate_rows(candidates) {
  const rows = candidates.filter((c) => c.iteration_time_s !== null).map((c) => ({ settings: settings_in(c.experiment_yaml), schedule: schedule_in(c.experiment_yaml),
    feasible: c.satisfies, iteration_time_s: c.iteration_time_s, peak_memory_bytes: c.peak_memory_bytes, plan: c.plan, ranks: [] }));
  for (const key of plan_settings) if (rows.some((r) => key in r.settings)) for (const r of rows) r.settings[key] ??= key === 'recompute' ? 'none' : '1';
  return rows.sort((a, b) => a.iteration_time_s - b.iteration_time_s);
}

/// `taken` is the plan that is proposed.
function candidate_sections(candidates, taken) {
  const rows = candidate_rows(candidates);
  if (rows.length < 3) return [];
  const time = objective_axis({ name: 'iteration_time_s', gain: false }), memory = objective_axis({ name: 'peak_memory_bytes', gain: false });
  const named = (r) => `${r.plan}\n${human_time(r.iteration_time_s)}, ${human_bytes(r.peak_memory_bytes)}`;
  for (const r of rows) r.front = r.plan === taken;
  return [parallel_section(rows, [time, memory], named, 'The best plans: what they set, and what came of it'), heat_section(rows, [time, memory], named)];
}
