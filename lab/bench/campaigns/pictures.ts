import { INLINE_PICTURES_BYTES_MAX } from '../../../schemas/templates/media.ts';
import { png } from '../../../test/providers/images.ts';
import { usageOf } from '../../rig/processes.ts';
import type { Figure } from '../../rig/results/report.ts';
import { say, sizeOr } from '../run.ts';
import { SENDER_MEMORY } from './figures.ts';
import { addPeople, type Installation, openInstallation, untilOver } from './installation.ts';
import { launch, PARAGRAPHS } from './measure.ts';
import type { Size } from './size.ts';

const PEOPLE = 2_000;

interface Sent {
  /** From the first to the last 250. */
  perSecond: number;
  microsEach: number;
  /** The blast of the same bytes, a second. */
  blast: number;
}

/** A mail with the largest picture that goes inside, and the same mail with its address, in turn. */
export async function pictures({ rounds, shared }: Size): Promise<Figure[]> {
  const recipients = sizeOr(PEOPLE);
  const installation = await openInstallation({ ...shared, mail: false });
  const { drill, url, children } = installation;
  const listId = await addPeople(drill, recipients);
  const address = await upload(`${url}/media`, drill.key, largest());
  const send = (inlinePictures: boolean) => sent(installation, recipients, { listId, address, inlinePictures });
  const found: Record<'inside' | 'linked', Sent[]> = { inside: [], linked: [] };
  const peak = () => usageOf(children.senders[0]?.pid ?? 0).peakMb;
  found.linked.push(await send(false));
  const linkedMb = peak();
  for (const _ of rounds) found.inside.push(await send(true));
  const insideMb = peak();
  for (const _ of rounds.slice(1)) found.linked.push(await send(false));
  await installation.close();
  const values = (some: Sent[], of: keyof Sent) => some.map((one) => one[of]);
  const name = `${recipients.toLocaleString('en-US')} mails with a picture of ${Math.round(INLINE_PICTURES_BYTES_MAX / 1_000)} kB inside`;
  return [
    {
      ...{ name: `${name}, while sending`, unit: '/s', values: values(found.inside, 'perSecond') },
      ceiling: { name: 'raw blast of the same bytes', values: values(found.inside, 'blast') },
    },
    {
      ...{
        name: `${name}, CPU of the sender for each recipient`,
        unit: 'us',
        values: values(found.inside, 'microsEach'),
      },
      ceiling: { name: 'with its address', values: values(found.linked, 'microsEach') },
    },
    {
      ...{ name: `${name}. ${SENDER_MEMORY}`, unit: 'MB', values: [insideMb], asked: { atMost: 420, aim: 350 } },
      ceiling: { name: 'with its address', values: [linkedMb] },
    },
  ];
}

/** Readers look no further than its end. */
function largest(): Buffer {
  const picture = png(600, 400);
  return Buffer.concat([picture, Buffer.alloc(INLINE_PICTURES_BYTES_MAX - picture.length)]);
}

async function upload(url: string, key: string, bytes: Buffer): Promise<string> {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(bytes)]), 'picture.png');
  const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
  if (answer.status !== 201) throw new Error(`the picture was not stored: ${await answer.text()}`);
  return ((await answer.json()) as { data: { url: string } }).data.url;
}

async function sent(
  { drill, relay, url, blasters, children: { senders } }: Installation,
  recipients: number,
  { listId, address, inlinePictures }: { listId: string; address: string; inlinePictures: boolean },
): Promise<Sent> {
  await relay.reset();
  const used = () => senders.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0);
  const before = used();
  const htmlTemplate = `<p>Hi {{firstName}}</p><img src="${address}" alt="A harbour">`;
  const id = await launch({ drill }, `${url}/campaigns`, {
    ...{ listId, paragraphs: PARAGRAPHS.small, htmlTemplate, inlinePictures },
  });
  const { seconds, duplicates } = await relay.wait(recipients);
  const status = await untilOver(drill, id);
  const microsEach = ((used() - before) * 1e6) / recipients;
  if (status !== `sent: sent ${recipients}, pending 0, unknown 0` || duplicates > 0)
    throw new Error(`not everybody got it once: ${status}, ${duplicates} duplicates`);
  const raw = await relay.sample();
  if (inlinePictures !== raw.length > INLINE_PICTURES_BYTES_MAX) throw new Error(`the mail has ${raw.length} bytes`);
  const text = raw.replace(/\r\n\./g, '\r\n..');
  await relay.reset();
  const blast = await blasters.run(relay.port, recipients, text.endsWith('\r\n') ? text : `${text}\r\n`);
  const perSecond = recipients / seconds;
  say(
    `${inlinePictures ? 'inside' : 'linked'}: ${raw.length} bytes, ${Math.round(perSecond)}/s, blast ${Math.round(blast)}/s, ${Math.round(microsEach)} us`,
  );
  return { perSecond, microsEach, blast };
}
