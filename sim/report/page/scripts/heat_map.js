'use strict';
// A heat map of the runs of a sweep over two of the settings that it varies. A cell shows the best of
// its runs, by what the reader chooses; a cell whose runs all exceed the memory, or cannot run, says so.

const cell_height = 40, most_heat_values = 24;

/// The settings that differ between runs, each with its values in order: [{name, of, values}].
function varied_settings(rows) {
  const paths = [...new Set(rows.flatMap((r) => Object.keys(r.settings || {})))];
  const axes = paths.map((path) => ({ name: path.split('.').pop(), of: (r) => (r.settings || {})[path] ?? '–' }));
  if (!paths.includes('schedule')) axes.push({ name: 'schedule', of: (r) => r.schedule });
  for (const axis of axes) axis.values = [...new Set(rows.map((r) => String(axis.of(r))))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return axes.filter((axis) => axis.values.length > 1);
}

/// What stands in each cell: its runs, and the best of those that fit.
function heat_cells(rows, across, up, measure) {
  const cells = d3.nest().key((r) => up.of(r)).key((r) => across.of(r)).map(rows);
  return up.values.flatMap((row) => across.values.map((column) => {
    const all = (cells.get(row) && cells.get(row).get(column)) || [];
    const fitting = all.filter((r) => r.feasible && Number.isFinite(measure.value(r)));
    const best = d3.least(fitting, (r) => (measure.gain ? -1 : 1) * measure.value(r)) || null;
    return { row, column, all, best };
  }));
}

function empty_cell_text(cell) {
  return !cell.all.length ? '' : cell.all.every((r) => r.reason) ? 'cannot run' : 'no room';
}

function heat_tip(cell, across, up, measure, named) {
  const lines = [`${up.name} ${cell.row}, ${across.name} ${cell.column}`];
  if (cell.best) lines.push(`${measure.name} ${measure.show(measure.value(cell.best))}`, cell.all.length > 1 ? `the best of ${cell.all.length} runs: ${named(cell.best)}` : named(cell.best));
  else if (cell.all.length) lines.push(cell.all.every((r) => r.reason) ? cell.all[0].reason : 'does not fit the memory');
  else lines.push('not in the study');
  return lines.join('\n');
}

/// Dark is many and bright is few, or the other way round: the best stands out from the page.
function heat_scale(cells, measure) {
  const [low, high] = d3.extent(cells.filter((c) => c.best), (c) => measure.value(c.best));
  const share = (v) => (high > low ? (v - low) / (high - low) : 0);
  return (v) => d3.interpolateCividis(0.12 + 0.83 * (measure.gain ? share(v) : 1 - share(v)));
}

function draw_heat_map(rows, across, up, measure, named) {
  const left = 130, top = 30, width = page_width();
  const cells = heat_cells(rows, across, up, measure), color = heat_scale(cells, measure);
  const x = d3.scaleBand(across.values, [left, width]).padding(0.04), y = d3.scaleBand(up.values, [top, top + up.values.length * cell_height]).padding(0.06);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${y.range()[1] + 4}`).attr('width', width).attr('role', 'img').attr('aria-label', `${measure.name} by ${up.name} and ${across.name}`);
  svg.append('g').selectAll('text').data(across.values).join('text').attr('class', 'soft').attr('x', (v) => x(v) + x.bandwidth() / 2).attr('y', top - 10).attr('text-anchor', 'middle').text((v, i) => `${i ? '' : `${across.name} `}${v}`);
  svg.append('g').selectAll('text').data(up.values).join('text').attr('class', 'soft').attr('x', left - 10).attr('y', (v) => y(v) + y.bandwidth() / 2 + 4).attr('text-anchor', 'end').text((v, i) => `${i ? '' : `${up.name} `}${v}`);
  const cell = svg.append('g').selectAll('g').data(cells).join('g').attr('class', 'heat').attr('transform', (c) => `translate(${x(c.column)},${y(c.row)})`)
    .on('pointermove', (c) => show_tip(d3.event, heat_tip(c, across, up, measure, named))).on('pointerleave', hide_tip);
  cell.append('rect').attr('width', x.bandwidth()).attr('height', y.bandwidth()).attr('rx', 3).attr('fill', (c) => (c.best ? color(measure.value(c.best)) : theme_color('wash')));
  cell.append('text').attr('x', x.bandwidth() / 2).attr('y', y.bandwidth() / 2 + 4).attr('text-anchor', 'middle').attr('class', (c) => (c.best ? null : 'soft'))
    .style('fill', (c) => (c.best ? text_on(color(measure.value(c.best))) : null))
    .text((c) => (x.bandwidth() < 62 ? '' : c.best ? measure.show(measure.value(c.best)) : empty_cell_text(c)));
  return svg.node();
}

/// `measures` are axes of the objectives. Empty where less than two settings vary.
function heat_section(rows, measures, named) {
  const axes = varied_settings(rows).filter((axis) => axis.values.length <= most_heat_values);
  if (axes.length < 2 || !measures.length) return '';
  const holder = element('div'), chosen = [0, 1, 0];
  const draw = () => holder.replaceChildren(chosen[0] === chosen[1] ? element('p', { class: 'hint' }, 'Choose two settings.')
    : draw_heat_map(rows, axes[chosen[0]], axes[chosen[1]], measures[chosen[2]], named));
  const menus = [['across', axes], ['down', axes], ['shown', measures]].map(([label, list], i) => {
    const menu = kept_menu(`heat-${label}`, label, list.map((a) => a.name), chosen[i], (index) => { chosen[i] = index; draw(); });
    chosen[i] = menu.pick.selectedIndex;
    return menu;
  });
  draw();
  theme_listeners.push(draw);
  return section('By two settings: the best run of each cell that fits', element('div', { class: 'tools' }, ...menus), holder,
    element('p', { class: 'hint' }, 'Brighter is better. Hover for what a cell has, and for why it has nothing.'));
}
