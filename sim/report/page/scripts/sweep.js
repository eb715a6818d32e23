'use strict';
// Many runs: the best and why, the Pareto front, and all of them.

function objective_shower(key) {
  if (key.endsWith('_per_s') || key.endsWith('_per_device')) return human_rate;
  if (key.endsWith('_s')) return human_time;
  if (key.endsWith('_bytes')) return human_bytes;
  if (key.endsWith('_j') || key.endsWith('_j_per_token')) return human_joules;
  if (key.includes('_usd')) return (v) => (v === null || v === undefined ? '–' : `$ ${d3.format(',.4~r')(v)}`);
  return key === 'mfu' || key === 'hfu' || key.endsWith('_fraction') ? human_percent : human_number;
}

/// What only ranks have is that of the rank that has most of it; where something is drawn, an
/// iteration is that of the median draw, as runs are ordered.
function sweep_value(r, key) {
  if (key === 'iteration_time_s') return typical_time(r) ?? null;
  return r[key] === undefined ? d3.max(r.ranks || [], (k) => k[key]) ?? null : r[key];
}

function is_known(ran, key) { return ran.some((r) => Number.isFinite(sweep_value(r, key))); }

const cost_labels = { cost_usd: 'iteration cost', time_to_train_cost_usd: 'training cost' };

/// As the terminal says it: the unit stands beside the number, but for a rate.
function objective_label(key) {
  if (cost_labels[key]) return cost_labels[key];
  const unit = /_(s|bytes|j|usd)(_per_token)?$/;
  return (key.endsWith('_per_s') ? key : key.replace(unit, '$2')).replaceAll('_', ' ');
}

function objective_axis({ name, gain }) { return { key: name, name: objective_label(name), value: (r) => sweep_value(r, name), show: objective_shower(name), gain }; }

function show_sweep(page, content) {
  const rows = page.results.results;
  const { objectives, best_first, front } = page.judgement;
  rows.forEach((r, i) => { r.front = front[i]; });
  const ran = best_first.map((i) => rows[i]), refused = rows.filter((r) => r.reason);
  content.append(advice_section(page.advice));
  content.append(tiles([['runs', String(ran.length)], ['fit the memory', String(ran.filter((r) => r.feasible).length)], ['cannot run', String(refused.length)], ...best_tiles(ran[0])]));
  if (ran.length) content.append(...sweep_sections(rows, ran, objectives));
  if (refused.length) content.append(reasons_section(refused));
}

/// How long the best takes, and how well it uses its devices.
function best_tiles(best) {
  if (!best) return [];
  const list = [[`an iteration of the best${range_text(best.uncertainty)}`, human_time(typical_time(best))], ['devices of the best', best.devices], ['of them idle', best.idle_devices || null], ['samples a second and device', best.samples_per_s_per_device && human_rate(best.samples_per_s_per_device)],
    ['its model FLOP/s utilization', best.mfu && human_percent(best.mfu)]];
  return list.filter(([, value]) => value).map(([label, value]) => [label, String(value)]);
}

/// What cannot run, by why: runs that fail alike stand together.
function reasons_section(refused) {
  const rows = d3.nest().key((r) => r.reason).entries(refused).map(({ key, values }) => ({ reason: key, runs: values })).sort((a, b) => b.runs.length - a.runs.length);
  const some = (runs) => runs.slice(0, 4).map((r) => settings_text(r) || r.schedule).join('; ') + (runs.length > 4 ? `; and ${runs.length - 4} more` : '');
  return section('What cannot run, and why', table([
    { name: 'why', text: true, wide: true, value: (r) => r.reason }, { name: 'runs', value: (r) => r.runs.length },
    { name: 'which', text: true, wide: true, value: (r) => some(r.runs) }], rows));
}

function settings_text(r) { return Object.entries(r.settings || {}).map(([key, v]) => `${key.split('.').pop()} ${v}`).join(', '); }

