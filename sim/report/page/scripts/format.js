'use strict';
// Numbers for people: four significant digits and a unit that fits.

function in_unit(value, units) {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  const [scale, name] = units.find(([scale]) => size >= scale * 0.9995) || units[units.length - 1];
  const number = value / scale;
  const digits = size === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(number) * 1.0000001)));
  return `${number.toFixed(Math.min(digits, 3)).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')} ${name}`;
}

const time_units = [[86400, 'd'], [3600, 'h'], [1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
const byte_units = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];

function human_time(seconds) { return seconds === 0 ? '0' : in_unit(seconds, time_units); }
function human_bytes(bytes) { return bytes === 0 ? '0' : in_unit(bytes, byte_units); }
function human_percent(fraction) {
  return fraction === null || fraction === undefined ? '–' : `${(fraction * 100).toFixed(1)} %`;
}
function human_number(value) {
  if (value === null || value === undefined) return '–';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}
function human_joules(value) { return value === null || value === undefined ? '–' : d3.format('.4~s')(value).replace(/([a-zµ]?)$/i, ' $1J'); }

const bandwidth_units = [[1e12, 'TB/s'], [1e9, 'GB/s'], [1e6, 'MB/s'], [1e3, 'kB/s'], [1, 'B/s']];
function human_bandwidth(value) { return value === 0 ? '0' : in_unit(value, bandwidth_units); }

/// The units that a way of showing numbers chooses from.
function units_of(show) { return new Map([[human_time, time_units], [human_bytes, byte_units], [human_bandwidth, bandwidth_units]]).get(show) || [[1, '']]; }

/// Bytes are counted in powers of two, other units in powers of ten.
function round_step(low, high, count, unit) {
  const step = d3.tickStep(low, high, count);
  return byte_units.some(([, name]) => name === unit) ? 2 ** Math.ceil(Math.log2(step) - 1e-9) : step;
}

/// Round ticks between `low` and `high`, [[value, text]], all in one unit.
function axis_ticks(low, high, count, show) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const [scale, unit] = units_of(show).find(([s]) => size >= s * 0.9995) || [1, ''];
  const step = round_step(low / scale, high / scale, count, unit);
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  const ticks = d3.range(Math.ceil(low / scale / step - 1e-9), Math.floor(high / scale / step + 1e-9) + 1).map((k) => Number((k * step).toPrecision(12)));
  return ticks.map((t) => [t * scale, unit ? `${d3.format(`,.${digits}f`)(t)} ${unit}` : show(t)]);
}

/// `axis`, a d3 axis over `scale`, with such ticks; a logarithmic one has ticks at 1, 2 and 5.
function round_ticks(axis, scale, count, show) {
  const [low, high] = scale.domain();
  const powers = scale.base ? log_ticks(low, high, show) : [];
  const wanted = powers.length > 2 ? powers : axis_ticks(low, high, count, show);
  const texts = new Map(wanted);
  return axis.tickValues(wanted.map(([value]) => value)).tickFormat((value) => texts.get(value));
}

/// At most eight ticks at powers of two, evenly apart.
function power_ticks(low, high, show) {
  const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
  const every = [1, 2, 5, 10, 20].find((step) => (last - first) / step < 8) || 20;
  return d3.range(Math.ceil(first / every) * every, last + 1, every).map((k) => [2 ** k, show(2 ** k)]);
}

/// Ticks at 1, 2 and 5 times powers of ten of the unit of each; of many the powers alone. Bytes have
/// powers of two.
function log_ticks(low, high, show) {
  if (show === human_bytes) return power_ticks(low, high, show);
  const [first] = units_of(show).find(([s]) => low >= s * 0.9995) || [1];
  const ticks = (steps) => d3.range(Math.floor(Math.log10(low / first)), Math.ceil(Math.log10(high / first)) + 1)
    .flatMap((power) => steps.map((k) => k * 10 ** power * first)).filter((v) => v >= low && v <= high);
  const some = [[1, 2, 5], [1], [1]].map(ticks);
  const chosen = some[0].length <= 8 ? some[0] : some[1];
  const every = Math.ceil(chosen.length / 8);
  return chosen.filter((_, i) => i % every === 0).map((v) => [v, show(v)]);
}

function human_rate(value) { return value === null || value === undefined ? '–' : d3.format(',.4~r')(value); }
