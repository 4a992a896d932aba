import { usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { pause } from '../../rig/waiting.ts';
import { ofBlast, perSecond, tell } from '../campaigns/figures.ts';
import { addPeople, openInstallation } from '../campaigns/installation.ts';
import { type Measured, measureCampaign } from '../campaigns/measure.ts';
import { say } from '../run.ts';
import type { ConsoleSize } from './size.ts';
import { browserProcesses, openTab, type Tab, warmConsole } from './tabs.ts';

const SHARED = { senders: 2, connections: 64, mail: false };
const WARM_UP = 5_000;
const SETTLED_MS = 3_000;
/** Of its rate without the page. */
const SHARE_MIN = 0.95;

interface Round extends Measured {
  /** CPU of the API for each recipient. */
  apiMicros: number;
  browserSeconds: number;
}

/** The campaign bench without the console and with it on the campaign's page, in turns. */
export async function campaign({ recipients, rounds }: ConsoleSize): Promise<Figure[]> {
  const installation = await openInstallation(SHARED);
  try {
    await warmConsole(installation.url);
    const [few, many] = [await addPeople(installation.drill, WARM_UP), await addPeople(installation.drill, recipients)];
    const tab = await openTab(installation.drill, installation.url);
    const browser = browserProcesses();
    browser.lowerPriority();
    const measure = async (listId: typeof few, count: number, isOpen: boolean): Promise<Round> => {
      const usage = () => [usageOf(installation.children.api.pid).cpuSeconds, browser.cpuSeconds()] as const;
      let [api, seen] = usage();
      const measured = await measureCampaign(installation, { listId, recipients: count }, async (id) => {
        if (isOpen) await tab.go(`/campaigns/${id}`);
        await installation.relay.wait(count);
        const after = usage();
        [api, seen] = [after[0] - api, after[1] - seen];
      });
      if (isOpen) await leave(tab);
      say(`${isOpen ? 'with' : 'without'} the page; the browser used ${seen.toFixed(1)} s of CPU`);
      return { ...tell(measured), apiMicros: (api * 1e6) / count, browserSeconds: seen };
    };
    await measure(few, WARM_UP, true);
    const found: Record<'closed' | 'open', Round[]> = { closed: [], open: [] };
    // Each is first as often as second: rounds get slower or faster with time.
    for (const round of rounds)
      for (const isOpen of round % 2 === 0 ? [false, true] : [true, false])
        found[isOpen ? 'open' : 'closed'].push(await measure(many, recipients, isOpen));
    await tab.close();
    return figuresOf(found, recipients);
  } finally {
    await installation.close();
  }
}

/** The page has moved to its end; its stream is closed before the next round. */
async function leave({ page }: Tab): Promise<void> {
  await page.getByText('% delivered').waitFor();
  await page.goto('about:blank');
  await pause(SETTLED_MS);
}

function figuresOf({ closed, open }: Record<'closed' | 'open', Round[]>, recipients: number): Figure[] {
  const many = `Campaign of ${recipients.toLocaleString('en-US')}`;
  const of = `${many} with the console open on its page`;
  const api = (rounds: Round[]) => rounds.map(({ apiMicros }) => apiMicros);
  const mongod = (rounds: Round[]) => rounds.map(({ micros }) => micros.mongod);
  const without = (values: number[]) => ({ name: 'without it', values });
  const seconds = open.map(({ browserSeconds }) => browserSeconds.toFixed(1)).join(', ');
  return [
    figure(`${of}, from the POST to the last 250`, '/s', perSecond(open), {
      ceiling: without(perSecond(closed)),
      asked: { of: 'ratio', atLeast: SHARE_MIN },
      note: `the browser is on the same machine at a lower priority, and used ${seconds} s of CPU`,
    }),
    figure(`${many} without the console, from the POST to the last 250`, '/s', perSecond(closed), {
      ceiling: ofBlast(closed),
    }),
    figure(`${of}, CPU of the API for each recipient`, 'us', api(open), { ceiling: without(api(closed)) }),
    figure(`${of}, CPU of mongod for each recipient`, 'us', mongod(open), { ceiling: without(mongod(closed)) }),
  ];
}
