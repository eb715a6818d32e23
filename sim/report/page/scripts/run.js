'use strict';
// One run: its numbers, timeline, memory, and where the time of every rank and link goes.

function run_tiles(r) {
  const peak = d3.max(r.ranks, (rank) => rank.peak_memory_bytes);
  const list = [[r.flows ? 'from the first flow to the last' : `an iteration${range_text(r.uncertainty)}`, human_time(r.iteration_time_s)]];
  if (r.seeds > 1) list.push([`median of ${r.seeds} draws (p10 ${human_time(r.p10_s)}, p90 ${human_time(r.p90_s)})`, human_time(r.p50_s)]);
  if (r.ranks.length) list.push([r.experiment.trace ? 'a rank waits, in the mean' : 'bubble', human_percent(r.bubble_fraction)]);
  if (r.mfu !== null) list.push(['model FLOP/s utilization, attention counted in full', human_percent(r.mfu)]);
  if (r.tokens_per_s !== null) list.push(['tokens a second', human_rate(r.tokens_per_s)]);
  else if (r.samples_per_s !== null) list.push(['samples a second', human_rate(r.samples_per_s)]);
  if (peak) list.push(r.feasible ? [r.device_memory_bytes ? 'peak memory, fits' : 'peak memory', human_bytes(peak)] : ['peak memory: does NOT fit', human_bytes(peak), true]);
  const exposed = d3.max(r.ranks, (rank) => rank.exposed_communication_s);
  if (exposed) list.push(['most exposed communication', human_time(exposed)]);
  if (r.time_to_train_s) list.push(['time to train', human_time(r.time_to_train_s)]);
  else if (r.goodput_fraction !== undefined && r.experiment.training) list.push(['time to train: no work is kept', 'never', true]);
  if (r.energy_j) list.push(['energy an iteration', d3.format('.3~s')(r.energy_j).replace(/([a-zµ]?)$/i, ' $1J')]);
  if (r.cost_usd) list.push(['cost an iteration', `$ ${human_number(r.cost_usd)}`]);
  return tiles(list);
}

/// What a trace has in place of the passes and the pipeline of a schedule.
const trace_words = { other: 'compute', forward: 'compute', pipeline: 'messages', bubble: 'waiting' };

/// Flows by themselves are of no pipeline.
const traffic_words = { pipeline: 'flows' };

function word_of(r, name) { return (r.flows && traffic_words[name]) || (r.experiment && r.experiment.trace && trace_words[name]) || name; }

/// The places of the accounts that anybody has; of every rank they add up to the iteration.
function rank_parts(r) {
  const of = (key, kind) => (rank) => (kind ? rank.breakdown[key][kind] : rank.breakdown[key]);
  const compute = ['forward', 'backward', 'input_gradient', 'weight_gradient', 'recompute', 'optimizer', 'other'];
  const exposed = ['pipeline', 'tensor', 'data', 'expert', 'context', 'offload'];
  const colors = { ...kind_colors, optimizer: kind_colors.step, other: kind_colors.compute };
  return [
    ...compute.map((kind) => ({ name: word_of(r, kind.replace('_', ' ')), color: colors[kind], value: of('compute_s', kind) })),
    ...exposed.map((kind) => ({ name: `exposed: ${kind}`, color: colors[kind], value: of('exposed_s', kind) })),
    { name: 'host', color: colors.host, value: of('host_s') },
    { name: word_of(r, 'bubble'), color: theme_color('idle'), value: of('bubble_s') },
  ].filter((part) => r.ranks.some((rank) => part.value(rank) > 0));
}

