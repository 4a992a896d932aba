import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser } from '../test/support/browser/chromium.ts';

/** `npm run starter-pictures`: draws the pictures of the mails to begin with again, after one of their drawings was changed. */
const folder = join(import.meta.dirname, '../core/templates/starters/pictures');
/** The drawings have 1104 x 460; mails show them 552 wide at most. */
const SIZE = { width: 960, height: 400 };
/** People on telephones pay for each. */
const BYTES_MAX = 30_000;

const page = await (await browser()).newPage({ viewport: SIZE });
for (const file of readdirSync(folder).filter((name) => name.endsWith('.svg'))) {
  const drawing = readFileSync(join(folder, file), 'utf8');
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${drawing}`);
  const png = await page.screenshot();
  if (png.length > BYTES_MAX) throw new Error(`${file} has ${png.length} bytes as a picture, more than ${BYTES_MAX}`);
  writeFileSync(join(folder, file.replace('.svg', '.png')), png);
  console.log(`${file}: ${png.length} bytes`);
}
process.exit(0);
