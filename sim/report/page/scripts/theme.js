'use strict';
// Light or dark: what the system prefers until the reader chooses. Printed pages are light.

const theme_listeners = [];

function theme_color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function set_theme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  for (const redraw of theme_listeners) redraw();
}

function start_theme() {
  const preferred = window.matchMedia('(prefers-color-scheme: dark)');
  let theme = page_state.get('theme') || (preferred.matches ? 'dark' : 'light');
  set_theme(theme);
  preferred.addEventListener('change', (event) => set_theme(theme = event.matches ? 'dark' : 'light'));
  document.getElementById('theme').onclick = () => {
    set_theme(theme = theme === 'dark' ? 'light' : 'dark');
    page_state.set('theme', theme);
  };
  let waiting = 0;
  window.addEventListener('resize', () => {  // pictures are as wide as the page
    clearTimeout(waiting);
    waiting = setTimeout(() => { for (const redraw of theme_listeners) redraw(); }, 200);
  });
  window.addEventListener('beforeprint', () => set_theme('light'));
  window.addEventListener('afterprint', () => set_theme(theme));
}

// Okabe and Ito's palette, which people with any colour vision can tell apart, and lighter or darker
// ones beside it: no two kinds have one colour.
const kind_colors = {
  forward: '#56b4e9', backward: '#e69f00', input_gradient: '#ffcf70', weight_gradient: '#009e73',
  pair: '#f0e442', recompute: '#a6761d', step: '#cc79a7', compute: '#86a8bf',
  pipeline: '#0072b2', tensor: '#d55e00', data: '#8c6bb1', expert: '#7a4b12', context: '#74c7a5', offload: '#b5a7d6',
  host: '#6b7280',
};
const micro_colors = ['#56b4e9', '#e69f00', '#009e73', '#f0e442', '#0072b2', '#d55e00', '#cc79a7'];
const no_micro_color = '#8a94a3';

/// A colour for a share between 0 and 1 that can be seen on the page, of whichever theme it is: 1 stands
/// out most.
function theme_ramp(share) {
  const dark = document.documentElement.dataset.theme === 'dark';
  return d3.interpolateViridis(dark ? 0.42 + 0.58 * share : 0.58 * (1 - share));
}

/// Black or white, whichever is read more easily on `color`.
function text_on(color) {
  const { r, g, b } = d3.rgb(color), linear = (v) => (v <= 10 ? v / 3294 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) > 0.19 ? '#111' : '#fff';
}
