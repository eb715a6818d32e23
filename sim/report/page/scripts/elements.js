'use strict';
// Small pieces of pages. Text goes in as text, never as HTML.

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) made[key] = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

function section(heading, ...children) {
  return element('section', {}, element('h2', {}, heading), ...children);
}

/// A number does not part from its unit at the end of a line.
function kept_units(text) { return text.replace(/(\d) (?=(?:%|d|h|min|[mµn]?s|[KMGTP]?i?B|[kMG]?J)(?![a-z]))/g, '$1\u00a0'); }

/// The answer, and below it what else there is to say, a line each.
function advice_section(text) {
  return element('section', { class: 'advice' }, ...text.split('\n').filter(Boolean).map((line) => element('p', {}, kept_units(line))));
}

/// The width of a picture across the page, so that its texts are as large as those around it.
function page_width() { return Math.max(640, Math.min(1320, document.documentElement.clientWidth - 110)); }

/// "1 run", "2 runs".
function counted(count, noun) { return `${count} ${noun}${count === 1 ? '' : 's'}`; }

/// [label, value, bad]
function tiles(list) {
  return element('div', { class: 'tiles' }, ...list.map(([label, value, bad]) =>
    element('div', { class: bad ? 'tile bad' : 'tile' }, element('b', {}, value), element('span', {}, label))));
}

/// [[text, colour]]
function legend(entries) {
  return element('div', { class: 'legend' }, ...entries.map(([text, color]) =>
    element('span', {}, element('i', { style: `background:${color}` }), text)));
}

function show_tip(event, text) {
  const tip = document.getElementById('tip');
  tip.textContent = text;
  tip.hidden = false;
  const right = event.clientX + 14 + tip.offsetWidth > window.innerWidth;
  const low = event.clientY + 14 + tip.offsetHeight > window.innerHeight;
  tip.style.left = `${right ? event.clientX - tip.offsetWidth - 10 : event.clientX + 14}px`;
  tip.style.top = `${low ? event.clientY - tip.offsetHeight - 10 : event.clientY + 14}px`;
}

function hide_tip() { document.getElementById('tip').hidden = true; }

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function copy_button(text, what) {
  const copy = element('button', { type: 'button', class: 'copy' }, text);
  copy.onclick = () => copy_text(what).then(() => { copy.textContent = 'Copied'; });
  return copy;
}

/// From files, where pages have no clipboard of their own, by a selection.
function copy_text(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text).catch(() => copy_selected(text));
  return Promise.resolve(copy_selected(text));
}

function copy_selected(text) {
  const area = element('textarea', { style: 'position:fixed;opacity:0' });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
