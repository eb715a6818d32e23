'use strict';
// What the reader chose stands in the address of the page, so that a link shows the same.

const page_state = {
  values: new URLSearchParams(window.location.hash.slice(1)),
  waiting: 0,
  get(key) { return this.values.get(key); },
  /// `value` null forgets the key. The address changes a moment later: dragging would change it too often.
  set(key, value) {
    if (value === null) this.values.delete(key); else this.values.set(key, value);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.write(), 250);
  },
  write() {
    const text = this.values.toString().replaceAll('%2C', ',').replaceAll('+', '%20');
    try { window.history.replaceState(null, '', text ? `#${text}` : window.location.pathname); } catch { /* a page within another has no address */ }
  },
};

/// A menu of names whose choice is kept under `key`; `act` gets the index that is chosen.
function kept_menu(key, label, names, first, act) {
  const pick = element('select', { 'aria-label': label }, ...names.map((name) => element('option', {}, name)));
  const kept = names.indexOf(page_state.get(key));
  pick.selectedIndex = kept < 0 ? first : kept;
  pick.onchange = () => {
    page_state.set(key, pick.selectedIndex === first ? null : names[pick.selectedIndex]);
    act(pick.selectedIndex);
  };
  const made = element('label', {}, `${label}: `, pick);
  made.pick = pick;
  return made;
}
