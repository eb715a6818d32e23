'use strict';
// Columns of numbers as the page holds them: [type, base64], little-endian.

const column_types = { u1: Uint8Array, u2: Uint16Array, i4: Int32Array };

function column([type, text]) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return new column_types[type](bytes.buffer);
}
