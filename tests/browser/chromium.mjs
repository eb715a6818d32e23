// Drives headless Chromium over a pipe: opens pages and evaluates expressions in them.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function has_chromium() {
  return spawnSync('chromium', ['--version'], { stdio: 'ignore' }).status === 0;
}

/// Offline: every address but a file's is refused.
export async function start_chromium() {
  const profile = mkdtempSync(join(tmpdir(), 'report-test-'));
  const child = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
    '--disable-background-networking', '--no-first-run', '--remote-debugging-pipe', `--user-data-dir=${profile}`,
    '--host-resolver-rules=MAP * ~NOTFOUND', '--window-size=1400,1000', 'about:blank'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const waiting = new Map(), listeners = [];
  let rest = '', next = 0;
  child.stdio[4].setEncoding('utf8').on('data', (text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const message of messages.map((m) => JSON.parse(m))) {
      if (message.id) { waiting.get(message.id)(message); waiting.delete(message.id); }
      else for (const listen of listeners) listen(message);
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((done, fail) => {
    const id = ++next;
    waiting.set(id, (answer) => (answer.error ? fail(new Error(`${method}: ${answer.error.message}`)) : done(answer.result)));
    child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  });
  const stop = async () => {
    const gone = new Promise((done) => child.once('exit', done));
    await send('Browser.close').catch(() => {});
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { send, stop, listeners };
}

/// A page once it has drawn itself, with what went wrong in it.
export async function open_page(browser, file, { dark = false, width = 1400 } = {}) {
  const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const errors = [];
  const listen = ({ method, params, sessionId: of }) => {
    if (of !== sessionId) return;
    if (method === 'Runtime.exceptionThrown') errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') errors.push(JSON.stringify(params.args));
    if (method === 'Log.entryAdded' && params.entry.level === 'error') errors.push(params.entry.text);
    if (method === 'Network.requestWillBeSent' && !/^(file|data|blob|about):/.test(params.request.url)) errors.push(`asks for ${params.request.url}`);
  };
  browser.listeners.push(listen);
  const send = (method, params) => browser.send(method, params, sessionId);
  for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await send(`${domain}.enable`);
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  await send('Emulation.setDeviceMetricsOverride', { width, height: 1000, deviceScaleFactor: 1, mobile: false });
  await send('Page.navigate', { url: `file://${file}` });
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  };
  for (let tries = 0; tries < 300; ++tries) {
    if (await evaluate('document.documentElement.dataset.ready === "true"').catch(() => false) || errors.length) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  const drawn = () => evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))');
  await drawn();
  const key = async (name) => {
    await send('Input.dispatchKeyEvent', { type: 'keyDown', key: name, text: name.length === 1 ? name : undefined });
    await send('Input.dispatchKeyEvent', { type: 'keyUp', key: name });
    await drawn();
  };
  const close = async () => { browser.listeners.splice(browser.listeners.indexOf(listen), 1); await browser.send('Target.closeTarget', { targetId }); };
  return { send, evaluate, drawn, key, errors, close };
}
