// The reports as a reader sees them: rendered, clicked, zoomed and searched in headless Chromium,
// from a file and without a network. Prints TAP.
//   usage: node report_test.mjs PROGRAM
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open_page } from './chromium.mjs';
import { folder, is, report, run, run_tests } from './tap.mjs';

const program = process.argv[2];

// Four ranks, eight micro-batches: 11 times 3 ms.
const words = ['--set', 'model={synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}',
  '--set', 'cluster={devices: 4, link: {latency: 0 s}}', '--quiet'];

const state = (what) => `document.querySelector('.rows').parentNode.state.${what}`;
const tools = (what) => `[...document.querySelectorAll('.tools button')].find((b) => b.textContent === '${what}')`;

async function test_run(browser) {
  const page = await open_page(browser, report('run.html', 'simulate', 'example', ...words, '--set', 'schedule=1f1b'));
  is('a run names its model', await page.evaluate("document.getElementById('title').textContent"), 'A synthetic model');
  is('then its schedule, the day and the version', await page.evaluate("document.getElementById('subtitle').textContent"), (t) => /^1f1b · .*\d{4}-\d\d-\d\d · Pipewright \d/.test(t));
  is('a bar of the accounts adds up to the iteration', await page.evaluate("[...document.querySelectorAll('.piece')].reduce((sum, p) => sum + parseFloat(p.style.flexGrow), 0).toFixed(4)"), '1.0000');
  is('its time is in the first tile', await page.evaluate("document.querySelector('.tile b').textContent"), '33 ms');
  is('the timeline has a span for every pass', await page.evaluate(`[...${state('data.start')}.keys()].map((i) => span_name(${state('data')}, i)).filter((n) => /^\\d[FB]\\d$/.test(n)).length`), 64);
  is('and lasts as long as the run', await page.evaluate(`Math.abs(${state('data.end_s')} - 0.033) < 1e-9`), true);
  is('something is drawn in it', await page.evaluate("(() => { const c = document.querySelector('.rows canvas'); const d = c.getContext('2d').getImageData(180, 26, 400, 10).data; return new Set(new Uint32Array(d.buffer)).size > 3; })()"), true);

  await page.evaluate(`${tools('+')}.click()`);
  await page.drawn();
  is('a button zooms', await page.evaluate(`${state('view.to')} - ${state('view.from')}`), (s) => Math.abs(s - 0.033 / 1.6) < 1e-9);
  await page.evaluate("document.querySelector('.rows canvas').focus()");
  await page.key('0');
  is('a key shows all again', await page.evaluate(`${state('view.to')} - ${state('view.from')}`), (s) => Math.abs(s - 0.033) < 1e-9);
  await page.key('n');
  is('a key chooses the first operation', await page.evaluate("document.querySelector('.details').textContent"), (t) => t.startsWith('0F0') && t.includes('1 ms'));

  await page.evaluate("(() => { const s = document.querySelector('input[type=search]'); s.value = '3B7'; s.oninput(); })()");
  is('a search finds a pass by its name', await page.evaluate("document.querySelector('.tools output').textContent"), (t) => t.startsWith('1 of '));
  await page.evaluate("(() => { const s = document.querySelector('input[type=search]'); s.value = 'micro 3'; s.oninput(); })()");
  is('and those of a micro-batch', await page.evaluate(`${state('search.count')}`), 8);

  const box = await page.evaluate("(() => { const r = document.querySelector('.rows canvas').getBoundingClientRect(); return [r.left, r.top]; })()");
  await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: box[0] + 175, y: box[1] + 32 });
  is('a hover says what it is', await page.evaluate("document.getElementById('tip').textContent"), (t) => t.startsWith('0F0') && t.includes('rank 0'));
  for (const type of ['mousePressed', 'mouseReleased'])
    await page.send('Input.dispatchMouseEvent', { type, x: box[0] + 175, y: box[1] + 32, button: 'left', clickCount: 1 });
  await page.drawn();
  is('a click chooses it', await page.evaluate("document.querySelector('.details').textContent"), (t) => t.startsWith('0F0'));

  is('the picture has the spans that are seen', await page.evaluate(`(timeline_svg(${state('').slice(0, -1)}, 1200).match(/<rect/g) || []).length`), (n) => n > 64);
  is('and is well-formed', await page.evaluate(`new DOMParser().parseFromString(timeline_svg(${state('').slice(0, -1)}, 1200), 'image/svg+xml').querySelector('parsererror') === null`), true);

  const ranks = "[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === 'Ranks')";
  await page.evaluate(`${ranks}.querySelector('th button').click()`);
  is('a table sorts', await page.evaluate(`${ranks}.querySelector('tbody td').textContent`), '3');
  is('its first column says so', await page.evaluate(`${ranks}.querySelector('th').getAttribute('aria-sort')`), 'descending');
  await page.evaluate("document.getElementById('theme').click()");
  is('a button makes it dark', await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  is('nothing went wrong, nothing was asked of a network', page.errors.join('; '), '');
  await page.close();
}

