import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { messageIdOf } from '../../../core/mail/compose/links.ts';
import { mailLocalPart, unsubscribeToken } from '../../../core/mail/compose/tokens.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { receivingDomain, refOf, sentMessage } from '../../feedback/support.ts';
import { HOLD_MS_MAX } from '../../linear/cpu.ts';
import { longestHold } from '../../linear/hold.ts';
import { type Environment, startEnvironment, type Tenant } from '../../support/environment.ts';
import { startDnsStandIn } from '../../support/mail/dns-stand-in.ts';
import { connectClient, openDoor } from '../../support/mail/inbound-door.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from '../run.ts';
import { mails } from './inputs.ts';

const HOST = 'mail.example.com';
const REPEATS = 3;
const KEPT = [
  'messages',
  'engagements',
  'suppressions',
  'inboundMessages',
  'projectEvents',
  'contacts',
  'domains',
] as const;
const KINDS = ['return path', 'unsubscribe', 'feedback', 'mailbox'] as const;

interface Stage {
  environment: Environment;
  ownDomain: string;
  /** Of the caller's project: whatever is brought is for this mail, or for its domain. */
  target: Message;
  bystander: Message;
  names: string[];
  /** Signed links of other mails. */
  links: string[];
}

/** Mails of all kinds through the real SMTP server and parse thread, for each kind of address. Nothing but the target may change. */
export async function fuzzInbound(options: FuzzOptions): Promise<FuzzResult> {
  const dns = await startDnsStandIn();
  const environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: dns.address });
  const door = await openDoor(environment);
  const session = openSession(door.port);
  try {
    const stage = await prepare(environment, session);
    const before = await others(stage);
    const inputs = fc.record({ kind: fc.constantFrom(...KINDS), raw: mails([...stage.names, ...stage.links]) });
    return await fuzz(
      'mail that comes in',
      inputs,
      async ({ kind, raw }) => {
        const to = addressOf(stage, kind);
        // A return path says which mail a complaint is about. Elsewhere a signed link proves it, also for another project.
        const mail = kind === 'return path' ? raw : withoutLinks(stage, raw);
        const { reply, holdMs } = await session.bring(to, mail);
        expect(reply).to.match(/^(250|451|452|55[024]) /);
        if (kind === 'mailbox') await readNewest(stage);
        expect(await others(stage)).to.equal(before);
        return holdMs;
      },
      options,
    );
  } finally {
    session.close();
    await door.server.close();
    await environment.stop();
    await dns.stop();
  }
}

async function prepare(environment: Environment, session: ReturnType<typeof openSession>): Promise<Stage> {
  const { own, other, deps } = environment;
  for (const { client } of [own, other]) await client.post('/webhooks', { url: 'https://hooks.example.com/' });
  const [ownDomain, otherDomain] = [await receivingDomain(environment, own), await receivingDomain(environment, other)];
  const [target, bystander, theirs] = [
    await sentMessage(environment, own, { email: 'target@example.net' }),
    await sentMessage(environment, own, { email: 'bystander@example.net' }),
    await sentMessage(environment, other, { email: 'theirs@example.net' }),
  ];
  const question = `question-${new ObjectId().toHexString()}@sender.example.net`;
  const raw = `From: ada@sender.example.net\r\nMessage-ID: <${question}>\r\n\r\nHello.`;
  const to = `desk@${otherDomain}`;
  expect((await session.bring(to, raw)).reply).to.match(/^250/);
  const foreign = [bystander, theirs];
  const links = foreign.map((message) =>
    unsubscribeToken(deps.config, { ...refOf(message), groupId: null, email: message.email }),
  );
  const names = foreign.flatMap((message) => [
    message.email,
    message._id.toHexString(),
    `<${messageIdOf({ messageId: message._id }, ownDomain)}>`,
  ]);
  return {
    ...{ environment, ownDomain, target, bystander },
    names: [...names, `<${question}>`, to, 'target@example.net'],
    links: links.map((token) => `https://t.example.com/u/${token}`),
  };
}

function withoutLinks({ links }: Stage, raw: string): string {
  return links.reduce((text, link) => text.replaceAll(link, 'link'), raw);
}

function addressOf({ environment, target, ownDomain }: Stage, kind: (typeof KINDS)[number]): string {
  if (kind === 'mailbox') return `desk@${ownDomain}`;
  if (kind === 'feedback') return `fbl@${HOST}`;
  return `${mailLocalPart(environment.deps.config, kind === 'unsubscribe' ? 'u' : 'b', refOf(target))}@${HOST}`;
}

/** One connection for all mails, opened again when the server has ended it. */
function openSession(port: number) {
  let client: ReturnType<typeof connectClient> | null = null;

  async function begun(): Promise<ReturnType<typeof connectClient>> {
    if (client && !client.socket.destroyed) return client;
    client = connectClient(port);
    await client.line();
    await client.ask('EHLO sender.example.net');
    return client;
  }

  /** The reply to the final dot, and for how long the mail held the event loop. */
  async function bring(to: string, raw: string): Promise<{ reply: string; holdMs: number }> {
    const { socket, line, ask } = await begun();
    await ask(to.startsWith('b+') ? 'MAIL FROM:<>' : 'MAIL FROM:<ada@sender.example.net>');
    expect(await ask(`RCPT TO:<${to}>`)).to.match(/^250/);
    await ask('DATA');
    const bytes = Buffer.from(`${raw.replace(/^\./gm, '..')}\r\n.\r\n`, 'latin1');
    const send = () => {
      socket.write(bytes);
      return line();
    };
    const { holdMs, result } = await longestHold(send);
    return { reply: result, holdMs: holdMs > HOLD_MS_MAX ? await leastHold(to, bytes) : holdMs };
  }

  async function leastHold(to: string, bytes: Buffer): Promise<number> {
    const holds: number[] = [];
    for (let again = 0; again < REPEATS; again += 1) {
      const { socket, line, ask } = await begun();
      for (const command of ['RSET', 'MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA']) await ask(command);
      const { holdMs } = await longestHold(() => {
        socket.write(bytes);
        return line();
      });
      holds.push(holdMs);
    }
    return Math.min(...holds);
  }

  return { bring, close: () => client?.socket.destroy() };
}

/** The answer is checked against its schema by the API itself. */
async function readNewest({ environment }: Stage): Promise<void> {
  const { client } = environment.own;
  const listed = await client.get('/inbound/messages?limit=1');
  expect(listed.status, listed.text.slice(0, 500)).to.equal(200);
  const [newest] = listed.body.data.items;
  if (newest) expect((await client.get(`/inbound/messages/${newest.id}`)).body.data).to.deep.equal(newest);
}

/** All that is known of the other project, and of the other mail of this one. */
async function others({ environment, bystander }: Stage): Promise<string> {
  const { db } = environment.deps;
  const { project }: Tenant = environment.other;
  const found = await Promise.all([
    ...KEPT.map((name) =>
      db[name]
        .find({ projectId: project._id } as never)
        .sort({ _id: 1 })
        .toArray(),
    ),
    db.messages.find({ _id: bystander._id, projectId: bystander.projectId }).toArray(),
    db.engagements.find({ _id: bystander._id, projectId: bystander.projectId }).toArray(),
    db.suppressions.find({ projectId: bystander.projectId, email: bystander.email }).toArray(),
  ]);
  return JSON.stringify(found);
}
