import { type Figure, figure } from '../../rig/results/report.ts';
import { memory, ofBare, ofBlast, perSecond, tell } from './figures.ts';
import { addPeople, openInstallation } from './installation.ts';
import { KINDS, type Measured, measureCampaign, PARAGRAPHS } from './measure.ts';
import type { Size } from './size.ts';
import { cpuName, MAILS, type Mail, rateName } from './table.ts';

const ASKED: Record<Mail, { ratio?: Figure['asked']; micros: Partial<Record<string, Figure['asked']>> }> = {
  small: {
    ratio: { of: 'ratio', atLeast: 0.55, aim: 0.7 },
    micros: {
      senders: { atMost: 160, aim: 110 },
      mongod: { atMost: 85, aim: 60 },
      background: { atMost: 15, aim: 10 },
    },
  },
  large: {
    ratio: { of: 'ratio', atLeast: 0.5, aim: 0.6 },
    micros: {
      senders: { atMost: 200, aim: 130 },
      mongod: { atMost: 120, aim: 80 },
      background: { atMost: 25, aim: 15 },
    },
  },
  own: { micros: {} },
};

/** Large and small mails in turns, and some that we sign: to fewer people, since a signature costs more than all the rest. */
export async function speed({ recipients, rounds, shared }: Size): Promise<Figure[]> {
  const installation = await openInstallation({ ...shared, mail: false });
  const listId = await addPeople(installation.drill, recipients);
  const fewer = Math.ceil(recipients / 5);
  const fewerId = await addPeople(installation.drill, fewer);
  const found: Record<Mail, Measured[]> = { large: [], small: [], own: [] };
  const measure = (mail: keyof typeof PARAGRAPHS) =>
    measureCampaign(installation, { listId, recipients, paragraphs: PARAGRAPHS[mail] });
  for (const _ of rounds) {
    for (const mail of ['large', 'small'] as const) found[mail].push(tell(await measure(mail)));
    found.own.push(tell(await measureCampaign(installation, { listId: fewerId, recipients: fewer, signing: 'own' })));
  }
  await installation.close();
  const { large, small, own } = found;
  const all = [...large, ...small, ...own];
  const added = large.map(({ micros }, round) => (own[round]?.micros.senders ?? Number.NaN) - micros.senders);
  const histories = all.map(({ history }) => history);
  return [
    ...(['large', 'small'] as const).flatMap((mail) => [
      ...ofMail(found[mail], mail, shared.senders),
      ...whileSending(found[mail], mail),
    ]),
    ...ofMail(own, 'own', shared.senders),
    figure('CPU of the senders for each recipient, what both signatures add', 'us', added),
    ...memory(all),
    figure(`Events in the history of a campaign of ${recipients.toLocaleString('en-US')}`, '', histories, {
      asked: { atMost: 10_000 },
    }),
  ];
}

function ofMail(found: Measured[], mail: Mail, senders: number): Figure[] {
  const { ratio, micros } = ASKED[mail];
  return [
    figure(`${found[0]?.recipients.toLocaleString('en-US')} ${rateName(mail)}`, '/s', perSecond(found), {
      ceiling: ofBare(found),
      asked: ratio,
      note: `${found[0]?.bytes} bytes each; senders: ${senders}`,
    }),
    ...KINDS.map((kind) => {
      const values = found.map((one) => one.micros[kind]);
      return figure(cpuName(kind, mail), 'us', values, { asked: micros[kind] });
    }),
  ];
}

function whileSending(found: Measured[], mail: Mail): Figure[] {
  const { title } = MAILS[mail];
  const many = `${found[0]?.recipients.toLocaleString('en-US')} recipients of ${title}`;
  const rates = found.map(({ sendingSeconds, recipients }) => recipients / sendingSeconds);
  const freezes = found.map(({ freezeSeconds }) => freezeSeconds);
  return [
    figure(`${many} from the first to the last 250; the relay signs`, '/s', rates, { ceiling: ofBlast(found) }),
    ...(['mongod', 'background'] as const).map((kind) => {
      const values = found.map((one) => one.freezeMicros[kind]);
      return figure(`CPU of ${kind} for each recipient of ${title}, the freeze alone`, 'us', values);
    }),
    figure(`From the POST until the audience of ${many} is written down`, 's', freezes),
  ];
}
