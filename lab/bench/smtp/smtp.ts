import { compileMessage, composeMessage } from '../../../core/mail/compose/mime/compose.ts';
import { createMailer } from '../../../platform/smtp/mailer.ts';
import { startSink } from '../../rig/sink.ts';
import { atOnce } from '../../rig/waiting.ts';
import { keep, sizeOr } from '../run.ts';
import { blast } from './raw-blast.ts';
import { figuresOf, type Run, runOf } from './runs.ts';

/** Messages a second through our SMTP client, and through a raw blast of the same bytes at the same sink. Runs alternate: the machine's speed drifts. */
const ROUNDS = 3;
const BYTES = 4_000;
const count = sizeOr(30_000);
const connections = 64;
const paragraph = '<p>Hello, this is a newsletter paragraph with some text in it to fill.</p>\r\n';
const filler = paragraph.repeat(Math.max(1, Math.round((BYTES - 250) / paragraph.length)));

const date = new Date();
const skeleton = compileMessage({
  from: { email: 'news@example.test', name: 'News' },
  subject: ['Hello'],
  html: ['<p>Hi ', 0, `</p>\n${filler}<a href="`, 1, '">read on</a>'],
  boundary: 'bench',
});

const { port, stop } = await startSink();

const ways: Record<string, () => Promise<void>> = {
  'raw blast': () => blast(port, connections, count, messageAt),
  'SMTP client': () => throughClient(1, messageAt),
  'SMTP client, next envelope behind the dot': () => throughClient(2, messageAt),
  'SMTP client, the same and composed for each recipient': () => throughClient(2, composedAt),
};
const runs = new Map(Object.keys(ways).map((name) => [name, [] as Run[]]));
await blast(port, connections, 2_000, messageAt);
for (let round = 0; round < ROUNDS; round++)
  for (const [name, run] of Object.entries(ways)) runs.get(name)?.push(await runOf(() => run().then(() => count)));
stop();

const raw = { name: 'raw blast of the same bytes at the same sink', runs: runs.get('raw blast') as Run[] };
const size = `${connections} connections, ${BYTES} bytes`;
keep(
  'smtp',
  [...runs].flatMap(([name, some]) => figuresOf(`${name}, ${size}`, some, some === raw.runs ? undefined : raw)),
);

async function throughClient(depth: number, makeMessage: (index: number) => string): Promise<void> {
  const url = `smtp://127.0.0.1:${port}`;
  const mailer = createMailer({ url, connectionsMax: connections + 16, clientName: 'bench' });
  let next = 0;
  const lane = async () => {
    const { connection, fault } = await mailer.acquire('campaign');
    if (!connection) throw new Error(JSON.stringify(fault));
    const send = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) {
        const envelope = { from: 'b@bounce.test', to: [`u${index}@example.test`] };
        const delivery = await connection.send(envelope, makeMessage(index), () => true);
        if (!delivery.recipients[0]?.accepted) throw new Error(JSON.stringify(delivery));
      }
    };
    await atOnce(depth, send);
    connection.release();
  };
  await atOnce(connections, lane);
  await mailer.close(1_000);
}

function messageAt(index: number): string {
  return `From: News <news@example.test>\r\nTo: u${index}@example.test\r\nMessage-ID: <${index}@example.test>\r\nSubject: Hello\r\nContent-Type: text/html\r\n\r\n<p>Hi ${index}</p>\r\n${filler}`;
}

function composedAt(index: number): string {
  return composeMessage(skeleton, {
    to: [{ email: `u${index}@example.test`, name: null }],
    messageId: `${index}@example.test`,
    date,
    unsubscribe: { url: `https://t.example.test/u/${index}` },
    values: [`${index}`, `https://t.example.test/t/c/64f0c0ffee64f0c0ffee64f0.${index}`],
  });
}