/// The accounts of the mean device as one bar of the whole width, which adds up to an iteration.
function accounts_section(r) {
  const parts = rank_parts({ ranks: [r], experiment: r.experiment }).map((p) => ({ ...p, seconds: p.value(r), share: p.value(r) / r.iteration_time_s }));
  const piece = (p) => element('span', { class: 'piece', style: `flex:${p.share} 0 0;background:${p.color};color:${text_on(p.color)}`,
    title: `${p.name}: ${human_time(p.seconds)}, ${human_percent(p.share)}` }, p.share > 0.035 ? human_percent(p.share) : '');
  const bar = element('div', { class: 'accounts', role: 'img', 'aria-label': parts.map((p) => `${p.name} ${human_percent(p.share)}`).join(', ') }, ...parts.map(piece));
  return section('Where an iteration goes, on the mean device', bar, legend(parts.map((p) => [`${p.name} ${human_time(p.seconds)}`, p.color])));
}

function breakdown_section(r) {
  const holder = element('div');
  const draw = () => holder.replaceChildren(stacked_bars(r.ranks, (rank) => `rank ${rank.rank}`, rank_parts(r), human_time));
  draw();
  theme_listeners.push(draw);
  return section('Where the time of every rank goes', holder);
}

function path_section(r) {
  const parts = Object.entries(r.critical_path).filter(([, seconds]) => seconds > 0)
    .map(([key, seconds]) => ({ what: word_of(r, key.replace(/_s$/, '').replace('_', ' ')), seconds }));
  parts.sort((a, b) => b.seconds - a.seconds);
  const bounds = Object.entries(r.bounds).map(([key, seconds]) => ({ what: key.replace(/_s$/, '').replaceAll('_', ' '), seconds }));
  const columns = (head) => [
    { name: head, text: true, value: (p) => p.what },
    { name: 'time', value: (p) => p.seconds, show: human_time },
    { name: 'of the makespan', value: (p) => p.seconds / r.makespan_s, show: human_percent, heat: (p) => p.seconds / r.makespan_s },
  ];
  return section('What the makespan is made of', table(columns('critical path'), parts), ...host_hint(r), element('h2', { style: 'margin-top:12px' }, 'It cannot be shorter than'), table(columns('bound'), bounds));
}

/// Why spans are longer than what they compute, where they are.
function host_hint(r) {
  return r.breakdown && r.breakdown.host_s > 0
    ? [element('p', { class: 'hint' }, `A pass lasts from its first kernel to its last. Within it the device waits for the host: ${human_time(r.breakdown.host_s)} in an iteration, on the mean device.`)] : [];
}

/// Weight versions and staleness, where a schedule has more than one and any.
function asynchronous_columns(ranks) {
  return ranks.every((k) => k.weight_versions === 1 && k.staleness === 0) ? []
    : [{ name: 'versions', value: (k) => k.weight_versions }, { name: 'staleness, steps', value: (k) => k.staleness }];
}

function rank_section(r, capacity) {
  const most = d3.max(r.ranks, (rank) => rank.peak_memory_bytes) || 1;
  const columns = [
    { name: 'rank', value: (k) => k.rank },
    { name: 'stages', text: true, value: (k) => k.stages.join(', ') },
    { name: 'compute', value: (k) => k.compute_s, show: human_time },
    { name: 'idle', value: (k) => k.idle_s, show: human_time },
    { name: 'idle share', value: (k) => k.idle_s / r.makespan_s, show: human_percent, heat: (k) => k.idle_s / r.makespan_s },
    { name: 'exposed comm.', value: (k) => k.exposed_communication_s, show: human_time },
    { name: 'peak memory', value: (k) => k.peak_memory_bytes, show: human_bytes, heat: (k) => k.peak_memory_bytes / (capacity || most) },
    ...['weights', 'weight_versions', 'gradients', 'optimizer', 'activations', 'buffers'].filter((key) => r.ranks.some((k) => k.memory[key]))
      .map((key) => ({ name: key.replace('_', ' '), value: (k) => k.memory[key], show: human_bytes })),
    { name: 'in flight', value: (k) => k.peak_in_flight },
    ...asynchronous_columns(r.ranks),
  ];
  return section('Ranks', table(columns, r.ranks));
}

