import { INLINE_PICTURES_BYTES_MAX } from '../../../schemas/templates/media.ts';
import { png } from '../../../test/providers/images.ts';
import { cpuOf, microsEach, usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { say, sizeOr } from '../run.ts';
import { stuffed } from '../smtp/raw-blast.ts';
import { SENDER_MB, SENDER_MEMORY } from './figures.ts';
import { addPeople, type Installation, openInstallation, requireAllOnce } from './installation.ts';
import { launch } from './measure.ts';
import type { Size } from './size.ts';

const PEOPLE = 2_000;

interface Sent {
  /** From the first to the last 250. */
  perSecond: number;
  micros: number;
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
    figure(`${name}, while sending`, '/s', values(found.inside, 'perSecond'), {
      ceiling: { name: 'raw blast of the same bytes', values: values(found.inside, 'blast') },
    }),
    figure(`${name}, CPU of the sender for each recipient`, 'us', values(found.inside, 'micros'), {
      ceiling: { name: 'with its address', values: values(found.linked, 'micros') },
    }),
    figure(`${name}. ${SENDER_MEMORY}`, 'MB', [insideMb], {
      asked: SENDER_MB,
      ceiling: { name: 'with its address', values: [linkedMb] },
    }),
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
  installation: Installation,
  recipients: number,
  { listId, address, inlinePictures }: { listId: string; address: string; inlinePictures: boolean },
): Promise<Sent> {
  const { drill, relay, blasters, children } = installation;
  const senders = children.senders.map(({ pid }) => pid);
  await relay.reset();
  const before = cpuOf(senders);
  const htmlTemplate = `<p>Hi {{firstName}}</p><img src="${address}" alt="A harbour">`;
  const id = await launch(installation, { listId, htmlTemplate, inlinePictures });
  const { seconds, duplicates } = await relay.wait(recipients);
  await requireAllOnce(drill, id, recipients, duplicates);
  const micros = microsEach(before, cpuOf(senders), recipients);
  const raw = await relay.sample();
  if (inlinePictures !== raw.length > INLINE_PICTURES_BYTES_MAX) throw new Error(`the mail has ${raw.length} bytes`);
  await relay.reset();
  const blast = await blasters.run(relay.port, recipients, stuffed(raw));
  const perSecond = recipients / seconds;
  say(
    `${inlinePictures ? 'inside' : 'linked'}: ${raw.length} bytes, ${Math.round(perSecond)}/s, blast ${Math.round(blast)}/s, ${micros} us`,
  );
  return { perSecond, micros, blast };
}
