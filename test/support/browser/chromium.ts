import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium as playwright } from 'playwright-core';

/** Leaves out the tests that need a browser; the last lines of a run say so. */
export const SKIP_BROWSER = 'EVERPOST_SKIP_BROWSER';

const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
];

const LAUNCH_MS_MAX = 120_000;

interface Found {
  file: string;
  env: NodeJS.ProcessEnv;
}

let launched: Promise<Browser> | undefined;

/** One Chromium for all test files of a process; it ends with the process. */
export function browser(): Promise<Browser> {
  launched ??= launch();
  return launched;
}

/** For a suite whose tests need a browser: they are left out when a variable says so. The first start unpacks it. */
export function useBrowser(): () => Promise<Browser> {
  before(async function () {
    if (process.env[SKIP_BROWSER]) this.skip();
    this.timeout(LAUNCH_MS_MAX);
    await browser();
  });
  return browser;
}

/** The Chromium of the npm package, else one of the system, as Debian and others call it; CHROMIUM names another. */
async function launch(): Promise<Browser> {
  const { CHROMIUM, PATH = '' } = process.env;
  const ways: Array<() => Promise<Found | null>> = CHROMIUM
    ? [async () => ({ file: CHROMIUM, env: process.env })]
    : [packaged, async () => systemWide(PATH)];
  const faults: string[] = [];
  for (const find of ways) {
    try {
      const found = await find();
      if (!found) continue;
      const env = found.env as Record<string, string>;
      return await playwright.launch({ executablePath: found.file, args: FLAGS, env });
    } catch (error) {
      faults.push((error as Error).message.split('\n').slice(0, 3).join(' '));
    }
  }
  throw new Error(
    `No Chromium can be started here: the one of @sparticuz/chromium cannot run, and there is none on the PATH. Install one (Debian: apt-get install chromium), name one in CHROMIUM, or leave these tests out with ${SKIP_BROWSER}=1. ${faults.join(' | ')}`,
  );
}

/** Unpacked once for each version of the package, with the libraries and fonts that a bare machine lacks. */
async function packaged(): Promise<Found> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const manifest = join(entry.slice(0, entry.lastIndexOf(join('chromium', 'build'))), 'chromium', 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(tmpdir(), `everpost-chromium-${version}`);
  if (!existsSync(join(folder, 'chromium'))) await unpack(folder);
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  const env = { ...process.env, HOME: folder, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts') };
  return { file: join(folder, 'chromium'), env };
}

/** Two test processes may do it at the same time: the folder is there at once. */
async function unpack(folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}.part`;
  mkdirSync(unfinished, { recursive: true });
  const script = join(import.meta.dirname, 'chromium-unpack.ts');
  // With this name of a runtime it unpacks its libraries too.
  const env = { ...process.env, TMPDIR: unfinished, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' };
  try {
    await promisify(execFile)(process.execPath, [script], { env });
    writeFileSync(join(unfinished, 'fonts', 'fonts.conf'), fontsConf(folder));
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(join(folder, 'chromium'))) throw error;
  }
}

/** The package's own names folders of a cloud. The font that it brings comes first, so that pictures are the same everywhere. */
function fontsConf(folder: string): string {
  const alias = (family: string, font: string) =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
  ${alias('system-ui', 'Open Sans')}
  ${alias('sans-serif', 'Open Sans')}
  ${alias('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`;
}

function systemWide(path: string): Found | null {
  const folders = path.split(delimiter);
  const file = SYSTEM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((one) =>
    existsSync(one),
  );
  return file ? { file, env: process.env } : null;
}
