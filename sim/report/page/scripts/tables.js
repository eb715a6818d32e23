'use strict';
// Tables that sort by any column and copy as tab-separated text.
//
// A column is {name, value: row => number or text, show: value => text, text: left-aligned,
// heat: row => 0..1, wide: wraps}.

function cell(column, row) {
  const value = column.value(row);
  const shown = column.show ? column.show(value) : value === null || value === undefined ? '–' : String(value);
  const made = element('td', { class: [column.text && 'text', column.wide && 'wide'].filter(Boolean).join(' ') || null }, shown);
  if (column.heat) made.style.background = `rgba(var(--heat), ${(0.75 * Math.max(0, Math.min(1, column.heat(row)))).toFixed(3)})`;
  return made;
}

/// Missing values come last whichever way it is sorted.
function compared(a, b, down) {
  const missing = (v) => v === null || v === undefined || Number.isNaN(v);
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
  return down ? -order : order;
}

function table(columns, rows, { most = 64, on_row = null, chosen = () => false } = {}) {
  const body = element('tbody');
  const more = element('button', { type: 'button', class: 'more' }, `all ${rows.length} rows`);
  let sorted = rows.slice(), limit = most;

  function fill() {
    body.replaceChildren(...sorted.slice(0, limit).map((row) => {
      const line = element('tr', { class: chosen(row) ? 'chosen' : null, tabindex: on_row ? 0 : null }, ...columns.map((c) => cell(c, row)));
      if (on_row) {
        line.style.cursor = 'pointer';
        line.onclick = () => { on_row(row); fill(); };
        line.onkeydown = (event) => { if (event.key === 'Enter') line.click(); };
      }
      return line;
    }));
    more.hidden = limit >= rows.length;
  }

  const heads = columns.map((column) => {
    const head = element('th', { scope: 'col', class: column.text ? 'text' : null }, element('button', { type: 'button' }, column.name));
    head.firstChild.onclick = () => {
      const down = head.getAttribute('aria-sort') ? head.getAttribute('aria-sort') === 'ascending' : !column.text;
      heads.forEach((h) => h.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      sorted = rows.slice().sort((a, b) => compared(column.value(a), column.value(b), down));
      fill();
    };
    return head;
  });
  more.onclick = () => { limit = rows.length; fill(); };

  const copy = element('button', { type: 'button', class: 'copy' }, 'Copy table');
  copy.onclick = () => {
    const lines = [columns.map((c) => c.name), ...sorted.map((row) => columns.map((c) => c.value(row) ?? ''))];
    copy_text(lines.map((line) => line.join('\t')).join('\n')).then(() => {
      copy.textContent = 'Copied';
      setTimeout(() => { copy.textContent = 'Copy table'; }, 1200);
    });
  };
  fill();
  return element('div', {},
    element('div', { class: 'table' }, element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body)),
    element('div', { class: 'tools', style: 'margin:8px 0 0' }, copy, more));
}