function kernel_section(r) {
  const columns = [
    { name: 'kernel', text: true, value: (k) => k.kernel },
    { name: 'shape', text: true, value: (k) => k.shape },
    { name: 'count', value: (k) => k.count },
    { name: 'time', value: (k) => k.time_s, show: human_time },
    { name: 'of the compute', value: (k) => k.share, show: human_percent, heat: (k) => k.share },
    { name: 'bound by', text: true, value: (k) => k.bound },
    { name: 'time from', text: true, value: (k) => k.origin },
  ];
  return section('Kernels of the rank that computes longest', table(columns, r.kernels, { most: 16 }));
}

function link_section(r) {
  const columns = [
    { name: 'link', text: true, value: (l) => l.name },
    { name: 'bytes', value: (l) => l.bytes, show: human_bytes },
    { name: 'busy', value: (l) => l.busy_fraction, show: human_percent, heat: (l) => l.busy_fraction },
  ];
  return section(`Links, the busiest first`, table(columns, r.links, { most: 16 }));
}

/// The busiest link of each tier: links from like to like, either way, are of one.
function tier_section(links) {
  const kinds = (link) => link.name.replace(/\d+/g, '').replace(/ +/g, ' ').split(' > ').map((end) => end.trim()).sort().join(' – ');
  const tiers = d3.nest().key(kinds).entries(links).map(({ key, values }) => ({ tier: key, ...d3.greatest(values, (link) => link.busy_fraction) }));
  return tiers.length < 2 ? '' : section('Traffic by tier: the busiest link of each', table([
    { name: 'tier', text: true, value: (t) => t.tier }, { name: 'its busiest link', text: true, value: (t) => t.name },
    { name: 'bytes', value: (t) => t.bytes, show: human_bytes },
    { name: 'busy', value: (t) => t.busy_fraction, show: human_percent, heat: (t) => t.busy_fraction }], tiers));
}

function communication_section(r) {
  const kinds = Object.entries(r.communication).filter(([, c]) => c.bytes || c.time_s).map(([kind, c]) => ({ kind: word_of(r, kind), ...c }));
  const columns = [
    { name: 'communication', text: true, value: (c) => c.kind },
    { name: 'bytes', value: (c) => c.bytes, show: human_bytes },
  ];
  // Flows have no ranks that could wait for them.
  if (!r.flows) columns.push(
    { name: 'time', value: (c) => c.time_s, show: human_time },
    { name: 'waited for', value: (c) => c.exposed_s, show: human_time },
    { name: 'of the makespan', value: (c) => c.exposed_s / r.makespan_s, show: human_percent, heat: (c) => c.exposed_s / r.makespan_s });
  return kinds.length ? section('Communication', table(columns, kinds)) : '';
}

function flow_section(r) {
  const columns = [
    { name: 'from', value: (f) => f.from }, { name: 'to', value: (f) => f.to },
    { name: 'bytes', value: (f) => f.bytes, show: human_bytes },
    { name: 'start', value: (f) => f.start_s, show: human_time }, { name: 'end', value: (f) => f.end_s, show: human_time },
    { name: 'bytes/s', value: (f) => f.bytes / (f.end_s - f.start_s), show: (v) => (Number.isFinite(v) ? `${human_bytes(v)}/s` : '–') },
  ];
  return section('Flows', table(columns, r.flows, { most: 32 }));
}

/// Lines of a YAML-like text: the experiment, resolved.
function outline(value, indent = '') {
  if (value === null || typeof value !== 'object') return ` ${value}`;
  if (Array.isArray(value) && value.every((v) => v === null || typeof v !== 'object')) return ` [${value.join(', ')}]`;
  return Object.entries(value).map(([key, v]) => `\n${indent}${Array.isArray(value) ? '-' : `${key}:`}${outline(v, `${indent}  `)}`).join('');
}

