// The charts of pages: what they draw follows from what the page knows, on either theme, and an address
// that was copied shows the same again. Prints TAP.
//   usage: node charts_test.mjs PROGRAM
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open_page } from './chromium.mjs';
import { folder, is, report, run_tests } from './tap.mjs';

const job = join(folder, 'job.yaml');
writeFileSync(job, `model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}
cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {pipeline: 4}
batch: {global: 64, micro: 1, sequence: 1024}
schedule: 1f1b
`);
const headings = "[...document.querySelectorAll('h2')].map((h) => h.textContent)";
const state = "document.querySelector('.rows').parentNode.state";
const results = "JSON.parse(document.getElementById('data').textContent).results";

async function test_simulation(browser) {
  const file = report('simulate.html', 'simulate', job, '--quiet');
  const page = await open_page(browser, file);
  is('categories of memory add up to the peak', await page.evaluate(`${results}.ranks.every((rank) => d3.sum(memory_parts(rank), (p) => p.bytes) === rank.peak_memory_bytes)`), true);
  is('the curve of a rank has that peak', await page.evaluate(`ranks_with_curves(${state}.data, ${results}.ranks).map(({ rank, curve }) => Math.abs(d3.max(curve.held) * ${state}.data.memory_unit_bytes / rank.peak_memory_bytes - 1) < 1e-6).join()`), 'true,true,true,true');
  const data = `${state}.data`;
  // A forward and a backward message of each micro-batch over each of the three borders.
  is('an arrow for each message', await page.evaluate(`${data}.senders.length`), await page.evaluate(`2 * 3 * (1 + d3.max(${data}.micro))`));
  is('from a span that ends before it begins', await page.evaluate(`(() => { const d = ${data}; return [...d.senders].every((s, k) => d.end[s] <= d.start[d.receivers[k]]); })()`), true);
  is('to the rank beside it', await page.evaluate(`(() => { const d = ${data}, rank = (i) => d.lanes[lane_index(d, i)].rank; return [...d.senders].every((s, k) => Math.abs(rank(s) - rank(d.receivers[k])) === 1); })()`), true);
  const all_spans = `[...${data}.start.keys()]`;
  is('layers fill their pass', await page.evaluate(`${all_spans}.map((i) => layers_of(${data}, i)).filter((l) => l.length).every((l) => l[0].from === 0 && Math.abs(l[l.length - 1].to - 1) < 1e-6 && l.every((x, k) => !k || x.from === l[k - 1].to))`), true);
  is('kernels take no more than their pass', await page.evaluate(`[...${data}.passes.busy].every((b) => !(b > 1.001))`), true);
  is('a place in a pass has a kernel', await page.evaluate(`kernel_lines(${data}, 0, ${data}.start[0] + ${data}.length[0] / 2).length`), (n) => n >= 2);
  is('kernels of a layer add up to it', await page.evaluate("d3.selectAll('g.leaf').data().filter((d) => d.data.name === 'forward' && d.children).map((d) => Math.abs(d3.sum(d.children, (c) => c.value) / d.value - 1) < 1e-9).every(Boolean)"), true);
  is('a tree has kernels', await page.evaluate("d3.max(d3.selectAll('g.leaf').data(), (d) => d.depth)"), 4);
  is('a map has every device in its node', await page.evaluate(headings), (h) => h.includes('The cluster: 16 devices, 8 in a node'));
  is('a tree has the time of layers', await page.evaluate("d3.select('g.leaf').datum().value"), (v) => v > 0);
  const leaf = "[...document.querySelectorAll('g.leaf')].find((g) => d3.select(g).datum().depth === 2)";
  const share = `${leaf}.querySelector('rect').getAttribute('width') / ${leaf}.ownerSVGElement.getAttribute('width')`;
  is('a part of the tree is as wide as its time', await page.evaluate(share), (wide) => wide < 0.9);
  await page.evaluate(`${leaf}.dispatchEvent(new MouseEvent('click'))`);
  is('a click shows it at the whole width', await page.evaluate(share), (wide) => wide > 0.98);
  await page.send('Emulation.setDeviceMetricsOverride', { width: 1024, height: 900, deviceScaleFactor: 1, mobile: false });
  await new Promise((done) => setTimeout(done, 600));
  is('a picture follows the width of the window', await page.evaluate("document.querySelector('svg[aria-label=\"time by layer\"]').getAttribute('width')"), (wide) => Number(wide) > 800 && Number(wide) < 1024);
  is('nothing went wrong', page.errors.join('; '), '');
  await page.close();

  const again = await open_page(browser, `${file}#t=0.001,0.002&theme=dark&memory=rank%202`);
  is('an address keeps what is seen', await again.evaluate(`[${state}.view.from, ${state}.view.to].join()`), '0.001,0.002');
  is('and the theme', await again.evaluate('document.documentElement.dataset.theme'), 'dark');
  is('and what was chosen', await again.evaluate("[...document.querySelectorAll('select')].find((s) => s.getAttribute('aria-label') === 'rank').value"), 'rank 2');
  await again.evaluate(`${state}.view.set(0.0015, 0.0017)`);
  await new Promise((done) => setTimeout(done, 600));
  is('a view that moves is in the address', await again.evaluate('window.location.hash'), (h) => h.includes('t=0.00150000,0.00170000') && h.includes('theme=dark'));
  await again.close();
}

