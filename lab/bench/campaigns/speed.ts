import type { Figure } from '../../rig/results/report.ts';
import { memory, ofBare, ofBlast, perSecond, tell } from './figures.ts';
import { addPeople, openInstallation } from './installation.ts';
import { KINDS, type Measured, measureCampaign, PARAGRAPHS } from './measure.ts';
import type { Size } from './size.ts';

type Mail = keyof typeof PARAGRAPHS;

const ASKED = {
  large: {
    title: '8.9 kB',
    ratio: { of: 'ratio', atLeast: 0.35, aim: 0.5 },
    micros: {
      senders: { atMost: 200, aim: 130 },
      mongod: { atMost: 120, aim: 80 },
      background: { atMost: 25, aim: 15 },
    },
  },
  small: { title: '2.6 kB', ratio: { of: 'ratio', atLeast: 0.25, aim: 0.35 }, micros: {} },
} as const;

/** Large and small mails in turns, and some that we sign: to fewer people, since a signature costs more than all the rest. */
export async function speed({ recipients, rounds, shared }: Size): Promise<Figure[]> {
  const installation = await openInstallation({ ...shared, mail: false });
  const listId = await addPeople(installation.drill, recipients);
  const fewer = Math.ceil(recipients / 5);
  const fewerId = await addPeople(installation.drill, fewer);
  const found: Record<Mail | 'own', Measured[]> = { large: [], small: [], own: [] };
  const measure = (mail: Mail) =>
    measureCampaign(installation, { listId, recipients, signing: 'relay', paragraphs: PARAGRAPHS[mail] });
  for (const _ of rounds) {
    for (const mail of ['large', 'small'] as const) found[mail].push(tell(await measure(mail)));
    found.own.push(tell(await measureCampaign(installation, { listId: fewerId, recipients: fewer, signing: 'own' })));
  }
  await installation.close();
  const { large, own } = found;
  return [
    ...(['large', 'small'] as const).flatMap((mail) => ofMail(found[mail], mail, shared.senders)),
    {
      name: `${fewer.toLocaleString('en-US')} recipients of 8.9 kB from the POST to the last 250; we sign with RSA-2048 and Ed25519`,
      unit: '/s',
      values: perSecond(own),
      ceiling: ofBlast(own),
    },
    {
      name: 'CPU of the senders for each recipient, what both signatures add',
      unit: 'us',
      values: large.map(({ micros }, round) => (own[round]?.micros.senders ?? Number.NaN) - micros.senders),
    },
    ...memory([...large, ...found.small, ...own]),
    {
      name: `Events in the history of a campaign of ${recipients.toLocaleString('en-US')}`,
      unit: '',
      values: [...large, ...found.small, ...own].map(({ history }) => history),
      asked: { atMost: 10_000 },
    },
  ];
}

function ofMail(found: Measured[], mail: Mail, senders: number): Figure[] {
  const { title, ratio, micros } = ASKED[mail];
  const many = `${found[0]?.recipients.toLocaleString('en-US')} recipients of ${title}`;
  const asked: Partial<Record<string, Figure['asked']>> = micros;
  return [
    {
      name: `${many} from the POST to the last 250, freeze included; the relay signs`,
      unit: '/s',
      values: perSecond(found),
      ceiling: ofBlast(found),
      asked: ratio,
      note: `${found[0]?.bytes} bytes each; ${senders} senders`,
    },
    {
      name: `${many} from the first to the last 250; the relay signs`,
      unit: '/s',
      values: found.map(({ sendingSeconds, recipients }) => recipients / sendingSeconds),
      ceiling: ofBare(found),
    },
    ...KINDS.map((kind) => ({
      name: `CPU of ${kind} for each recipient of ${title}, freeze included`,
      unit: 'us',
      values: found.map((one) => one.micros[kind]),
      ...(asked[kind] ? { asked: asked[kind] } : {}),
    })),
    ...(['mongod', 'background'] as const).map((kind) => ({
      name: `CPU of ${kind} for each recipient of ${title}, the freeze alone`,
      unit: 'us',
      values: found.map((one) => one.freezeMicros[kind]),
    })),
    {
      name: `From the POST until the audience of ${many} is written down`,
      unit: 's',
      values: found.map(({ freezeSeconds }) => freezeSeconds),
    },
  ];
}
