import type { CDPSession } from 'playwright-core';
import { slope } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { pause } from '../../rig/waiting.ts';
import { say } from '../run.ts';
import { openRunning, sentOn } from './running-campaign.ts';
import type { ConsoleSize } from './size.ts';

const RATE = 100;
const WARM_UP_MS = 60_000;
const LOOKS = 40;
const LOOK_MS_MIN = 2_000;
/** An hour at this slope is a tenth of a megabyte more for each of its kB. */
const SLOPE_KB_MAX = 10;
const GROWTH_MAX = 1.05;

interface Look {
  minutes: number;
  kb: number;
  nodes: number;
  listeners: number;
}

/** The heap of the page of a running campaign, each time after a collection. */
export async function heap({ minutes, events }: ConsoleSize): Promise<Figure[]> {
  const lastingMs = minutes * 60_000 + WARM_UP_MS;
  const recipients = Math.ceil((lastingMs / 1_000 + 180) * RATE);
  const running = await openRunning({ recipients, ratePerSecond: RATE });
  try {
    const devtools = await running.tab.page.context().newCDPSession(running.tab.page);
    const publishing = running.publish(events);
    await pause(WARM_UP_MS);
    const looks = await lookAt(devtools, minutes * 60_000);
    const before = await sentOn(running.tab.page);
    await pause(LOOK_MS_MIN);
    const published = await publishing.stop();
    if ((await sentOn(running.tab.page)) <= before) throw new Error('The page does not move any more.');
    return figuresOf(looks, { minutes, published });
  } finally {
    await running.close();
  }
}

async function lookAt(devtools: CDPSession, forMs: number): Promise<Look[]> {
  await devtools.send('HeapProfiler.enable');
  const began = performance.now();
  const everyMs = Math.max(LOOK_MS_MIN, forMs / LOOKS);
  const looks: Look[] = [];
  for (let next = 0; next <= forMs; next += everyMs) {
    await pause(Math.max(0, began + next - performance.now()));
    // The second collects objects that only finalizers held.
    await devtools.send('HeapProfiler.collectGarbage');
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    const { nodes, jsEventListeners: listeners } = await devtools.send('Memory.getDOMCounters');
    looks.push({ minutes: (performance.now() - began) / 60_000, kb: usedSize / 1_000, nodes, listeners });
    say(`heap ${Math.round(usedSize / 1_000)} kB, ${nodes} nodes, ${listeners} listeners`);
  }
  return looks;
}

function figuresOf(looks: Look[], { minutes, published }: { minutes: number; published: number }): Figure[] {
  const quarter = Math.max(1, Math.floor(looks.length / 4));
  const [first, last] = [looks.slice(0, quarter), looks.slice(-quarter)];
  const of = `Page of a running campaign over ${minutes} minutes`;
  const note = `${published.toLocaleString('en-US')} events; a look each ${Math.round((minutes * 60) / (looks.length - 1))} s`;
  const flat = { of: 'ratio', atMost: GROWTH_MAX } as const;
  const both = (field: 'kb' | 'nodes' | 'listeners', scale = 1) => ({
    values: last.map((look) => look[field] / scale),
    ceiling: { name: 'its first quarter', values: first.map((look) => look[field] / scale) },
    asked: flat,
  });
  return [
    { name: `${of}: heap in its last quarter`, unit: 'MB', ...both('kb', 1_000), note },
    figure(`${of}: slope of the heap`, 'kB/min', [slope(looks.map(({ minutes: at, kb }) => [at, kb]))], {
      asked: { atMost: SLOPE_KB_MAX },
    }),
    { name: `${of}: nodes of the document in its last quarter`, unit: '', ...both('nodes') },
    { name: `${of}: listeners in its last quarter`, unit: '', ...both('listeners') },
  ];
}
