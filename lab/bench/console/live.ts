import type { Page, Request } from 'playwright-core';
import { type Figure, figure } from '../../rig/results/report.ts';
import { pause } from '../../rig/waiting.ts';
import { say } from '../run.ts';
import { abort, launchSlow, openRunning, type RunningCampaign, sentOn, watch } from './running-campaign.ts';
import type { ConsoleSize } from './size.ts';

const RATE = 50;
const SETTLED_MS = 3_000;
const LATE_MS = 50;
/** The campaign whose page makes no request. */
const WATCHED = { recipients: 5_000, ratePerSecond: 250 };
const STREAM = '/v1/stream';

interface Frames {
  frames: number;
  /** Frames that came more than LATE_MS after the one before. */
  late: number;
  longestMs: number;
  /** Tasks of more than 50 ms, as the browser counts them. */
  longTasks: number;
  /** Events that reached the page. */
  events: number;
}

/** The page of a campaign that is being sent: with the events of the stream, and in turns with so many more. */
export async function live({ seconds, events, rounds }: ConsoleSize): Promise<Figure[]> {
  const lasting = rounds.length * 2 * (seconds + 5) + 120;
  const running = await openRunning({ recipients: Math.max(2_000, lasting * RATE), ratePerSecond: RATE });
  try {
    await measure(running, seconds, 0);
    const [quiet, busy]: [Frames[], Frames[]] = [[], []];
    for (const _ of rounds) {
      quiet.push(await measure(running, seconds, 0));
      busy.push(await measure(running, seconds, events));
    }
    const requests = await requestsOfACampaign(running);
    return [...figuresOf({ quiet, busy }, seconds, events), requests];
  } finally {
    await running.close();
  }
}

function figuresOf({ quiet, busy }: { quiet: Frames[]; busy: Frames[] }, seconds: number, events: number): Figure[] {
  const of = `Campaign page for ${seconds} s at ${events} events a second`;
  const without = (field: keyof Frames) => ({ name: 'without these', values: quiet.map((one) => one[field]) });
  const reached = busy.map((one) => one.events / seconds);
  /** As many as the worst round without these has. */
  const noise = (field: keyof Frames) => ({ atMost: Math.max(...quiet.map((one) => one[field])) });
  const value = (field: keyof Frames, unit = '') => ({ unit, values: busy.map((one) => one[field]) });
  return [
    {
      ...{ name: `${of}: frames later than ${LATE_MS} ms`, ...value('late') },
      ...{ asked: noise('late'), note: `without these ${spread(quiet, 'late')}; ${spread(busy, 'frames')} frames` },
    },
    {
      ...{ name: `${of}: tasks longer than 50 ms`, ...value('longTasks') },
      ...{ asked: noise('longTasks'), note: `without these ${spread(quiet, 'longTasks')}` },
    },
    { name: `${of}: the longest frame`, ...value('longestMs', 'ms'), ceiling: without('longestMs') },
    figure(`${of}: events that reached the page`, '/s', reached, {
      asked: { atLeast: events * 0.98 },
      note: 'those of the API itself included',
    }),
  ];
}

function spread(found: Frames[], field: keyof Frames): string {
  return found.map((one) => Math.round(one[field])).join(', ');
}

async function measure(running: RunningCampaign, seconds: number, events: number): Promise<Frames> {
  const publishing = events > 0 ? running.publish(events) : null;
  await pause(SETTLED_MS);
  const found = await countFrames(running, seconds);
  await publishing?.stop();
  await pause(SETTLED_MS);
  say(`${events} events a second: ${JSON.stringify(found)}`);
  return found;
}

/** In the page itself. Tabs pass events to each other on a channel, where they are counted. */
function countFrames({ tab, installation }: RunningCampaign, seconds: number): Promise<Frames> {
  const { organizationId, _id } = installation.drill.project;
  const channel = `everpost-live-${organizationId.toHexString()}-${_id.toHexString()}`;
  return tab.page.evaluate(`new Promise((resolve) => {
    const found = { frames: 0, late: 0, longestMs: 0, longTasks: 0, events: 0 };
    const tasks = new PerformanceObserver((list) => { found.longTasks += list.getEntries().length; });
    tasks.observe({ type: 'longtask' });
    const channel = new BroadcastChannel('${channel}');
    channel.onmessage = ({ data }) => { if (data.kind === 'event') found.events += 1; };
    const began = performance.now();
    let last = began;
    const frame = (now) => {
      const took = now - last;
      last = now;
      if (now < began) return requestAnimationFrame(frame);
      found.frames += 1;
      found.longestMs = Math.max(found.longestMs, took);
      if (took > ${LATE_MS}) found.late += 1;
      if (now - began < ${seconds * 1_000}) return requestAnimationFrame(frame);
      tasks.disconnect();
      channel.close();
      resolve(found);
    };
    requestAnimationFrame(frame);
  })`) as Promise<Frames>;
}

/** From the page that is drawn to the last mail. */
async function requestsOfACampaign({ installation, campaignId, tab }: RunningCampaign): Promise<Figure> {
  await abort(installation, campaignId);
  await pause(SETTLED_MS);
  await installation.relay.reset();
  const id = await launchSlow(installation, WATCHED);
  await watch(tab, id);
  await untilNoRequest(tab.page);
  const seen: string[] = [];
  const note = (request: Request) => {
    const { pathname } = new URL(request.url());
    if (pathname !== STREAM) seen.push(`${request.method()} ${pathname}`);
  };
  const from = await sentOn(tab.page);
  tab.page.on('request', note);
  await installation.relay.wait(WATCHED.recipients);
  tab.page.off('request', note);
  await tab.page.getByText('% delivered').waitFor();
  if (seen.length > 0) say(`requests: ${seen.join(', ')}`);
  const many = WATCHED.recipients.toLocaleString('en-US');
  return figure(`Requests of the page while a campaign of ${many} is sent, other than its stream`, '', [seen.length], {
    asked: { atMost: 0 },
    note: `from mail ${from.toLocaleString('en-US')} to the last`,
  });
}

async function untilNoRequest(page: Page): Promise<void> {
  let last = performance.now();
  const note = () => {
    last = performance.now();
  };
  page.on('request', note);
  while (performance.now() - last < SETTLED_MS) await pause(100);
  page.off('request', note);
}
