import { ObjectId } from 'mongodb';
import { storeFile } from '../../../core/mail/messages/contents.ts';
import { anyFreePort } from '../../../stack/ports.ts';
import { connectClient } from '../../../test/support/mail/inbound-door.ts';
import { plain } from '../../../test/support/mail/submission.ts';
import { type DrillContext, SENDER, withDrill } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { atOnce, until } from '../../rig/waiting.ts';
import { watchExits } from '../outages/outages.ts';
import { mallocOf, overLimit, residentOf, tellResident } from './memory.ts';

interface HostileDrill {
  arrivals: number;
  /** Of each. */
  bytes: number;
}

export interface HostileTally extends HostileDrill {
  /** How often each answer came, by kind: the first three figures of SMTP or HTTP, or `closed`. */
  answers: Record<string, number>;
  /** The answers to an ordinary mail, letter and preview afterwards. */
  afterwards: string[];
  exits: string[];
  processes: ReturnType<typeof residentOf>[];
}

const DOMAIN = 'in.example.com';
const PIECE = 64 * 1024;
const ADDRESSES = 250;
/** A reader that takes nothing leaves after this time. */
const STALLED_MS = 20_000;

interface Doors {
  api: string;
  inbound: number;
  submission: number;
  /** A mail of a caller, and a file of a mail that came in. */
  emailId: string;
  fileUrl: string;
}

type Arrival = (context: DrillContext, doors: Doors, number: number, bytes: number) => Promise<string>;

/** Mails that are slow to read or to verify, letters that are slow to track, and previews and files that are read slowly, all at once. */
export function hostileBytes(env: NodeJS.ProcessEnv, { arrivals, bytes }: HostileDrill): Promise<HostileTally> {
  return withDrill(env, {}, async (context) => {
    const [inbound, submission] = [await anyFreePort(), await anyFreePort()];
    const api = await context.startApi({ ...mallocOf('api'), TRUSTED_PROXIES: '1' });
    const smtp = await context.startWorker({
      ...{ ...mallocOf('smtp'), WORKER_LANES: 'inbound,submission', DNS_SERVERS: '127.0.0.1:9' },
      ...{ INBOUND_SMTP_PORT: String(inbound), SUBMISSION_PORT: String(submission) },
    });
    const exits = watchExits({ api: api.child, smtp });
    const doors = await prepare(context, { api: api.url, inbound, submission }, bytes);
    const answers: Record<string, number> = {};
    await atOnce(arrivals, async (number) => {
      const [name, arrive] = kinds[number % kinds.length]!;
      const answer = `${name} ${await arrive(context, doors, number, bytes).catch(() => 'closed')}`;
      answers[answer] = (answers[answer] ?? 0) + 1;
    });
    const afterwards = [];
    for (const [name, arrive] of ordinary) {
      let answer = '';
      await until(`an ordinary ${name} is taken`, async () => {
        answer = await arrive(context, doors, 0, 0).catch(() => 'closed');
        return answer.startsWith('2');
      }).catch(() => {});
      afterwards.push(`${name} ${answer}`);
    }
    const processes = [residentOf('api', api.child.pid), residentOf('smtp', smtp.pid)];
    return { arrivals, bytes, answers, afterwards, exits: [...exits], processes };
  });
}

export function judgeHostile({ arrivals, bytes, answers, afterwards, exits, processes }: HostileTally): Verdict {
  const refused = afterwards.filter((answer) => !/ 2\d\d$/.test(answer));
  const wrong = Object.keys(answers).filter((answer) => / (500|502)$/.test(answer));
  const unanswered = arrivals - Object.values(answers).reduce((sum, count) => sum + count, 0);
  const faults = [...overLimit(processes), ...exits, ...refused, ...wrong];
  const counts = Object.entries(answers)
    .toSorted()
    .map(([answer, count]) => `${answer}: ${count}`);
  return {
    kept: faults.length === 0 && unanswered === 0,
    says: [
      `${arrivals} of ${bytes / 1_000_000} MB at once (${counts.join(', ')})`,
      tellResident(processes),
      ...faults,
    ].join('; '),
  };
}

async function prepare(context: DrillContext, at: Pick<Doors, 'api' | 'inbound' | 'submission'>, bytes: number) {
  const { deps, project } = context;
  const now = new Date();
  const receives = { inboundEnabledAt: now, inboundDomainVerifiedAt: now };
  const sending = await deps.db.domains.findOne({ projectId: project._id });
  await deps.db.domains.insertOne({ ...sending!, _id: new ObjectId(), domainName: DOMAIN, ...receives });
  const doors = { ...at, emailId: '', fileUrl: '' };
  const letter = head('app', 'A letter') + lines(bytes);
  const taken = await handLetter(context, doors, 0, letter);
  await hand(doors.inbound, {
    number: 0,
    to: `a@${DOMAIN}`,
    raw: `Content-Type: multipart/mixed; boundary=b\r\n${head('app', 'A file')}--b\r\nContent-Disposition: attachment; filename=x.bin\r\n\r\nx\r\n--b--`,
  });
  const mail = await deps.db.inboundMessages.findOne({ projectId: project._id });
  const fileId = new ObjectId();
  await storeFile(deps, project._id, { fileId, fileName: 'large.bin', bytes: Buffer.alloc(bytes, 7) });
  const own = { _id: mail!._id, projectId: project._id };
  await deps.db.inboundMessages.updateOne(own, { $set: { 'attachments.0.fileId': fileId } });
  const shown = await ask(context, `${at.api}/inbound/messages/${mail!._id.toHexString()}/attachments/0`, 0);
  const { data } = (await shown.json()) as { data: { downloadUrl: string } };
  return { ...doors, emailId: /[0-9a-f]{24}/.exec(taken)?.[0] ?? '', fileUrl: data.downloadUrl };
}

