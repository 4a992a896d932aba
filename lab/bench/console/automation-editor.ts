import type { CDPSession, Page } from 'playwright-core';
import { move } from '../../../console/pages/automations/edit/model/move.ts';
import type { Steps } from '../../../console/pages/automations/edit/model/steps.ts';
import { waysOf } from '../../../console/pages/automations/graph/flow.ts';
import type { Figure } from '../../rig/results/report.ts';
import { inPage, p99Of, threadOf } from './acts.ts';
import { openTab, warmConsole, withApi } from './tabs.ts';

const GROUPS = 40;
const MOVES = 400;
const PRESSES = 120;
const PUTS = 30;
const WARM = 20;
const ASKED_MS = 16;

/** The editor at the most steps that an automation has: the act of a move by itself, and what a person does in the page. */
export function automationEditor(): Promise<Figure[]> {
  return withApi(async ({ drill, url, client }) => {
    const made = await client.post('/automations', { name: 'Two hundred', steps: twoHundred() });
    const { id, steps } = made.body.data;
    await warmConsole(url);
    const tab = await openTab(drill, url);
    await tab.page.setViewportSize({ width: 1400, height: 1000 });
    await tab.go(`/automations/${id}/edit`);
    const entry = tab.page.getByRole('link', { name: /^A contact is created/ });
    await entry.waitFor();
    const thread = await threadOf(tab.page);
    await entry.focus();
    const walks = await inPage(tab.page, thread, PRESSES, () => tab.page.keyboard.press('ArrowDown'));
    const puts = await putSteps(tab.page, thread);
    await tab.close();
    const of = 'Automation editor at 200 steps, p99 of processor';
    return [
      p99Of(`${of}, a step is moved: the act`, movesOf(steps), { atMost: ASKED_MS }),
      p99Of(`${of}, the page walks to the next step by a key`, walks, { atMost: ASKED_MS }),
      p99Of(`${of}, the page puts a step on another line and draws it`, puts),
    ];
  });
}

/** Forty times a wait, a mail, and a branch with two steps. */
function twoHundred(): object[] {
  const opened = { groups: [{ behaviour: 'humanOpened', operator: 'at_least', count: 1, withinDays: 7 }] };
  return Array.from({ length: GROUPS }, (_, n) => {
    const next = n + 1 < GROUPS ? `w${n + 1}` : null;
    const inside = { parentBranchStepId: `b${n}`, parentBranchId: 'yes' };
    const delay = { value: 1, unit: 'days' };
    const mail = (stepId: string, more: object = {}) => ({
      ...{ type: 'email', stepId, ...more },
      email: { subject: `Letter ${stepId}`, htmlTemplate: '<p>Hello</p><a href="{{unsubscribe}}">Unsubscribe</a>' },
    });
    return [
      { type: 'wait', stepId: `w${n}`, delay },
      mail(`m${n}`),
      {
        ...{ type: 'branch', stepId: `b${n}`, nextStepId: next },
        branches: [{ branchId: 'yes', label: 'Opened it', filterCriteria: opened, mergeStepId: next }],
      },
      { type: 'wait', stepId: `x${n}`, delay, ...inside },
      mail(`y${n}`, inside),
    ];
  }).flat();
}

/** Each mail of the main way in turn to a line far from it; each move begins from the stored steps. */
function movesOf(steps: Steps): number[] {
  const lines = waysOf(steps);
  return Array.from({ length: MOVES + WARM }, (_, n) => {
    const line = lines[(n * 7) % lines.length]?.id ?? '';
    const before = process.cpuUsage();
    move(steps, `m${n % GROUPS}`, line, (kind) => `${kind}-${n}`);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  }).slice(WARM);
}

async function putSteps(page: Page, thread: CDPSession): Promise<number[]> {
  const board = page.getByRole('group', { name: 'Steps and lines' });
  const found: number[] = [];
  for (let n = 0; n < PUTS; n += 1) {
    await board.getByRole('link', { name: new RegExp(`^Letter m${n % GROUPS}\\b`) }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'More for this step' }).click();
    await page.getByRole('menuitem', { name: 'Move', exact: true }).click();
    const put = board.getByRole('button', { name: /^Put .* here/ }).nth((n * 7) % 100);
    await put.waitFor();
    found.push(...(await inPage(page, thread, 1, () => put.dispatchEvent('click'))));
    await page.keyboard.press('Escape');
  }
  return found;
}