// What is drawn over the page can be seen on it, and kinds are told apart: by contrast as WCAG has it.
async function test_colours(browser) {
  const page = await open_page(browser, report('colours.html', 'simulate', job, '--quiet'));
  const contrast = `((a, b) => { const light = (c) => { const { r, g, b } = d3.rgb(c), f = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4); return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); }; const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); })`;
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`set_theme('${theme}')`);
    is(`lines can be seen on a ${theme} page`, await page.evaluate(`d3.min(d3.range(0, 1.01, 0.1), (t) => ${contrast}(theme_ramp(t), theme_color('card')))`), (c) => c >= 2.7);
    is(`text on every kind can be read`, await page.evaluate(`d3.min(Object.values(kind_colors), (c) => ${contrast}(text_on(c), c))`), (c) => c >= 4);
    is(`soft text can be read on a ${theme} page`, await page.evaluate(`${contrast}(theme_color('soft'), theme_color('card'))`), (c) => c >= 4.5);
  }
  is('no two kinds have one colour', await page.evaluate('[...Object.values(kind_colors), ...memory_kinds.map((k) => k[1])].length - new Set([...Object.values(kind_colors), ...memory_kinds.map((k) => k[1])]).size'), 0);
  is('bytes have ticks at powers of two', await page.evaluate("JSON.stringify([axis_ticks(0, 100 * 2 ** 30, 5, human_bytes), axis_ticks(0, 86 * 2 ** 30, 4, human_bytes)].map((ticks) => ticks.map((t) => parseInt(t[1])).join()))"), '["0,32,64,96","0,32,64"]');
  await page.close();
}

