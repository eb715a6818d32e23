#!/usr/bin/env node
// Pictures of pages as Chromium shows them, for documents and for whoever changes the pages.
//   usage: node .ci/screenshots.mjs PAGES OUT [--all] [--height N]
// Every PAGES/NAME.html becomes OUT/NAME.png: the first screen at 1440 pixels, light. --all writes
// OUT/NAME-WIDTH-THEME.png at 1440 and 1024 pixels, light and dark. --height 0 shows the whole page.
import { readdirSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve, join, basename } from 'node:path';
import { open_page, start_chromium } from '../tests/browser/chromium.mjs';

const [pages, out, ...options] = process.argv.slice(2);
const all = options.includes('--all');
const wanted = options.includes('--height') ? Number(options[options.indexOf('--height') + 1]) : 900;
mkdirSync(out, { recursive: true });

async function shoot(browser, file, { width, dark, picture }) {
  const page = await open_page(browser, file, { dark, width });
  const resize = (height) => page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  await resize(wanted || 900);
  if (!wanted) await resize(await page.evaluate('document.documentElement.scrollHeight'));
  await new Promise((done) => setTimeout(done, 400));
  await page.drawn();
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  if (wide > width) console.log(`${picture}: scrolls sideways, ${wide} pixels`);
  if (page.errors.length) console.log(`${picture}: ${page.errors.join('; ')}`);
  const { data } = await page.send('Page.captureScreenshot', { format: 'png' });
  writeFileSync(picture, Buffer.from(data, 'base64'));
  await page.close();
}

const browser = await start_chromium();
for (const name of readdirSync(pages).filter((n) => n.endsWith('.html')).map((n) => basename(n, '.html')).sort()) {
  const file = resolve(pages, `${name}.html`);
  if (!all) await shoot(browser, file, { width: 1440, dark: false, picture: join(out, `${name}.png`) });
  else for (const width of [1440, 1024]) for (const dark of [false, true])
    await shoot(browser, file, { width, dark, picture: join(out, `${name}-${width}-${dark ? 'dark' : 'light'}.png`) });
}
await browser.stop();