async function test_comparison(browser) {
  const file = report('compare.html', 'compare', 'example', '--schedules', '1f1b,gpipe,zb-h1,chimera', ...words);
  const page = await open_page(browser, file, { dark: true });
  is('every schedule has a drawing on one axis', await page.evaluate("[...document.querySelectorAll('canvas.still')].map((c) => c.getAttribute('aria-label')).filter((l) => l.startsWith('timeline of')).sort().join()"),
    ['1f1b', 'chimera', 'gpipe', 'zb-h1'].map((name) => `timeline of ${name}`).join());
  is('an axis has round ticks in one unit', await page.evaluate("JSON.stringify([axis_ticks(2e6, 2.9e6, 5, human_time), axis_ticks(70.1 * 2 ** 30, 79 * 2 ** 30, 5, human_bytes)].map((ticks) => ticks.map((t) => t[1]).join()))"), '["24 d,26 d,28 d,30 d,32 d","72 GiB,74 GiB,76 GiB,78 GiB"]');
  is('no two kinds of one colour', await page.evaluate('new Set(Object.values(kind_colors)).size === Object.keys(kind_colors).length'), true);
  // Two passes of 30 and 20 ticks in a pixel of 100: half of it stays idle.
  is('a pixel shows shares', await page.evaluate("JSON.stringify(shares_of_pixel({ start: [0, 40], end: [30, 60], kind: [0, 1], kinds: [{ category: 'forward' }, { category: 'backward' }], micro: [0, 0] }, 0, 2, 0.01, false).map((part) => Math.round(part[1] * 100)))"), '[30,20]');
  is('a comparison advises first', await page.evaluate("document.querySelector('#content section').textContent"), (t) => t.startsWith('Take '));
  is('who prefers dark gets dark', await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  await page.evaluate("(() => { const p = document.getElementById('pick'); p.value = 'gpipe'; p.onchange(); })()");
  await page.drawn();
  is('a schedule can be chosen', await page.evaluate("[...document.querySelectorAll('h2')].map((h) => h.textContent).includes('Timeline of gpipe')"), true);
  is('and its timeline is its own', await page.evaluate(`${state('data.schedule')}`), 'gpipe');
  is('nothing goes wrong', page.errors.join('; '), '');
  await page.close();
}

// Two planners; what they are is the table's first column, what becomes of it is in the JSON too.
async function test_plan(browser) {
  const json = join(folder, 'plan.json'), job = join(folder, 'job.yaml');
  writeFileSync(job, `model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}
cluster: {node: mi300x, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 8}}
batch: {global: 16, sequence: 256}
schedule: 1f1b
`);
  const file = report('plan.html', 'plan', job, '--planner', 'megatron', '--planner', 'tensoropt',
    '--simulations', '3', '--top', '2', '--json', json, '--quiet');
  const result = JSON.parse(readFileSync(json));
  const page = await open_page(browser, file);
  const table = "[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent.startsWith('What each planner'))";
  is('a plan advises first', await page.evaluate("document.querySelector('#content section').textContent"), (t) => t.startsWith(`Take ${result.best.plan} (${result.best.planner})`));
  is('every planner has a row', await page.evaluate(`[...${table}.querySelectorAll('tbody tr')].map((r) => r.cells[0].textContent).join()`), 'megatron,tensoropt');
  is('with what it proposes', await page.evaluate(`[...${table}.querySelectorAll('tbody tr')].map((r) => r.cells[1].textContent).join(';')`), result.proposals.map((p) => p.plan).join(';'));
  is('with the interval of its time', await page.evaluate(`[...${table}.querySelectorAll('th')].map((h) => h.textContent).join()`), (h) => h.includes('iteration, p10,iteration, p90,is the fastest with'));
  const best = "[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent.startsWith('The 2 best plans'))";
  is('the best plans that were asked for have a table', await page.evaluate(`[...${best}.querySelectorAll('tbody tr')].map((r) => r.cells[2].textContent).join(';')`), result.top.map((p) => p.plan).join(';'));
  is('the best is marked', await page.evaluate(`[...${table}.querySelectorAll('tbody tr')].find((r) => r.lastChild.textContent === 'best').cells[0].textContent`), result.best.planner);
  is('a point for each, and the frontier', await page.evaluate("document.querySelectorAll('path.point').length"), 2 + result.proposals[1].simulated_frontier.length);
  is('the experiment can be copied', await page.evaluate("document.querySelector('pre').textContent"), result.best.experiment_yaml);
  for (let clicks = 0; clicks < 2; ++clicks) await page.evaluate(`${table}.querySelector('th button').click()`);
  is('the table sorts', await page.evaluate(`${table}.querySelector('tbody td').textContent`), 'tensoropt');
  is('nothing is amiss', page.errors.join('; '), '');
  await page.close();
}

// Devices 1, 2, 4 and two schedules at one batch; two cases more where the batch grows with them.
const scaling_study = `experiment:
  model: {transformer: {layers: 4, hidden: 256, heads: 4, ffn: 1024, vocabulary: 1024}}
  cluster: {devices: 1, link: {latency: 10 us, bandwidth: 10 GB/s}, device: {flops: {bf16: 1 TFLOP/s}, memory: 8 GiB,
            memory_bandwidth: 100 GB/s, power: 100 W, idle_power: 40 W, price_per_hour: 3}}
  batch: {global: 16, micro: 1, sequence: 128}
  schedule: 1f1b
vary:
  cluster.devices: [1, 2, 4]
  schedule: [1f1b, gpipe]
cases:
  - {cluster.devices: 2, schedule: 1f1b, batch.global: 32}
  - {cluster.devices: 4, schedule: 1f1b, batch.global: 64}
`;

/// The page of a study by these objectives, and the rows that the terminal stars.
async function sweep_page(browser, objectives) {
  const study = join(folder, 'study.yaml'), file = join(folder, 'sweep.html');
  writeFileSync(study, `${scaling_study}objective: [${objectives}]\n`);
  const table = execFileSync(program, ['sweep', study, '--html', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const rows = table.split('\n\n')[0].split('\n').slice(1);
  return { page: await open_page(browser, file), stars: rows.map((row) => (row.trim().endsWith('*') ? '★' : '')).join() };
}

const runs = "[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === 'Runs, the best first')";
const page_stars = `[...${runs}.querySelectorAll('tbody tr')].map((r) => r.lastChild.textContent).join()`;
const axis_names = "[...document.querySelector('svg').children].filter((e) => e.matches('text.soft')).map((t) => t.textContent).join()";
const headings = "[...document.querySelectorAll('h2')].map((h) => h.textContent).join()";

async function test_sweep(browser) {
  const three = await sweep_page(browser, 'iteration_time_s, cost_usd, energy_j');
  is('a sweep stars what the terminal stars, in its order', await three.page.evaluate(page_stars), three.stars);
  is('more than one of them', three.stars, (s) => s.replaceAll(',', '').length > 1);
  is('its axes are the first two objectives', await three.page.evaluate(axis_names), 'iteration time,iteration cost');
  await three.page.evaluate("(() => { const s = document.querySelectorAll('select')[1]; s.selectedIndex = 2; s.onchange(); })()");
  is('a menu takes the third', await three.page.evaluate(axis_names), 'iteration time,energy');
  is('rates keep their unit', await three.page.evaluate(`[...${runs}.querySelectorAll('th')].map((h) => h.textContent).includes('tokens per s')`), true);
  is('it draws both kinds of scaling', await three.page.evaluate(headings), (h) => h.includes('Strong scaling') && h.includes('Weak scaling'));
  is('a curve for each schedule, and one as the batch grows', await three.page.evaluate("document.querySelectorAll('path.curve').length"), 3);
  is('each with its ideal', await three.page.evaluate("document.querySelectorAll('path.ideal').length"), 2);
  is('nothing goes wrong on it', three.page.errors.join('; '), '');
  await three.page.close();

  const gains = await sweep_page(browser, 'tokens_per_s, energy_j_per_token');
  is('more tokens a second are better', await gains.page.evaluate(page_stars), gains.stars);
  is('two objectives are joined by a line', await gains.page.evaluate(headings), (h) => h.startsWith('Tokens per s and energy per token: the line joins'));
  await gains.page.close();
  const one = await sweep_page(browser, 'cost_usd_per_token');
  is('one objective stands against memory', await one.page.evaluate(axis_names), 'cost per token,peak memory');
  is('and stars the best', await one.page.evaluate(page_stars), one.stars);
  await one.page.close();
}

// Two nodes of eight devices: a switch within each, and a leaf above their NICs.
async function test_graph(browser) {
  const job = join(folder, 'graph.yaml'), json = join(folder, 'graph.json');
  writeFileSync(job, `model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}
cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, pipeline: 2}
batch: {global: 256, micro: 1, sequence: 1024}
schedule: 1f1b
`);
  const page = await open_page(browser, report('graph.html', 'simulate', job, '--json', json, '--quiet'));
  const links = "d3.selectAll('path.link').data()";
  is('links in a graph', await page.evaluate(`${links}.length`), (n) => n > 10);
  is('the JSON has the ten busiest', JSON.parse(readFileSync(json)).links.length, 10);
  is('all devices are in it', await page.evaluate("d3.selectAll('g.vertex').data().filter((v) => v.layer === 0).map((v) => v.name).join()"), [...Array(16).keys()].map((d) => `device ${d}`).join());
  is('the leaf is above NICs', await page.evaluate("d3.selectAll('g.vertex').data().find((v) => v.name === 'leaf 0').layer"), 2);
  is('who is busier is of another colour', await page.evaluate("new Set([...document.querySelectorAll('path.link')].map((p) => p.getAttribute('stroke'))).size"), (n) => n > 1);
  is('nothing is wrong with it', page.errors.join('; '), '');
  await page.close();
}

// Two flows from leaf to leaf draw one of two uplinks each: a draw of 20 is not all there is to say.
async function test_drawn_flows(browser) {
  const job = join(folder, 'drawn.yaml');
  writeFileSync(job, `traffic: [{from: 0, to: 4, bytes: 1 GB}, {from: 1, to: 5, bytes: 1 GB}]
network: {flow: {routing: ecmp}}
cluster:
  node: {device: {flops: {fp32: 1 TFLOP/s}}}
  nodes: 8
  fabric: {kind: fat-tree, spines: separate, switch_ports: 4, nics: 1, link: {bandwidth: 10 GB/s}}
`);
  const page = await open_page(browser, report('drawn.html', 'simulate', job, '--quiet'));
  is('flows that are drawn have a tile for all draws', await page.evaluate("[...document.querySelectorAll('.tile')].map((t) => t.textContent).join(' ')"), (t) => t.includes('median of 20 draws'));
  const table = "[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === 'Communication')";
  is('no rank is said to wait for them', await page.evaluate(`${table}.textContent.includes('waited for')`), false);
  is('nothing went wrong on the page of flows', page.errors.join('; '), '');
  await page.close();
}

async function test_calibration(browser) {
  const file = join(folder, 'calibration.html');
  const job = join(folder, 'job.yaml');
  writeFileSync(job, `model: {transformer: {layers: 2, hidden: 32, heads: 2, ffn: 64, vocabulary: 64}}
cluster: {devices: 1, device: {flops: {fp32: 1 TFLOP/s}, memory: 1 GiB, memory_bandwidth: 10 GB/s}, link: {latency: 1 us, bandwidth: 1 GB/s}}
batch: {global: 1, micro: 1, sequence: 16}
precision: fp32
schedule: 1f1b
`);
  run('calibrate', '--quick', '--for', job, '-q', '-o', join(folder, 'mine.yaml'), '--html', file);
  const page = await open_page(browser, file);
  const headings = await page.evaluate("[...document.querySelectorAll('h2')].map((h) => h.textContent)");
  is('a calibration names what was calibrated', await page.evaluate("document.getElementById('title').textContent"), 'Calibration of mine');
  is('it sets measured against predicted times', headings.includes('Measured and predicted'), true);
  is('with a point for every kernel that a program has', await page.evaluate("document.querySelectorAll('.point').length"), (n) => n >= 4);
  is('errors are by kernel', await page.evaluate("[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === 'Errors by kernel').textContent"), (t) => t.includes('gemm') && t.includes('copy'));
  is('a point that computes has bytes, and its device a roof for it', await page.evaluate("(() => { const { points, roofs } = JSON.parse(document.getElementById('data').textContent).results; return points.filter((p) => p.flops).every((p) => p.bytes > 0 && roofs.flops_per_s[p.dtype] > 0); })()"), true);
  is('a residual for every point that is predicted', await page.evaluate("document.querySelectorAll('circle.residual').length"), await page.evaluate("JSON.parse(document.getElementById('data').textContent).results.points.filter((p) => p.predicted_s !== null).length"));
  is('it says how the machine stood', headings.includes('The machine while it was measured'), true);
  is('and what kernels take beside copies', await page.evaluate("[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === 'Beside moving bytes').querySelectorAll('tbody tr').length"), 2);
  is('nothing went wrong on its page', page.errors.join('; '), '');
  await page.close();
}

await run_tests([test_run, test_comparison, test_plan, test_sweep, test_graph, test_drawn_flows, test_calibration]);
