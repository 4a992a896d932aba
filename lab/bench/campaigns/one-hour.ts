import type { Figure } from '../../rig/results/report.ts';
import { makeList } from '../../rig/traffic/people.ts';
import { say, sizeOr } from '../run.ts';
import { freezeEnd, type Installation, openInstallation, requireAllOnce } from './installation.ts';
import { launch, PARAGRAPHS } from './measure.ts';
import type { Size } from './size.ts';

const PEOPLE = 10_000;
const MINUTE_MS = 60_000;
/** The audience must be written down before the hour. */
const FREEZE_MS = 15_000;

interface Sent {
  /** From the first to the last 250. */
  perSecond: number;
  /** From the hour, or from when the audience was written down, to the last 250. */
  seconds: number;
}

/** People who all have the time at the same moment, and the same people in a plain campaign, in turn. */
export async function oneHour({ rounds, shared }: Size): Promise<Figure[]> {
  const recipients = sizeOr(PEOPLE);
  const installation = await openInstallation({ ...shared, mail: false });
  const { drill } = installation;
  await drill.deps.db.projects.updateOne({ _id: drill.project._id }, { $set: { timezoneProperty: 'home' } });
  const personOf = (index: number) => ({
    email: `p${index}@d${index % 50}.in.test`,
    contactProperties: { home: 'UTC' },
  });
  const { listId } = await makeList(drill, 'People', recipients, personOf);
  const found: Record<'plain' | 'local', Sent[]> = { plain: [], local: [] };
  // Connections are opened, and code is compiled.
  await sent(installation, listId, recipients, null);
  for (const _ of rounds) {
    found.plain.push(await sent(installation, listId, recipients, null));
    found.local.push(await sent(installation, listId, recipients, nextMinute()));
  }
  await installation.close();
  const values = (some: Sent[], of: keyof Sent) => some.map((one) => one[of]);
  const name = `${recipients.toLocaleString('en-US')} people at one local hour, from`;
  return [
    {
      name: `${name} the first to the last 250`,
      unit: '/s',
      values: values(found.local, 'perSecond'),
      ceiling: { name: 'the same people in a plain campaign', values: values(found.plain, 'perSecond') },
      asked: { of: 'ratio', atLeast: 0.9 },
    },
    {
      name: `${name} the hour to the last 250`,
      unit: 's',
      values: values(found.local, 'seconds'),
      ceiling: {
        name: 'a plain campaign, from when the audience is written down',
        values: values(found.plain, 'seconds'),
      },
    },
  ];
}

function nextMinute(): Date {
  return new Date(Math.ceil((Date.now() + FREEZE_MS) / MINUTE_MS) * MINUTE_MS);
}

/** null: at once. */
async function sent(installation: Installation, listId: string, recipients: number, hour: Date | null): Promise<Sent> {
  const { drill, relay } = installation;
  await relay.reset();
  const wall = hour?.toISOString() ?? '';
  const localTime = { date: wall.slice(0, 10), time: wall.slice(11, 16), fallbackTimezone: 'UTC', late: 'now' };
  const time = hour ? { sendNow: undefined, localTime } : {};
  const id = await launch(installation, { listId, paragraphs: PARAGRAPHS.small, ...time });
  const frozen = freezeEnd(drill, id).then(() => Date.now());
  const arrived = await relay.wait(recipients);
  const over = Date.now();
  const begun = hour?.getTime() ?? (await frozen);
  await requireAllOnce(drill, id, recipients, arrived.duplicates);
  if ((await frozen) > begun) throw new Error('the audience was late');
  const [perSecond, seconds] = [recipients / arrived.seconds, (over - begun) / 1_000];
  say(`${hour ? 'at one hour' : 'plain'}: ${Math.round(perSecond)}/s, ${seconds.toFixed(1)} s`);
  return { perSecond, seconds };
}
