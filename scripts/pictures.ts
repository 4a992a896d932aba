import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { startServers } from '../stack/servers/all.ts';
import { missingKinds } from '../stack/settings.ts';
import { browser } from '../test/support/browser/chromium.ts';
import { signIn } from '../test/support/browser/console.ts';
import { openScene, type Scene } from './pictures/scene.ts';

/**
 * `npm run pictures`: takes the pictures of docs/images, each in light and dark, in an installation of its own with the letters of a
 * bookshop. Some minutes, since its campaign is really sent. Names among the arguments choose pictures.
 */
const folder = join(import.meta.dirname, '../docs/images');
const VIEW = { width: 1280, height: 800 };
const BYTES_MAX = 200_000;
const WAIT_MS = 60_000;

interface Picture {
  path(scene: Scene): string;
  /** Until everything that the picture is about is drawn. */
  drawn(page: Page): Promise<unknown>;
}

const pictures: Record<string, Picture> = {
  automation: {
    path: ({ automationId }) => `/automations/${automationId}`,
    drawn: (page) => page.getByRole('link', { name: /people on Wait 3 days/ }).waitFor(),
  },
  migration: {
    path: ({ migrationId }) => `/migrations/${migrationId}`,
    drawn: (page) => page.getByText(/Nothing is lost: it goes on from there/).waitFor(),
  },
  editor: {
    path: ({ templateId }) => `/templates/${templateId}`,
    async drawn(page) {
      await page.getByRole('searchbox', { name: 'Shown with the data of' }).fill('ada.lindqvist@fjord.example');
      await page.frameLocator('iframe[title="Preview at 320 px"]').getByText('Ada').first().waitFor();
      await page.locator('.cm-line').first().waitFor();
    },
  },
  campaign: {
    path: ({ campaignId }) => `/campaigns/${campaignId}`,
    drawn: (page) => page.getByRole('table', { name: 'Recipients' }).getByRole('link').first().waitFor(),
  },
  now: {
    path: () => '',
    drawn: (page) =>
      page
        .getByRole('progressbar')
        .or(page.getByRole('row', { name: /November/ }))
        .first()
        .waitFor(),
  },
};

const asked = process.argv.slice(2);
const chosen = Object.entries(pictures).filter(([name]) => asked.length === 0 || asked.includes(name));
const dataDir = mkdtempSync(join(tmpdir(), 'everpost-pictures-'));
// No mailbox: mail goes to a sink.
const kinds = missingKinds(process.env).filter((kind) => kind !== 'mailbox');
const servers = await startServers({ dataDir, kinds });
try {
  const scene = await openScene({ ...servers.environment, DATA_DIR: dataDir });
  try {
    for (const theme of ['light', 'dark'] as const) await take(scene, theme);
  } finally {
    await scene.close();
  }
} finally {
  await servers.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);

async function take(scene: Scene, theme: 'light' | 'dark'): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const context = await newContext(scene, theme);
  for (const [name, { path, drawn }] of chosen) {
    const page = await context.newPage();
    await page.goto(`/console/${scene.projectId}${path(scene)}`);
    await drawn(page);
    // Plots and bars have their first figures of the stream then.
    await page.waitForTimeout(3_000);
    const file = join(folder, `console-${name}-${theme}.png`);
    await page.screenshot({ path: file, animations: 'disabled' });
    await page.close();
    const { size } = statSync(file);
    console.log(`${file}: ${Math.round(size / 1_000)} kB`);
    if (size > BYTES_MAX) throw new Error(`${file} is larger than ${BYTES_MAX / 1_000} kB.`);
  }
  await context.close();
}

async function newContext(scene: Scene, theme: 'light' | 'dark'): Promise<BrowserContext> {
  const { environment, organization, owner } = scene;
  const { url } = environment;
  const look = { viewport: VIEW, colorScheme: theme, locale: 'en-GB', timezoneId: 'Europe/Berlin' };
  const context = await (await browser()).newContext({ baseURL: url, ...look });
  context.setDefaultTimeout(WAIT_MS);
  await signIn(environment, context, { organization }, { role: 'owner', url, email: owner });
  return context;
}