/// Two axes at least: those of the objectives, then memory and time.
function sweep_axes(ran, objectives) {
  const others = ['peak_memory_bytes', 'iteration_time_s'].filter((name) => objectives.every((o) => o.name !== name));
  const axes = objectives.filter((o) => is_known(ran, o.name)).map(objective_axis);
  for (const name of others) if (axes.length < 2) axes.push(objective_axis({ name, gain: false }));
  return axes;
}

/// Where memory is an axis: the device's, if it is one for all runs.
function capacity_limit(ran, axis) {
  const all = new Set(ran.map((r) => r.device_memory_bytes));
  const [bytes] = all;
  return axis.key === 'peak_memory_bytes' && all.size === 1 && bytes ? { value: bytes, text: `capacity ${human_bytes(bytes)}` } : null;
}

function sweep_scatter(ran, axes, line, named) {
  const holder = element('div'), shown = axes.slice(0, 2);
  const tip = (r) => [named(r), ...axes.map((a) => `${a.name} ${a.show(a.value(r))}`)].join('\n');
  const draw = () => {
    const points = ran.filter((r) => shown.every((a) => Number.isFinite(a.value(r))));
    holder.replaceChildren(points.length ? scatter(points, ...shown, { wide: true, group: (r) => (r.feasible ? 'fits' : 'does not fit'), front: (r) => r.front, line, tip, named: settings_text, limit: capacity_limit(ran, shown[1]) })
      : element('p', { class: 'hint' }, 'No run has both.'));
  };
  const menu = (i, label) => {
    const made = kept_menu(`scatter-${label}`, label, axes.map((a) => a.name), i, (index) => { shown[i] = axes[index]; draw(); });
    shown[i] = axes[made.pick.selectedIndex];
    return made;
  };
  const menus = axes.length > 2 ? element('div', { class: 'tools' }, menu(0, 'across'), menu(1, 'up')) : '';
  draw();
  return element('div', {}, menus, holder);
}

function front_heading(axes, objectives) {
  if (objectives.length === 1) return `The best ${objective_label(objectives[0].name)} is ringed`;
  if (objectives.length > 2) return `What nothing beats in all ${objectives.length} objectives is ringed`;
  return `${axes.map((a) => a.name).join(' and ').replace(/^./, (c) => c.toUpperCase())}: the line joins what nothing beats in both`;
}

const sweep_columns = ['devices', 'samples_per_s_per_device', 'iteration_time_s', 'peak_memory_bytes', 'bubble_fraction', 'mfu', 'tokens_per_s', 'energy_j', 'cost_usd', 'time_to_train_s'];

/// `ran` has the best first.
function sweep_sections(rows, ran, objectives) {
  const named = (r) => (settings_text(r) ? `${r.schedule}: ${settings_text(r)}` : r.schedule);
  const paths = [...new Set(ran.flatMap((r) => Object.keys(r.settings || {})))];
  const columns = [
    ...paths.map((path) => ({ name: path.split('.').pop(), text: true, value: (r) => r.settings[path] })),
    { name: 'schedule', text: true, value: (r) => r.schedule },
    ...[...new Set([...objectives.map((o) => o.name), ...sweep_columns])].filter((key) => is_known(ran, key)).flatMap((name) => [objective_axis({ name }), ...(name === 'iteration_time_s' ? range_columns(ran) : [])]),
    { name: 'fits', text: true, value: (r) => (!r.feasible ? 'NO' : r.device_memory_bytes && sweep_value(r, 'peak_memory_bytes') ? 'yes' : '–') },
    { name: 'front', text: true, value: (r) => (r.front ? '★' : '') },
  ];
  const axes = sweep_axes(ran, objectives);
  const measures = axes.filter((a) => objectives.some((o) => o.name === a.key));
  return [section(front_heading(axes, objectives), sweep_scatter(ran, axes, objectives.length === 2 && axes.every((a, i) => a.name === objective_label(objectives[i].name)), named)),
    heat_section(rows, measures.length ? measures : axes, named), parallel_section(ran, axes, named), ...scaling_sections(ran), section('Runs, the best first', table(columns, ran))];
}
