'use strict';
// What planners proposed: which to take, time and memory of all, what each said and what simulating
// it gave.

const plan_times = (p) => p.iteration_time_s !== null;

/// What a planner that looks for a frontier found on it, as simulated.
function frontier_points(p) {
  return (p.simulated_frontier || []).map((point) => ({ planner: p.planner, plan: point.plan, group: `${p.planner}, its frontier`, time: point.iteration_time_s, memory: point.peak_memory_bytes }));
}

function plan_points(proposals) {
  const simulated = proposals.filter(plan_times).map((p) => ({ planner: p.planner, plan: p.plan, proposal: p,
    group: !p.feasible ? 'does not fit' : p.satisfies ? 'simulated' : 'beyond a limit', time: p.iteration_time_s, memory: p.peak_memory_bytes }));
  return [...simulated, ...proposals.flatMap(frontier_points)];
}

/// No other plan that fits is at most as large in both and smaller in one.
function pareto_of(rows, a, b) {
  const front = new Set();
  let least = Infinity;
  for (const r of rows.slice().sort((p, q) => a(p) - a(q) || b(p) - b(q))) {
    if (b(r) < least) { front.add(r); least = b(r); }
  }
  return front;
}

/// What the estimate of a planner is beyond what was simulated.
const plan_error = (p) => (plan_times(p) && p.estimate_s !== null ? p.estimate_s / p.iteration_time_s - 1 : null);

/// The best plans of all planners, the best first, where several were asked for.
function top_section(top) {
  return section(`The ${top.length} best plans: those whose times cannot be told apart share a place`, table([
    { name: 'place', value: (p) => p.rank ?? null },
    { name: 'planner', text: true, value: (p) => p.planner },
    { name: 'plan', text: true, wide: true, value: (p) => p.plan },
    { name: 'simulated', value: (p) => p.iteration_time_s, show: human_time },
    ...range_columns(top),
    { name: 'peak memory', value: (p) => p.peak_memory_bytes, show: human_bytes },
    { name: 'devices', value: (p) => p.devices },
    { name: 'its estimate', value: (p) => p.estimate_s, show: human_time },
    { name: 'its error', value: plan_error, show: human_percent },
  ], top));
}

function plan_columns(proposals, best, front) {
  return [
    { name: 'planner', text: true, value: (p) => p.planner },
    { name: 'plan', text: true, wide: true, value: (p) => p.plan || 'none' },
    { name: 'its estimate', value: (p) => p.estimate_s, show: human_time },
    { name: 'simulated', value: (p) => p.iteration_time_s, show: human_time },
    ...range_columns(proposals),
    { name: 'its error', value: plan_error, show: human_percent },
    { name: 'peak memory', value: (p) => p.peak_memory_bytes, show: human_bytes },
    { name: 'devices', value: (p) => p.devices },
    { name: 'fits', text: true, value: (p) => (!plan_times(p) ? '–' : !p.feasible ? 'NO' : p.satisfies ? 'yes' : 'beyond a limit') },
    { name: 'search', value: (p) => p.simulation.search_s, show: human_time },
    { name: 'front', text: true, value: (p) => (front.has(p) ? '★' : '') },
    { name: '', text: true, value: (p) => (best && p.planner === best.planner ? 'best' : '') },
  ];
}

function show_plan(page, content) {
  const { proposals, best, top } = page.results;
  const ran = proposals.filter(plan_times);
  content.append(advice_section(page.advice));
  content.append(tiles([[ran.length === 1 ? 'proposal' : 'proposals', String(ran.length)], [ran.length === 1 ? 'fits and keeps the limits' : 'fit and keep the limits', String(ran.filter((p) => p.satisfies).length), !best],
    [`the best${best ? range_text(best.uncertainty) : ''}`, best ? human_time(best.iteration_time_s) : '–'], ['all searches', human_time(d3.sum(proposals, (p) => p.simulation.search_s))]]));
  const points = plan_points(proposals);
  const fitting = points.filter((p) => p.proposal && p.proposal.feasible);
  const front = pareto_of(fitting, (p) => p.time, (p) => p.memory);
  if (points.length > 1) {
    content.append(section('Time and memory: the line joins simulated plans that nothing beats in both', scatter(points,
      { name: 'iteration time', value: (p) => p.time, show: human_time }, { name: 'peak memory', value: (p) => p.memory, show: human_bytes },
      { wide: true, group: (p) => p.group, front: (p) => front.has(p), tip: (p) => `${p.planner}: ${p.plan}\n${human_time(p.time)}${range_text(p.proposal?.uncertainty)}\n${human_bytes(p.memory)}` })));
  }
  content.append(...candidate_sections(page.judgement || [], best?.plan));
  // What sets planners apart means nothing of one.
  const columns = plan_columns(proposals, best, new Set([...front].map((p) => p.proposal))).filter((c) => proposals.length > 1 || !['planner', 'search', 'front', 'is the fastest with', ''].includes(c.name));
  content.append(section('What each planner proposes, and what became of it', table(columns, proposals)));
  if (top) content.append(top_section(top));
  const said = proposals.filter((p) => p.reason || p.note).map((p) => ({ planner: p.planner, says: [p.reason, p.note].filter(Boolean).join('; ') }));
  if (said.length) content.append(section('What else there is to say', table([
    { name: 'planner', text: true, value: (p) => p.planner }, { name: 'note', text: true, wide: true, value: (p) => p.says }], said)));
  if (best) content.append(section('The best, as an experiment', experiment_text(best)));
}

function experiment_text(best) {
  return element('div', {}, element('pre', {}, best.experiment_yaml), element('div', { class: 'tools' }, copy_button('Copy experiment', best.experiment_yaml)));
}