// Eight nodes of eight devices on switches of eight ports, of which half go down: two pods of four, in each
// a leaf for every rail, and spines above them.
async function test_cluster(browser) {
  const pods = join(folder, 'pods.yaml');
  writeFileSync(pods, `model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}
cluster: {node: dgx-h100, nodes: 8, fabric: {kind: fat-tree, link: ndr, nics: 8, switch_ports: 8}}
parallel: {pipeline: 4}
batch: {global: 64, micro: 1, sequence: 1024}
schedule: 1f1b
`);
  const page = await open_page(browser, report('pods.html', 'simulate', pods, '--quiet'));
  const cluster = `${state}.data.cluster`, places = `place_cluster(${cluster}, 1200)`;
  is('a cluster says its pods and rails', await page.evaluate(headings), (h) => h.includes('The cluster: 64 devices, 8 in a node, 2 pods, 8 rails in a pod'));
  is('every device has a place', await page.evaluate(`${places}.devices.size`), 64);
  is('none stands on another', await page.evaluate(`new Set([...${places}.devices.values()].map(String)).size`), 64);
  is('all are in the box of their pod', await page.evaluate(`(() => { const p = ${places}, c = ${cluster}; return [...p.devices].every(([d, [x, y]]) => { const b = p.boxes[c.pods[c.nodes[d]]]; return x >= b.x && x + p.cell <= b.x + b.width && y >= b.y && y + p.cell <= b.y + b.height; }); })()`), true);
  is('a strip is a switch, once', await page.evaluate(`${places}.strips.length`), await page.evaluate(`${cluster}.switches.length`));
  is('no strip lies on a device', await page.evaluate(`(() => { const p = ${places}; return p.strips.every((s) => [...p.devices.values()].every(([x, y]) => x + p.cell - 1 <= s.x || x >= s.x + s.width || y + p.cell - 1 <= s.y || y >= s.y + s.height)); })()`), true);
  is('nothing went wrong with pods', page.errors.join('; '), '');
  await page.close();
}

const study = join(folder, 'study.yaml');
writeFileSync(study, `experiment: ${job}
vary: {parallel.tensor: [1, 2, 3], batch.micro: [1, 2, 4], schedule: [1f1b, gpipe]}
objective: [tokens_per_s, peak_memory_bytes]
`);

async function test_study(browser) {
  const page = await open_page(browser, report('study.html', 'sweep', study, '--quiet'));
  const runs = `${results}.results`;
  is('a heat map has a cell for every pair', await page.evaluate("document.querySelectorAll('g.heat').length"), 9);
  is('a cell shows the best of its runs', await page.evaluate(`(() => { const c = d3.selectAll('g.heat').data().find((c) => c.all.length > 1 && c.best); return c.best.tokens_per_s === d3.max(c.all, (r) => r.tokens_per_s); })()`), true);
  is('what cannot run says so', await page.evaluate("[...document.querySelectorAll('g.heat text')].filter((t) => t.textContent === 'cannot run').length"), 3);
  is('and why, once', await page.evaluate("[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === 'What cannot run, and why').querySelectorAll('tbody tr').length"), (n) => n >= 1 && n <= 3);
  is('a line for every run that ran', await page.evaluate("document.querySelectorAll('path.run').length"), await page.evaluate(`${runs}.filter((r) => !r.reason).length`));
  is('every run has its interval and its chance', await page.evaluate("[...document.querySelectorAll('th')].map((h) => h.textContent).join()"), (h) => h.includes('iteration, p10,iteration, p90,is the fastest with'));
  is('the memory of the devices is known', await page.evaluate(`new Set(${runs}.filter((r) => !r.reason).map((r) => r.device_memory_bytes)).size`), 1);
  is('nothing went wrong on it', page.errors.join('; '), '');
  await page.close();
}

async function test_claims(browser) {
  const page = await open_page(browser, report('claims.html', 'reproduce', 'zero-bubble', '--quiet'));
  const claims = `${results}.papers.flatMap((p) => p.claims).filter((c) => c.ratio)`;
  is('a row for every claim', await page.evaluate("document.querySelectorAll('g.claim').length"), await page.evaluate(`${claims}.length`));
  is('its interval has all cases', await page.evaluate(`${claims}.every((c) => { const i = interval_of(c); return c.cases.every((one) => !one.ratio || (i.low <= one.ratio && one.ratio <= i.high)); })`), true);
  is('nothing went wrong with claims', page.errors.join('; '), '');
  await page.close();
}

