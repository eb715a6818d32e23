// What the tests of pages share: results as TAP, a folder of their own, and pages of the program.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { has_chromium, start_chromium } from './chromium.mjs';

const program = process.argv[2];
export const folder = mkdtempSync(join(tmpdir(), 'report-test-'));
let count = 0, failed = 0;

/// `wanted` is the value, or a function that tells whether `got` is right.
export function is(name, got, wanted) {
  const good = typeof wanted === 'function' ? wanted(got) : got === wanted;
  if (!good) ++failed;
  console.log(`${good ? '' : 'not '}ok ${++count} - ${name}${good ? '' : `\n# got ${JSON.stringify(got)}`}`);
}

export function run(...words) { execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] }); }

/// The file of a page that a command writes.
export function report(name, ...command) {
  const file = join(folder, name);
  run(...command, '--html', file);
  return file;
}

/// Runs the tests one after the other, each with the browser, and ends the process.
export async function run_tests(tests) {
  if (!has_chromium()) {
    console.log('1..0 # SKIP chromium is not installed');
    process.exit(0);
  }
  const browser = await start_chromium();
  try {
    for (const test of tests) await test(browser);
  } catch (error) {
    is(`runs to its end: ${error.message}`, false, true);
  } finally {
    await browser.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`1..${count}`);
  process.exit(failed ? 1 : 0);
}
