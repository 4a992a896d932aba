import type { CDPSession, Page } from 'playwright-core';
import { type Figure, figure } from '../../rig/results/report.ts';

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Of the page's main thread, so that the load of the machine is not in its times. */
export async function threadOf(page: Page): Promise<CDPSession> {
  const thread = await page.context().newCDPSession(page);
  await thread.send('Performance.enable', { timeDomain: 'threadTicks' });
  return thread;
}

/** Milliseconds of the page's thread for each act, up to the frame that shows it. */
export async function inPage(
  page: Page,
  thread: CDPSession,
  count: number,
  act: () => Promise<unknown>,
): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < count; n += 1) {
    await page.evaluate(FRAMES);
    const before = await taskSeconds(thread);
    await act();
    await page.evaluate(FRAMES);
    found.push(((await taskSeconds(thread)) - before) * 1_000);
  }
  return found;
}

async function taskSeconds(thread: CDPSession): Promise<number> {
  const { metrics } = await thread.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

/** The worst but one of a hundred. */
export function p99Of(name: string, values: number[], asked?: Figure['asked']): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return figure(name, 'ms', [at(0.99)], { asked, note: `${values.length} times, p50 ${at(0.5).toFixed(1)} ms` });
}