async function test_schedules(browser) {
  const page = await open_page(browser, `${report('compare.html', 'compare', job, '--schedules', '1f1b,gpipe,zb-h1', '--quiet')}#schedule=gpipe`);
  is('memory stands beside every schedule', await page.evaluate("[...document.querySelectorAll('canvas')].filter((c) => (c.getAttribute('aria-label') || '').startsWith('memory of ')).length"), 3);
  is('with a name for every point', await page.evaluate("[...document.querySelectorAll('text.named')].map((t) => t.textContent).sort().join()"), '1f1b,gpipe,zb-h1');
  is('an address names the schedule that is shown', await page.evaluate("document.getElementById('pick').value"), 'gpipe');
  is('nothing went wrong with schedules', page.errors.join('; '), '');
  await page.close();
}

async function test_collective(browser) {
  const file = report('collective.html', 'collective', 'dgx-h100', '-b', '1K', '-e', '1G', '--quiet');
  const page = await open_page(browser, file);
  const rows = `${results}.rows`;
  is('a collective names its cluster', await page.evaluate("document.getElementById('title').textContent"), 'all_reduce on dgx-h100');
  is('and answers first', await page.evaluate("document.querySelector('.advice').textContent"), (t) => t.replaceAll('\u00a0', ' ').startsWith('all_reduce of 1 GiB takes '));
  is('a point for each size in both charts', await page.evaluate("[...document.querySelectorAll('svg[role=img]')].map((s) => s.querySelectorAll('path.point').length).join()"), '21,21');
  is('a line joins them', await page.evaluate("document.querySelectorAll('path.curve').length"), 2);
  is('each algorithm has its colour', await page.evaluate("new Set([...document.querySelector('svg[role=img]').querySelectorAll('path.point')].map((p) => p.getAttribute('fill') + p.getAttribute('d'))).size"), await page.evaluate(`new Set(${rows}.map((r) => r.algorithm + r.protocol)).size`));
  is('sizes have ticks at powers of two', await page.evaluate("[...document.querySelector('svg[role=img] g').querySelectorAll('.tick text')].map((t) => t.textContent).join()"), '1 KiB,32 KiB,1 MiB,32 MiB,1 GiB');
  is('the command can be copied, without the page', await page.evaluate("document.querySelector('pre').textContent"), 'pipewright collective dgx-h100 -b 1K -e 1G');
  is('nothing went wrong with the collective', page.errors.join('; '), '');
  await page.close();
}

async function test_sensitivity(browser) {
  const page = await open_page(browser, report('sensitivity.html', 'sensitivity', job, '--quiet'));
  is('sensitivities name the cluster', await page.evaluate("document.getElementById('title').textContent"), (t) => t.includes('dgx-h100'));
  is('a bar for each resource, the largest gain first', await page.evaluate("(() => { const w = [...document.querySelectorAll('g.gain rect')].map((r) => Number(r.getAttribute('width'))); return w.length > 5 && w.every((v, i) => !i || v <= w[i - 1] + 1e-6); })()"), true);
  is('what more of it changes stands beside', await page.evaluate("document.querySelector('g.gain').textContent"), (t) => /%: .* to /.test(t));
  is('the answer has its interval', await page.evaluate("document.querySelector('.tile span').textContent"), (t) => t.includes('p10') && t.includes('p90'));
  is('what was assumed is told', await page.evaluate(headings), (h) => h.some((t) => t.startsWith('Assumed')));
  is('nothing went wrong with sensitivities', page.errors.join('; '), '');
  await page.close();
}

