import { parseArgs } from 'node:util';
import { quantile } from '../rig/processes.ts';
import { type Figure, report } from '../rig/report.ts';
import { addPeople, type Installation, openInstallation } from './campaigns/installation.ts';
import { pauseInTheMiddle, sendMails } from './campaigns/meanwhile.ts';
import { type Measured, measureCampaign } from './campaigns/measure.ts';

/**
 * A campaign from the POST that starts it to the relay's last 250, the freeze included: HTML of 4 kB with a variable, a tracked link and
 * a pixel, a row in the ledger for each recipient (w: majority). In the same run a raw blast of the same bytes at the same sink, and one
 * that keeps a ledger too and does nothing else.
 * Everything runs on this one machine, sink included. Arguments choose among `parts`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    recipients: { type: 'string', default: '100000' },
    senders: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    sink: { type: 'string' },
    profile: { type: 'string' },
    /** Keeps nothing in bench/results: for trying something out. */
    dry: { type: 'boolean', default: false },
  },
});
const recipients = Number(values.recipients);
const rounds = Array.from({ length: Number(values.rounds) }, (_, round) => round);
const { sink, profile } = values;
const shared = { senders: Number(values.senders), connections: Number(values.connections), sink, profile };
const parts = { speed, meanwhile, sizes };
const chosen = positionals.length > 0 ? positionals : ['speed', 'meanwhile'];

for (const [name, part] of Object.entries(parts)) if (chosen.includes(name)) keep(await part());
process.exit(0);

function keep(figures: Figure[]): void {
  if (values.dry)
    for (const { name, values: found, unit } of figures) console.log(`${name}: ${found.join(' / ')} ${unit}`);
  else report('campaign', figures);
}

/** The relay signs and we sign, in turns; ours to fewer people, since a signature costs more than all the rest. */
async function speed(): Promise<Figure[]> {
  const installation = await openInstallation({ ...shared, mail: false });
  const listId = await addPeople(installation.drill, recipients);
  const fewer = Math.ceil(recipients / 5);
  const fewerId = await addPeople(installation.drill, fewer);
  const [relay, own]: [Measured[], Measured[]] = [[], []];
  for (const _ of rounds) {
    relay.push(tell(await measureCampaign(installation, { listId, recipients, signing: 'relay' })));
    own.push(tell(await measureCampaign(installation, { listId: fewerId, recipients: fewer, signing: 'own' })));
  }
  await installation.close();
  const many = recipients.toLocaleString('en-US');
  const ofBlast = (some: Measured[]) => ({
    name: 'raw blast of the same bytes',
    values: some.map(({ blast }) => blast),
  });
  const ofBare = (some: Measured[]) => ({
    name: 'bare ledger (the same bytes, two durable writes each and nothing else)',
    values: some.map(({ bare }) => bare),
  });
  const perSecond = (some: Measured[]) => some.map(({ seconds, recipients: size }) => size / seconds);
  const whole = 'recipients from the POST to the last 250, freeze included';
  return [
    {
      name: `${many} ${whole}; the relay signs`,
      unit: '/s',
      values: perSecond(relay),
      ceiling: ofBlast(relay),
      asked: { atLeast: 5_000 },
      note: `${relay[0]?.bytes} bytes each; ${shared.senders} senders; the aim is 8,900`,
    },
    {
      name: `${many} ${whole}, beside a bare ledger; the relay signs`,
      unit: '/s',
      values: perSecond(relay),
      ceiling: ofBare(relay),
      asked: { of: 'ratio', atLeast: 0.6 },
      note: 'where 5,000 and 8,900 were set such a ledger reached 8,400: they are 0.6 and 1.06 of it',
    },
    {
      name: `${many} recipients from the first to the last 250; the relay signs`,
      unit: '/s',
      values: relay.map(({ sendingSeconds }) => recipients / sendingSeconds),
      ceiling: ofBare(relay),
    },
    {
      name: `${fewer.toLocaleString('en-US')} ${whole}; we sign with RSA-2048 and Ed25519`,
      unit: '/s',
      values: perSecond(own),
      ceiling: ofBlast(own),
    },
    {
      name: 'CPU of the senders for each recipient, what both signatures add',
      unit: 'us',
      values: relay.map(({ micros }, round) => (own[round]?.micros.senders ?? Number.NaN) - micros.senders),
    },
    ...(['senders', 'background', 'mongod'] as const).map((kind) => ({
      name: `CPU of ${kind} for each recipient; the relay signs`,
      unit: 'us',
      values: relay.map(({ micros }) => micros[kind]),
    })),
    {
      name: `From the POST until the audience of ${many} is written down`,
      unit: 's',
      values: relay.map(({ freezeSeconds }) => freezeSeconds),
    },
    ...memory([...relay, ...own]),
    {
      name: `Events in the history of a campaign of ${many}`,
      unit: '',
      values: [...relay, ...own].map(({ history }) => history),
      asked: { atMost: 10_000 },
    },
  ];
}