function experiment_section(r) {
  return element('section', { class: 'long' }, element('details', {}, element('summary', {}, 'The experiment, resolved: running it again gives the same numbers'),
    element('pre', {}, outline(r.experiment).trim()),
    element('div', { class: 'tools' }, copy_button('Copy experiment', outline(r.experiment).trim()))));
}

/// What the times rest on.
function provenance_section(r) {
  const rows = Object.entries(r.provenance || {}).map(([what, from]) => ({ what, from }));
  return rows.length ? section('What the times rest on', table([{ name: 'times of', text: true, value: (p) => p.what }, { name: 'from', text: true, wide: true, value: (p) => p.from }], rows)) : '';
}

/// What was tried and would make a job fit that does not.
function remedy_section(r) {
  if (r.feasible !== false) return '';
  const columns = [
    { name: 'change', text: true, value: (m) => m.set.join(', ') },
    { name: 'iteration time', value: (m) => m.iteration_time_s, show: human_time },
    { name: 'against this one', value: (m) => m.iteration_time_s / r.iteration_time_s - 1, show: (v) => d3.format('+.1%')(v).replace('%', ' %') },
    { name: 'peak memory', value: (m) => m.peak_memory_bytes, show: human_bytes },
  ];
  return r.remedies ? section('It would fit with', table(columns, r.remedies)) : '';
}

/// What the experiment does not say, and what was taken for it.
function assumed_section(assumed) {
  if (!assumed || !assumed.length) return '';
  const list = (entries) => entries.map((e) => element('span', {}, element('b', {}, e.key), ` ${e.value}`));
  const first = assumed.filter((e) => e.matters), others = assumed.filter((e) => !e.matters);
  return section('Assumed: what the experiment does not say', element('div', { class: 'assumed' }, ...list(first)),
    others.length ? element('details', {}, element('summary', {}, `${others.length} more`), element('div', { class: 'assumed' }, ...list(others))) : '');
}

function shown_ranks(data) {
  if (data.shown === data.ranks.length) return [];
  return [element('p', { class: 'hint' }, `The first ${data.shown} of ${data.ranks.length} ranks are shown: they have ${human_number(data.start.length)} spans.`)];
}

function run_sections(r, data, heading = 'Timeline', assumed = []) {
  const parts = [];
  const capacity = data && data.capacity_bytes;
  if (data && data.lanes.length) {
    const view = time_window(data.end_s);
    data.word_of = (name) => word_of(r, name);
    parts.push(section(heading, timeline(data, view), ...host_hint(r), ...shown_ranks(data)));
    if (data.curves.some((c) => c.held.some((h) => h))) parts.push(section('Device memory', memory_parts_chart(data, view, capacity, r.ranks) || '', memory_chart(data, view, capacity)));
  }
  if (r.ranks.length) parts.push(element('div', { class: 'pair' }, breakdown_section(r), path_section(r)), rank_section(r, capacity));
  parts.push(time_tree_section(r, data));
  if (r.kernels.length) parts.push(kernel_section(r));
  const tiers = data ? tier_section(data.links) : '', links = r.links.length ? link_section(r) : '';
  parts.push(element('div', { class: 'pair charts' }, tiers || links, communication_section(r)), tiers && links);
  if (data && r.ranks.length) parts.push(cluster_section(r, data.cluster, capacity));
  if (data && data.links.length) parts.push(graph_section(data.links));
  if (r.flows) parts.push(flow_section(r));
  parts.push(assumed_section(assumed), provenance_section(r), experiment_section(r));
  return parts;
}

function show_run(page, content) {
  const r = page.results;
  const notes = (r.simulation.notes || []).map((note) => element('p', { class: 'note' }, note));
  if (page.advice) content.append(advice_section(page.advice));
  content.append(run_tiles(r), remedy_section(r), ...notes, r.breakdown && r.ranks.length ? accounts_section(r) : '', ...run_sections(r, page.timelines[0], 'Timeline', page.assumed));
}