async function test_diagnosis(browser) {
  const trace = fileURLToPath(new URL('../../workloads/traces/straggler_st.csv.gz', import.meta.url));
  const page = await open_page(browser, report('diagnosis.html', 'diagnose', trace, '--quiet'));
  const adds_up = (d) => `(() => { const d = ${d}, bars = waterfall_bars(d), last = bars[bars.length - 1]; let at = bars[0].to; for (const b of bars.slice(1, -1)) at = Math.abs(b.to - at) < 1e-9 ? b.from : b.to; return bars[0].to === d.measured_s && last.to === d.ideal_s && Math.abs(at - last.to) < 1e-5 * d.measured_s; })()`;
  const made = (seconds) => `{ measured_s: 2, ideal_s: 1.5, causes: [{ cause: 'stage', who: 'stage 3', attributed_s: ${seconds} }] }`;
  is('causes lead from the measured step to the ideal', await page.evaluate(adds_up(results)), true);
  is('what they leave is a bar', await page.evaluate(`waterfall_bars(${made(0.375)}).map((b) => b.name + ' ' + (b.to - b.from)).join()`), 'measured 2,stage: stage 3 0.375,unexplained 0.125,ideal 1.5');
  is('what they take beyond the ideal as well', await page.evaluate(`waterfall_bars(${made(0.75)})[2].name + ' ' + (${adds_up(made(0.75))})`), 'beyond the ideal true');
  is('none where nothing is left', await page.evaluate(`waterfall_bars(${made(0.5)}).length`), 3);
  const part = (steps) => `causes_table({ measured_s: 2, step_times: ${steps}, causes: [{ cause: 'communication', who: 'data collectives', recovered_s: 1, attributed_s: 1, share: 1.22 }] }).querySelectorAll('td')[2].textContent`;
  is('what a cause recovers is of a step', await page.evaluate(part('[{ measured_s: 2 }]')), (t) => t.startsWith('50'));
  is('of the mean step where steps differ', await page.evaluate(part('[{ measured_s: 2 }, { measured_s: 2 }, { measured_s: 6 }, { measured_s: 6 }]')), (t) => t.startsWith('25'));
  is('nothing went wrong with the diagnosis', page.errors.join('; '), '');
  await page.close();
}

// Two ranks of a GOAL file: no schedule, so no pipeline and no bubble.
async function test_trace(browser) {
  const goal = join(folder, 'ring.goal'), trace = join(folder, 'trace.yaml');
  writeFileSync(goal, 'num_ranks 2\nrank 0 {\na: calc 1000\ns: send 1024b to 1 tag 1\ns requires a\n}\nrank 1 {\nr: recv 1024b from 0 tag 1\n}\n');
  writeFileSync(trace, 'trace: {goal: ring.goal}\ncluster: {devices: 2, link: {latency: 5 us, bandwidth: 25 GB/s}}\n');
  const page = await open_page(browser, report('trace.html', 'simulate', trace, '--quiet'));
  is('a trace names its file', await page.evaluate("document.getElementById('title').textContent"), (t) => t.startsWith('A trace of ring.goal'));
  is('its ranks wait and send messages', await page.evaluate("document.querySelector('.accounts').getAttribute('aria-label') + document.querySelectorAll('.legend')[1].textContent"), (t) => t.includes('waiting') && t.includes('messages') && !t.includes('bubble') && !t.includes('pipeline'));
  is('nothing went wrong with the trace', page.errors.join('; '), '');
  await page.close();
}

// Two flows: no iteration, and no pipeline.
async function test_traffic(browser) {
  const flows = join(folder, 'flows.yaml');
  writeFileSync(join(folder, 'flows.csv'), 'from,to,bytes,start\n0,1,1000000,0\n1,2,1000000,0\n');
  writeFileSync(flows, 'traffic: flows.csv\ncluster: {devices: 4, link: {latency: 1 us, bandwidth: 1 GB/s}}\n');
  const page = await open_page(browser, report('traffic.html', 'simulate', flows, '--quiet'));
  is('traffic says what it is', await page.evaluate("document.getElementById('title').textContent"), (t) => t.startsWith('Traffic'));
  is('in words of its own', await page.evaluate("document.querySelector('main').textContent"), (t) => t.includes('from the first flow to the last') && !t.includes('an iteration') && !/pipeline(?!_)/.test(t.split('The experiment, resolved')[0]));
  is('nothing went wrong with traffic', page.errors.join('; '), '');
  await page.close();
}

await run_tests([test_trace, test_traffic, test_simulation, test_cluster, test_colours, test_study, test_claims, test_schedules, test_collective, test_sensitivity, test_diagnosis]);
