'use strict';
// The timeline as it is seen, as a picture for papers: light, sharp at any size, text as text.

function escape_xml(text) { return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`); }

function timeline_svg(state, width) {
  const { data, view, layout } = state;
  const x = tick_scale(data, view, width);
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${layout.height}" viewBox="0 0 ${width} ${layout.height}" font-family="Helvetica, Arial, sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>'];
  const number = (n) => String(Math.round(n * 100) / 100);
  const scale = d3.scaleLinear([view.from, view.to], [label_width, width]);
  for (const [time, text] of time_ticks(scale, width - label_width))
    parts.push(`<text x="${number(Math.min(scale(time), width - 24))}" y="12" text-anchor="middle" fill="#555">${text}</text><path d="M${number(scale(time))} 17V${layout.height}" stroke="#ddd"/>`);
  for (const row of layout.rows) {
    if (row.label) parts.push(`<text x="6" y="${row.y + row.height / 2 + 4}">${escape_xml(row.label)}</text>`);
    each_visible(data, row.lane, x, view.from / data.tick_s, view.to / data.tick_s, (i, x0, x1, next) => {
      const share = next ? d3.sum(shares_of_pixel(data, i, next, x.per_tick, state.by_micro), (part) => part[1]) : 1;
      const left = Math.max(x0, label_width), wide = Math.max(0.05, (Math.min(x1, width) - left) * share);
      const color = span_color(data, i, state.by_micro);
      const dim = is_dimmed(state, i) ? ' opacity=".2"' : '';
      const name = span_name(data, i);
      parts.push(`<rect x="${number(left)}" y="${row.y}" width="${number(wide)}" height="${row.height}" fill="${color}"${dim} stroke="#fff" stroke-width=".4"/>`);
      if (state.shows_critical && data.is_critical[i] && !dim) parts.push(`<rect x="${number(left)}" y="${row.y + row.height - 2}" width="${number(wide)}" height="2"/>`);
      if (row.height > 12 && wide > name.length * 6.4 + 4 && !dim)
        parts.push(`<text x="${number(left + wide / 2)}" y="${row.y + row.height / 2 + 4}" text-anchor="middle" fill="${text_on(color)}">${escape_xml(name)}</text>`);
    });
  }
  return parts.join('\n') + '\n</svg>\n';
}
