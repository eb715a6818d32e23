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
function human_rate(value) { return value === null || value === undefined ? '–' : d3.format(',.4~r')(value); }
