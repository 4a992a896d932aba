import { toolsOf } from '../../api/mcp/tools.ts';
import { mailLocalPart } from '../../core/mail/compose/tokens.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { receivingDomain, refOf, sentMessage } from '../feedback/support.ts';
import { connectClient, type Door, openDoor } from '../support/mail/inbound-door.ts';
import { openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';
import { bodyOf } from './bodies.ts';
import type { Answered, Case } from './judge.ts';
import { type Choice, knownOf, operations, searchingActor } from './operations.ts';
import { needleOf, numbersOf, textOf } from './shapes.ts';
import { HOST, type Stage, send, settled } from './stage.ts';

const MIB = 1_048_576;
/** Of mail, where not the whole is tried. */
const MAIL_BYTES = 2 * MIB;
const MAIL_BYTES_MAX = 24 * MIB;
const FIELDS = 150;
const PARTS = 199;
const SIGNATURES = 200;
/** With their numbers, those of RFC 2046. */
const BOUNDARY_LENGTH = 66;
const LONG_BOUNDARY_LENGTH = 800;
const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const KINDS = ['mailbox', 'return path', 'feedback', 'unsubscribe'] as const;

/** The doors that take mail, and the tools of agents. */
export interface Doors {
  inbound: Door;
  submission: SubmissionDoor;
  stop(): Promise<void>;
}

export async function openDoors({ environment }: Stage): Promise<Doors> {
  const inbound = await openDoor(environment);
  const submission = await openSubmission({ deps: environment.deps, key: environment.own.projectKey });
  return {
    ...{ inbound, submission },
    async stop() {
      await Promise.all([inbound.server.close(), submission.close()]);
    },
  };
}

/** A mail to each kind of address that the inbound server takes, with signatures, parts and texts as many as there may be. */
export function inboundCases({ environment }: Stage, { inbound }: Doors, choice: Choice, isWhole: boolean): Case[] {
  const { own, deps } = environment;
  return KINDS.map((kind) => ({
    name: `mail to a ${kind}, ${choice.shape}`,
    threads: { kinds: ['readMail', 'verifyMail'], bytes: isWhole ? MAIL_BYTES_MAX : MAIL_BYTES },
    async prepare(part, serial) {
      const sent = await sentMessage(environment, own);
      const ref = refOf(sent);
      const to = {
        mailbox: `desk@${await receivingDomain(environment, own)}`,
        'return path': `${mailLocalPart(deps.config, 'b', ref)}@${HOST}`,
        unsubscribe: `${mailLocalPart(deps.config, 'u', { ...ref, groupId: null })}@${HOST}`,
        feedback: `fbl@${HOST}`,
      }[kind];
      const length = (isWhole ? MAIL_BYTES_MAX : MAIL_BYTES) * part;
      // Each covers another part of nearly all of the body.
      const covered = (at: number) => Math.floor(length / 2) + at;
      const signature = (at: number) =>
        `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.net; s=s${at}; l=${covered(at)}; h=from; bh=AAAA; b=AAAA`;
      const signatures = Array.from({ length: SIGNATURES * part }, (_, at) => signature(at));
      const raw = mailOf(choice, length, 'ada@example.net', serial, signatures);
      const client = connectClient(inbound.port);
      await client.line();
      await client.ask('EHLO sender.example.net');
      return () => hand(client, kind === 'return path' ? '' : 'ada@example.net', to, raw);
    },
  }));
}

/** A mail with a key, tracked, whose parts and header have as much as they may. */
export function submissionCase(stage: Stage, { submission }: Doors, choice: Choice, isWhole: boolean): Case {
  const { environment, post } = stage;
  return {
    name: `mail by SMTP, ${choice.shape}`,
    threads: { kinds: ['largeMails'], bytes: isWhole ? MAIL_BYTES_MAX : MAIL_BYTES },
    async prepare(part, serial) {
      const track = ['X-Everpost-Track: opens, clicks'];
      const raw = mailOf(
        choice,
        (isWhole ? MAIL_BYTES_MAX : MAIL_BYTES) * part,
        'post@mail.example.com',
        serial,
        track,
      );
      const client = await submission.session();
      return async () => {
        const answered = await hand(client, 'app@client.example.net', 'ada@in.test', raw);
        await settled(environment, post.own.project._id);
        return answered;
      };
    },
  };
}

/** A call of each tool, with everything in its arguments as large as it may be. */
export function toolCases(stage: Stage, choice: Choice): Case[] {
  const { environment } = stage;
  const withBody = toolsOf([...operations]).filter(({ endpoint }) => endpoint.body);
  return withBody.map(({ name, endpoint, inputSchema }) => ({
    name: `tool ${name}, ${choice.shape}`,
    threads: { kinds: ['jsonBody'], bytes: MIB },
    async prepare(part, serial) {
      const actor = await searchingActor(stage, endpoint, choice);
      const fixed = (value: unknown): JsonSchema => ({ const: value });
      const schema = {
        type: 'object',
        required: ['jsonrpc', 'id', 'method', 'params'],
        properties: {
          ...{ jsonrpc: fixed('2.0'), id: fixed(1), method: fixed('tools/call') },
          params: {
            type: 'object',
            required: ['name', 'arguments', '_meta'],
            properties: {
              name: fixed(name),
              // A call that mails several people is answered with a question.
              _meta: fixed({
                [`${META}protocolVersion`]: VERSION,
                [`${META}clientCapabilities`]: { elicitation: { form: {} } },
              }),
              arguments: inputSchema,
            },
          },
        },
      };
      const known = knownOf(actor, endpoint.operation);
      const none = new Set<string>();
      const body = bodyOf(schema, {
        ...{ ...choice, known, serial, part, bytesMax: MIB, given: none, refused: none, plain: none },
      });
      const headers = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
      return () => send(environment, { method: 'post', path: '/v1/mcp', key: actor.projectKey, body, headers });
    },
  }));
}

/** A mail of parts in parts, whose boundaries nearly are in its texts. */
export function mailOf(
  { shape, needle, seed }: Choice,
  bytes: number,
  from: string,
  serial: string,
  extra: string[],
): Buffer {
  const line = (length: number) => textOf(shape, length, serial).replace(/\s+/g, ' ');
  const fields = Array.from({ length: FIELDS }, (_, at) => `X-Field-${at}: ${line(800)}`);
  const head = [`From: <${from}>`, 'To: <ada@in.test>', `Subject: ${line(900)}`, `Message-ID: <${serial}@example.net>`];
  const common = needleOf(
    needle,
    numbersOf(seed + BOUNDARY_LENGTH)() < 0.5 ? BOUNDARY_LENGTH : LONG_BOUNDARY_LENGTH,
  ).replace(/[\s"\\]/g, '');
  const boundary = (at: number) => `${at}${common}`;
  const parts = Array.from(
    { length: PARTS },
    (_, at) => `--${boundary(0)}\r\nContent-Type: multipart/mixed; boundary="${boundary(at + 1)}"\r\n\r\n`,
  );
  const text = textOf(shape, bytes / 3, serial);
  const lines = text.replace(/(?![\r\n]).{900}/g, '$&\r\n').replace(/^\./gm, '..');
  const types = ['text/plain', 'text/html; charset=utf-8'];
  const texts = types.map((type) => `--${boundary(0)}\r\nContent-Type: ${type}\r\n\r\n${lines}\r\n`);
  const multipart = `Content-Type: multipart/mixed; boundary="${boundary(0)}"`;
  const header = [...extra, ...head, ...fields, 'MIME-Version: 1.0', multipart].join('\r\n');
  return Buffer.from(`${header}\r\n\r\n${parts.join('')}${texts.join('')}--${boundary(0)}--\r\n.\r\n`);
}

/** Resolves with the reply to the dot, or with the one that refuses what comes before it. */
async function hand(
  { socket, line, ask }: ReturnType<typeof connectClient>,
  from: string,
  to: string,
  raw: Buffer,
): Promise<Answered> {
  try {
    for (const command of [`MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA']) {
      const reply = await ask(command);
      if (!/^[23]/.test(reply)) return answered(reply);
    }
    socket.write(raw);
    return answered(await line());
  } finally {
    socket.destroy();
  }
}

function answered(reply: string): Answered {
  return { says: reply.slice(0, 80), fault: /^(2|4|5)\d\d /.test(reply) ? undefined : `answered ${reply}` };
}
