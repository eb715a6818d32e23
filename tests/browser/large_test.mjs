// Pages of large runs: a file stays small, what drawing costs follows from the pixels, and what is
// printed is the content alone. Prints TAP.
//   usage: node large_test.mjs PROGRAM
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open_page } from './chromium.mjs';
import { folder, is, report, run_tests } from './tap.mjs';

const state = "document.querySelector('.rows').parentNode.state";

// 16 ranks and 16,384 micro-batches: a forward and a backward pass of each, and the messages between.
async function test_million(browser) {
  const job = join(folder, 'long.yaml');
  writeFileSync(job, `model: {synthetic: {devices: 16, microbatches: 16384, forward: 1 ms, backward: 2 ms, boundary: 1 MiB}}
cluster: {devices: 16, link: {latency: 2 us, bandwidth: 50 GB/s}}
schedule: 1f1b
`);
  const file = report('long.html', 'simulate', job, '--every-micro-batch', '--quiet');
  is('a page of a million spans has less than 3 MB', statSync(file).size, (bytes) => bytes < 3e6);
  const page = await open_page(browser, file);
  is('it has a million spans', await page.evaluate(`${state}.data.start.length`), (count) => count > 900_000);
  const drawn = `(() => { const s = ${state}; let count = 0; for (const row of s.layout.rows) each_visible(s.data, row.lane, tick_scale(s.data, s.view, s.width), 0, s.data.last, () => { ++count; }); return count / s.layout.rows.length / s.width; })()`;
  // A span of a pixel or more, or all spans that begin in a pixel.
  is('a row draws at most twice for a pixel', await page.evaluate(drawn), (each) => each <= 2);
  is('nothing went wrong in it', page.errors.join('; '), '');
  await page.send('Emulation.setEmulatedMedia', { media: 'print' });
  is('tools are not printed', await page.evaluate("[...document.querySelectorAll('.tools, #theme')].every((e) => getComputedStyle(e).display === 'none')"), true);
  is('sections are', await page.evaluate("[...document.querySelectorAll('section')].every((e) => getComputedStyle(e).display !== 'none')"), true);
  await page.close();
}

await run_tests([test_million]);
