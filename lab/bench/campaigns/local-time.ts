import { createCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { freezeAudience } from '../../../core/campaigns/run/freeze.ts';
import { type DrillContext, origin, SENDER, withDrill } from '../../rig/context.ts';
import { cpuOf, mongodPid, usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { makeList } from '../../rig/traffic/people.ts';
import { say } from '../run.ts';
import type { Size } from './size.ts';

const ZONES = 38;
const DAYS_AHEAD = 10;
const DAY_MS = 86_400_000;

interface Freeze {
  seconds: number;
  /** Processor time, of this process and of mongod. */
  cpuSeconds: number;
}

/** The audience of one list written down by itself, and for a campaign at local time, in turn: in this process, without senders. */
export async function freezes({ recipients, rounds }: Size): Promise<Figure[]> {
  return withDrill(process.env, {}, async (drill) => {
    const zones = Intl.supportedValuesOf('timeZone')
      .filter((_, index) => index % 11 === 0)
      .slice(0, ZONES);
    await drill.deps.db.projects.updateOne({ _id: drill.project._id }, { $set: { timezoneProperty: 'home' } });
    const personOf = (index: number) => ({
      email: `p${index}@d${index % 50}.example.org`,
      // Neighbours by address are of different zones.
      contactProperties: { home: zones[(index * 7) % zones.length] ?? '' },
    });
    const { listId } = await makeList(drill, 'People', recipients, personOf);
    const found: Record<'plain' | 'local', Freeze[]> = { plain: [], local: [] };
    const localTime = {
      ...{ date: new Date(Date.now() + DAYS_AHEAD * DAY_MS).toISOString().slice(0, 10), time: '09:00' },
      ...{ fallbackTimezone: 'Europe/Berlin', late: 'now' as const },
    };
    // The first reads from the disk.
    await frozen(drill, listId, { sendNow: true });
    for (const _ of rounds) {
      found.plain.push(await frozen(drill, listId, { sendNow: true }));
      found.local.push(await frozen(drill, listId, { localTime }));
    }
    const many = recipients.toLocaleString('en-US');
    const local = (of: keyof Freeze) => found.local.map((one) => one[of]);
    const plain = (of: keyof Freeze) => ({
      name: 'the same people without local time',
      values: found.plain.map((one) => one[of]),
    });
    const { peakMb } = usageOf(process.pid);
    return [
      figure(`An audience of ${many} in ${zones.length} zones, written down at local time`, 's', local('seconds'), {
        ceiling: plain('seconds'),
        asked: { of: 'ratio', atMost: 1.3 },
      }),
      figure(`Processor time of writing ${many} down at local time, the process and mongod`, 's', local('cpuSeconds'), {
        ceiling: plain('cpuSeconds'),
      }),
      figure(`Highest resident memory while ${many} are written down at local time`, 'MB', [peakMb]),
    ];
  });
}

async function frozen({ deps, project }: DrillContext, listId: string, time: object): Promise<Freeze> {
  const body = {
    ...{ name: 'Bench', subject: 'Hello', htmlTemplate: '<p>Hello.</p>', from: { email: SENDER } },
    ...{ toLists: [listId], ...time },
  };
  const { campaign } = await createCampaign(deps, project, body, origin());
  const pids = [process.pid, await mongodPid(deps)];
  const before = cpuOf(pids).cpuSeconds;
  const began = performance.now();
  await freezeAudience(deps, campaign, { signal: new AbortController().signal, onProgress() {} });
  const seconds = (performance.now() - began) / 1_000;
  const kind = 'localTime' in time ? 'at local time' : 'plain';
  const cpuSeconds = cpuOf(pids).cpuSeconds - before;
  say(`${kind}: ${seconds.toFixed(2)} s, processor ${cpuSeconds.toFixed(2)} s`);
  return { seconds, cpuSeconds };
}
