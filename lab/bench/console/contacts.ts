import type { Page } from 'playwright-core';
import { type Figure, figure } from '../../rig/results/report.ts';
import { seedContacts } from '../audience/seed.ts';
import { openStage, type Stage } from '../audience/stage.ts';
import { inRounds } from '../run.ts';
import type { ConsoleSize } from './size.ts';
import { openTab, type Tab, warmConsole } from './tabs.ts';

const ROUNDS = 5;
const ASKED_MS = 1_000;
const KEY_MS = 60;
const BOX = 'Part of an address';
/** Rows of people, not of skeletons. */
const ROW = 'tbody a[href*="person="]';

/** Before any script of the page: when the first rows are painted, by a clock that begins with the navigation. */
const NOTE_FIRST_ROWS = `
  window.firstRowsMs = new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('${ROW}')) requestAnimationFrame(() => resolve(performance.now()));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
`;

/** The page of contacts, by a browser on the same machine. */
export async function contacts({ contacts: many }: ConsoleSize): Promise<Figure[]> {
  const stage = await openStage(many);
  try {
    await seedContacts(stage);
    await warmConsole(stage.url);
    await measureRound(stage, ROUNDS);
    const found = await inRounds(ROUNDS, (round) => measureRound(stage, round));
    const of = `Contacts page at ${many.toLocaleString('en-US')} contacts`;
    const asked = { atMost: ASKED_MS };
    return [
      figure(`${of}, from the navigation to its first rows`, 'ms', found.empty, {
        asked,
        note: 'a new browser each time, with an empty cache',
      }),
      figure(`${of}, the same again in that browser`, 'ms', found.again, { asked }),
      figure(`${of}, from the last key of a part of an address to its rows`, 'ms', found.search, {
        note: 'it waits 250 ms for the next key',
      }),
    ];
  } finally {
    await stage.close();
  }
}

async function measureRound({ drill, url, personOf }: Stage, round: number) {
  const tab = await openTab(drill, url);
  await tab.page.addInitScript(NOTE_FIRST_ROWS);
  const empty = await firstRowsMs(tab);
  const again = await firstRowsMs(tab);
  const part = personOf(round * 7_001 + 13).email.slice(0, 4);
  const search = await searchMs(tab.page, part);
  // The rows can be used: the first one opens.
  await tab.page.locator(ROW).first().click();
  await tab.page.getByRole('complementary').getByText('@').first().waitFor();
  await tab.close();
  return { empty, again, search };
}

async function firstRowsMs({ page, go }: Tab): Promise<number> {
  await go('/contacts');
  return (await page.evaluate('window.firstRowsMs')) as number;
}

/** Until each row has the part, and there is one. */
async function searchMs(page: Page, part: string): Promise<number> {
  const before = await page.locator(ROW).allTextContents();
  if (before.every((address) => address.includes(part))) throw new Error(`Every row has "${part}" already.`);
  await page.evaluate(`
    window.typedMs = 0;
    addEventListener('input', () => { window.typedMs = performance.now(); }, true);
    window.foundMs = new Promise((resolve) => {
      const look = () => {
        const rows = [...document.querySelectorAll('${ROW}')];
        const isFound = rows.length > 0 && rows.every((row) => row.textContent.includes(${JSON.stringify(part)}));
        if (isFound) requestAnimationFrame(() => resolve(performance.now() - window.typedMs));
        else requestAnimationFrame(look);
      };
      look();
    });
    0;
  `);
  await page.getByRole('searchbox', { name: BOX }).pressSequentially(part, { delay: KEY_MS });
  return (await page.evaluate('window.foundMs')) as number;
}