function memory(measured: Measured[]): Figure[] {
  return (['api', 'background', 'sender'] as const).map((process) => ({
    name: `Highest resident memory, ${process}`,
    unit: 'MB',
    values: measured.map(({ peakMb }) => peakMb[process]),
    asked: { atMost: 400 },
  }));
}

/** Single mails and pauses while a campaign goes out; the relay takes its time for the pauses. */
async function meanwhile(): Promise<Figure[]> {
  const quick = await openInstallation({ ...shared, mail: true });
  const listId = await addPeople(quick.drill, recipients);
  const p99s: number[] = [];
  for (const _ of rounds) {
    const mails = sendMails(quick);
    await measureCampaign(quick, { listId, recipients, signing: 'relay' });
    p99s.push(quantile(await mails.stop(), 0.99));
  }
  await quick.close();
  const slow = await openInstallation({ ...shared, mail: false, ackMs: 80 });
  const pauses = await pausesOf(slow);
  await slow.close();
  return [
    {
      name: `Single mails while ${recipients.toLocaleString('en-US')} go out, p99 from the 2xx to the relay`,
      unit: 'ms',
      values: p99s,
      asked: { atMost: 1_000 },
    },
    {
      name: 'Answer to a pause in the middle, the relay answering after 80 ms',
      unit: 'ms',
      values: pauses.map(({ settledMs }) => settledMs),
      asked: { atMost: 2_000 },
    },
    {
      name: 'Arrived after the answer to a pause, or in flight by its own word',
      unit: '',
      values: pauses.map(({ late, inFlight }) => late + inFlight),
      asked: { atMost: 0 },
    },
  ];
}

async function pausesOf(installation: Installation) {
  const some = Math.min(recipients, 10_000);
  const listId = await addPeople(installation.drill, some);
  const pauses = [];
  for (const _ of rounds) {
    const pausing = Promise.withResolvers<Awaited<ReturnType<typeof pauseInTheMiddle>>>();
    await measureCampaign(installation, { listId, recipients: some, signing: 'relay' }, async (id) =>
      pausing.resolve(await pauseInTheMiddle(installation, id, some)),
    );
    pauses.push(await pausing.promise);
  }
  return pauses;
}

/** Each size on an installation of its own, so that memory is that of the size. lab/rig/plot.ts draws them. */
async function sizes(): Promise<Figure[]> {
  const found: Measured[] = [];
  for (const size of values.sizes.split(',').map(Number)) {
    const installation = await openInstallation({ ...shared, mail: false });
    const listId = await addPeople(installation.drill, size);
    found.push(tell(await measureCampaign(installation, { listId, recipients: size, signing: 'relay' })));
    await installation.close();
  }
  const costs = found.map(({ sendingSeconds, recipients: size }) => (sendingSeconds * 1e6) / size);
  const growth = ((costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN) - 1) * 100;
  const [least, most] = [found[0]?.recipients, found.at(-1)?.recipients].map((size) => size?.toLocaleString('en-US'));
  return [
    ...found.flatMap((one) => ofSize(one)),
    {
      name: `Growth of the cost of a recipient from ${least} to ${most}`,
      unit: '%',
      values: [growth],
      asked: { atMost: 20 },
    },
  ];
}

function ofSize(measured: Measured): Figure[] {
  const { recipients: size, seconds, sendingSeconds, freezeSeconds, blast, history } = measured;
  const many = size.toLocaleString('en-US');
  const ceiling = { name: 'raw blast of the same bytes', values: [blast] };
  return [
    { name: `A campaign of ${many}, from the POST to the last 250`, unit: '/s', values: [size / seconds], ceiling },
    { name: `A campaign of ${many}, while sending`, unit: '/s', values: [size / sendingSeconds], ceiling },
    {
      name: `A campaign of ${many}, freeze`,
      unit: 's',
      values: [freezeSeconds],
      ...(size === 1_000_000 ? { asked: { atMost: 60 } } : {}),
    },
    { name: `A campaign of ${many}, events in its history`, unit: '', values: [history], asked: { atMost: 10_000 } },
    ...memory([measured]).map((figure) => ({ ...figure, name: `A campaign of ${many}, ${figure.name.toLowerCase()}` })),
  ];
}

function tell(measured: Measured): Measured {
  const { recipients: size, seconds, sendingSeconds, freezeSeconds, micros, peakMb } = measured;
  console.log(
    `${size} in ${seconds.toFixed(1)} s (audience ${freezeSeconds.toFixed(1)} s, sending ${sendingSeconds.toFixed(1)} s): ${Math.round(size / seconds)}/s;`,
    `blast ${Math.round(measured.blast)}/s, bare ledger ${Math.round(measured.bare)}/s; CPU ${JSON.stringify(micros)} us; peak ${JSON.stringify(peakMb)} MB; ${measured.history} events`,
  );
  return measured;
}
