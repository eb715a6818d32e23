'use strict';
// One scale of time for everything that is drawn beneath each other.

const label_width = 168;

/// Ticks of `scale` (seconds to pixels) with their texts, all in the unit of the step between them.
function time_ticks(scale, width) {
  const ticks = scale.ticks(Math.max(2, Math.floor(width / 110)));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  const most = Math.max(...scale.domain().map(Math.abs));
  const [size, unit] = time_units.find(([size, name]) => most >= size && name !== 'd' && name !== 'h') || time_units[5];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return ticks.map((t) => [t, `${(t / size).toFixed(Math.min(digits, 9))} ${unit}`]);
}

/// What part of the whole is seen; views that share it move together.
function time_window(end_s) {
  const listeners = [];
  return {
    end_s, from: 0, to: end_s,
    listen(redraw) { listeners.push(redraw); },
    set(from, to) {
      const length = Math.min(Math.max(to - from, end_s * 1e-7), end_s);
      this.from = Math.max(0, Math.min(from, end_s - length));
      this.to = this.from + length;
      for (const redraw of listeners) redraw();
    },
    zoom(factor, at = (this.from + this.to) / 2) {
      this.set(at - (at - this.from) / factor, at + (this.to - at) / factor);
    },
    pan(seconds) { this.set(this.from + seconds, this.to + seconds); },
  };
}

/// Keeps what is seen in the address of the page, so that a link shows the same. One view of a page
/// is remembered: the first.
let remembered_view = null;
function remember_view(view) {
  if (remembered_view) return;
  remembered_view = view;
  const [from, to] = (page_state.get('t') || '').split(',').map(Number);
  if (to > from) view.set(from, to);
  view.listen(() => {
    const all = view.from === 0 && view.to === view.end_s;
    // A thousandth of what is seen, however far into the run.
    const digits = Math.min(15, Math.max(6, Math.ceil(Math.log10(view.to / (view.to - view.from))) + 3));
    page_state.set('t', all ? null : `${view.from.toPrecision(digits)},${view.to.toPrecision(digits)}`);
  });
}

/// A canvas as sharp as the screen, with a context in CSS pixels.
function sharp(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
