import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileTemplate, renderTemplate } from '../core/templates/language/templates.ts';
import { drawnPicture } from '../core/templates/starters/pictures/pictures.ts';
import { markOf } from '../core/templates/translated/compile.ts';
import { browser } from '../test/support/browser/chromium.ts';
import { STARTER_VALUES, smallMails } from '../test/templates/starters/values.ts';

/** `npm run starter-pictures`: draws the pictures of the mails to begin with again, after a drawing or a mail was changed. */
const folder = join(import.meta.dirname, '../core/templates/starters/pictures');
/** The drawings have 1104 x 460; mails show them 552 wide at most. */
const SIZE = { width: 960, height: 400 };
/** People on telephones pay for each. */
const BYTES_MAX = 30_000;
/** The upper part of each mail, at six tenths. */
const MAIL = { width: 600, height: 700 };
const MAIL_SCALE = 0.6;

const page = await (await browser()).newPage({ viewport: SIZE });
for (const file of readdirSync(folder).filter((name) => name.endsWith('.svg'))) {
  const drawing = readFileSync(join(folder, file), 'utf8');
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${drawing}`);
  const png = await page.screenshot();
  if (png.length > BYTES_MAX) throw new Error(`${file} has ${png.length} bytes as a picture, more than ${BYTES_MAX}`);
  writeFileSync(join(folder, file.replace('.svg', '.png')), png);
  console.log(`${file}: ${png.length} bytes`);
}
await drawMails();
process.exit(0);

/** The mails themselves, as small pictures for those who choose one. Each is drawn again when its HTML is another one. */
async function drawMails(): Promise<void> {
  const small = await (await browser()).newPage({ viewport: MAIL, deviceScaleFactor: MAIL_SCALE });
  const marks: Record<string, string> = {};
  for (const { id, html } of smallMails()) {
    const compiled = compileTemplate(html, 'html');
    if (!compiled.ok) throw new Error(`${id}: ${compiled.message}`);
    await small.setContent(withPictures(renderTemplate(compiled.template, STARTER_VALUES)));
    const jpeg = await small.screenshot({ type: 'jpeg', quality: 70 });
    if (jpeg.length > BYTES_MAX) throw new Error(`${id} has ${jpeg.length} bytes as a picture, more than ${BYTES_MAX}`);
    writeFileSync(join(folder, 'mails', `${id}.jpg`), jpeg);
    marks[id] = markOf(html);
    console.log(`${id}: ${jpeg.length} bytes`);
  }
  writeFileSync(join(folder, 'mails/marks.json'), `${JSON.stringify(marks, null, 2)}\n`);
}

function withPictures(html: string): string {
  return html.replace(/https:\/\/here\.test\/media\/(starter-[\w-]+\.png)/g, (_, name) => {
    return `data:image/png;base64,${drawnPicture(name)!.toString('base64')}`;
  });
}
