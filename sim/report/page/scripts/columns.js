'use strict';
// Columns of numbers as the page holds them (html_columns.hpp): [type, base64].

const column_types = { u1: Uint8Array, u2: Uint16Array, i4: Int32Array };

function bytes_of(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function sums_of_planes(planes) {
  const count = planes.length / 4;
  const values = new Int32Array(count);
  for (let i = 0, sum = 0; i < count; ++i) {
    sum = (sum + planes[i] + (planes[count + i] << 8) + (planes[2 * count + i] << 16) + (planes[3 * count + i] << 24)) | 0;
    values[i] = sum;
  }
  return values;
}

async function column([type, text]) {
  const bytes = bytes_of(text);
  return type === 'd4' ? sums_of_planes(await inflated(bytes)) : new column_types[type](bytes.buffer);
}