const slowToRead: Arrival = (_, { inbound }, number, bytes) => {
  const part = `--b\r\nContent-Type: text/html\r\n\r\n${'<a href='.repeat(bytes / 16)}\r\n`;
  const raw = `Content-Type: multipart/mixed; boundary=b\r\n${head(`s${number}`, 'Slow')}${part}${part}--b--`;
  return hand(inbound, { number, to: `a@${DOMAIN}`, raw });
};

const slowToVerify: Arrival = (_, { inbound }, number, bytes) => {
  const signature = (index: number) =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=s${index}.example.net; s=s; l=${bytes - index}; h=from; bh=AAAA; b=AAAA\r\n`;
  const signatures = Array.from({ length: 200 }, (_, index) => signature(index)).join('');
  return hand(inbound, { number, to: `a@${DOMAIN}`, raw: signatures + head(`v${number}`, 'Slow') + lines(bytes) });
};

const slowToTrack: Arrival = async (context, doors, number, bytes) => {
  const boundaries = Array.from({ length: 199 }, (_, index) => `x${'-'.repeat(60)}${index}`);
  const parts = boundaries.map((name) => `--b\r\nContent-Type: multipart/mixed; boundary="${name}"\r\n\r\n`).join('');
  const text = `--b\r\nContent-Type: text/html\r\n\r\n${`${'-'.repeat(76)}\r\n`.repeat(bytes / 78)}--b--`;
  const tracked = 'X-Everpost-Track: opens, clicks\r\nContent-Type: multipart/mixed; boundary=b\r\n';
  const reply = await handLetter(context, doors, number, tracked + head(`t${number}`, 'Slow') + parts + text);
  return reply.slice(0, 3);
};

const preview: Arrival = async (context, { api, emailId }, number) => {
  const response = await ask(context, `${api}/emails/${emailId}/content`, number);
  await response.arrayBuffer();
  return String(response.status);
};

/** Reads nothing, until it leaves. */
const stalledFile: Arrival = async (context, { fileUrl }, number) => {
  const response = await ask(context, fileUrl, number);
  await new Promise((resolve) => setTimeout(resolve, STALLED_MS));
  await response.body?.cancel();
  return String(response.status);
};

const kinds: ReadonlyArray<readonly [string, Arrival]> = [
  ['mail', slowToRead],
  ['mail', slowToVerify],
  ['letter', slowToTrack],
  ['letter', slowToTrack],
  ['preview', preview],
  ['file', stalledFile],
];

const ordinary: ReadonlyArray<readonly [string, Arrival]> = [
  ['mail', (_, { inbound }) => hand(inbound, { number: 249, to: `a@${DOMAIN}`, raw: `${head('o', 'Hello')}Hello` })],
  [
    'letter',
    async (context, doors) => (await handLetter(context, doors, 249, `${head('o', 'Hello')}Hello`)).slice(0, 3),
  ],
  ['preview', preview],
];

function head(id: string, subject: string): string {
  const unique = new ObjectId().toHexString();
  return `From: <${SENDER}>\r\nTo: <ada@in.test>\r\nSubject: ${subject}\r\nMessage-ID: <${id}-${unique}@mail.example.com>\r\n\r\n`;
}

function lines(bytes: number): string {
  return `${'x'.repeat(76)}\r\n`.repeat(bytes / 78);
}

function ask({ key }: DrillContext, url: string, number: number): Promise<Response> {
  return fetch(url, { headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': addressOf(number) } });
}

function handLetter({ key }: DrillContext, { submission }: Doors, number: number, raw: string): Promise<string> {
  return hand(submission, { number, to: 'ada@in.test', raw, login: plain(key) });
}

/** Every client is a network of its own, so that no limit of one client keeps it from arriving. */
async function hand(
  port: number,
  { number, to, raw, login }: { number: number; to: string; raw: string; login?: string },
): Promise<string> {
  const { socket, line, ask: say } = connectClient(port, addressOf(number));
  try {
    await line();
    await say('EHLO client.example.net');
    if (login) await say(`AUTH PLAIN ${login}`);
    for (const command of [`MAIL FROM:<${SENDER}>`, `RCPT TO:<${to}>`, 'DATA']) {
      const reply = await say(command);
      if (!/^[23]/.test(reply)) return reply.slice(0, 3);
    }
    for (let from = 0; from < raw.length && !socket.destroyed; from += PIECE)
      if (!socket.write(raw.slice(from, from + PIECE)))
        await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
    const reply = await say('\r\n.');
    return login ? reply : reply.slice(0, 3);
  } finally {
    socket.destroy();
  }
}

function addressOf(number: number): string {
  return `127.0.1.${(number % ADDRESSES) + 1}`;
}
