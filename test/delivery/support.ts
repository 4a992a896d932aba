import { setTimeout as pause } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import PostalMime, { type Email } from 'postal-mime';
import type { Deps, Files } from '../../core/base/deps.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { MailQueue } from '../../core/mail/deliver/mail-queue.ts';
import { openSending, type Sending } from '../../core/mail/deliver/sending.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import type { SendingDeps } from '../../core/mail/ledger/relay.ts';
import { createSigner } from '../../platform/dkim/signer.ts';
import { createEvidence } from '../../platform/evidence.ts';
import { createFiles } from '../../platform/fetch/files.ts';
import type { Timeouts } from '../../platform/smtp/handshake.ts';
import { createMailer } from '../../platform/smtp/mailer.ts';
import type { Kind } from '../../platform/threads/kinds.ts';
import type { Reply } from '../support/client.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { type Sink, type SinkOptions, startSink } from '../support/mail/smtp-sink.ts';

export interface Post {
  environment: Environment;
  sink: Sink;
  own: Tenant;
  /** The lanes of this process; `restart` opens new ones, as a new process would. */
  sending: Sending<Deps>;
  restart(): Promise<void>;
  /** POST /mails/send from a verified address, with html unless something else is given. */
  send(fields: object, headers?: Record<string, string>): Promise<Reply>;
  bulk(fields: object): Promise<Reply>;
  /** The stored message of an answer. */
  read(answer: Reply): Promise<Message>;
  /** GET /emails/{id} until its status is one of these. */
  settled(answer: Reply | string, ...statuses: string[]): Promise<Reply['body']>;
  /** The mail as it arrived, parsed by a third-party parser. */
  arrived(answer: Reply): Promise<{ mail: Email; raw: string; envelope: { from: string; to: string[] } }>;
  stop(): Promise<void>;
}

export interface PostOptions {
  env?: Record<string, string>;
  sink?: SinkOptions;
  timeouts?: Partial<Timeouts>;
  files?: Files;
  /** Of the thread for large and tracked mails. */
  largeLimits?: Partial<Kind>;
  /** SMTP_URL, made of the sink's. */
  relay?(url: string): string;
  /** An installation that is running already: its mail is removed when this ends, and it keeps running. */
  environment?: Environment;
}

export const SENDER = 'post@mail.example.com';
/** Less than a test has, and more than a busy machine needs. */
const PATIENCE_MS = 25_000;
/** A dot in flight is answered within it, however busy the machine is. */
const RESTART_GRACE_MS = 15_000;

/** The API and the mail lanes in this process, with a sink as the relay. */
export async function startPost(options: PostOptions = {}): Promise<Post> {
  const { env = {}, timeouts, files, largeLimits, relay = (url) => url } = options;
  const sink = await startSink({ keepRaw: 10_000, ...options.sink });
  const environment = options.environment ?? (await startEnvironment({ SMTP_MAX_CONNECTIONS: '8', ...env }));
  const { own, deps } = environment;
  const smtpUrl = relay(sink.url);
  const { domains, messages } = deps.db;
  if (!(await domains.findOne({ projectId: own.project._id })))
    await seedSendingDomain(deps, own.project, 'mail.example.com');
  let lanes = openLanes();
  const post: Post = {
    environment,
    sink,
    own,
    sending: lanes.sending,
    async restart() {
      await lanes.stop(RESTART_GRACE_MS);
      lanes = openLanes();
      post.sending = lanes.sending;
    },
    read: async ({ body }) =>
      (await deps.db.messages.findOne({
        _id: new ObjectId(body.data.emailId as string),
        projectId: own.project._id,
      })) as Message,
    send: (fields, headers) => own.client.post('/mails/send', { ...defaults(fields), ...fields }, headers),
    bulk: (fields) => own.client.post('/mails/bulk', { ...defaults(fields), ...fields }),
    async settled(answer, ...statuses) {
      const path = `/emails/${typeof answer === 'string' ? answer : answer.body.data.emailId}`;
      for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; await pause(10)) {
        const { body } = await own.client.get(path);
        if (statuses.includes(body.data?.status)) return body.data;
      }
      const { text } = await own.client.get(path);
      throw new Error(`still not ${statuses.join(' or ')}: ${text.slice(0, 2_000)}`);
    },
    async arrived(answer) {
      for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; await pause(10)) {
        const found = sink.ledger.messages.find(({ messageId }) => messageId?.includes(answer.body.data?.emailId));
        if (found?.raw) return { raw: found.raw, mail: await PostalMime.parse(latin1(found.raw)), envelope: found };
      }
      throw new Error(`it did not arrive: ${answer.text}`);
    },
    async stop() {
      await lanes.stop();
      await sink.close();
      if (options.environment) await messages.deleteMany({});
      else await environment.stop();
    },
  };
  return post;

  function openLanes() {
    const { config } = deps;
    const relayOptions = { url: smtpUrl, connectionsMax: config.smtpMaxConnections, clientName: 'test.example.com' };
    const sendingDeps: SendingDeps<Deps> = {
      ...deps,
      mailer: createMailer({ ...relayOptions, ...(timeouts ? { timeouts } : {}) }),
      signer: createSigner(1, largeLimits),
      evidence: createEvidence(config),
      files: files ?? createFiles(config),
    };
    const sending = openSending(sendingDeps);
    const loop = startQueues(deps, [new MailQueue(sending, 'transactional'), new MailQueue(sending, 'automation')]);
    return {
      sending,
      stop: async (graceMs = 2_000) => {
        await Promise.all([loop.stop(), sending.stop(graceMs)]);
      },
    };
  }
}

/** Makes what is due later due now. */
export async function hurry({ environment, own }: Post, ...states: Message['state'][]): Promise<void> {
  await environment.deps.db.messages.updateMany(
    { projectId: own.project._id, dueAt: { $exists: true }, state: { $in: states } },
    [{ $set: { dueAt: '$$NOW' } }],
  );
}

function latin1(raw: string): Uint8Array {
  return Buffer.from(raw, 'latin1');
}

function defaults(fields: object): object {
  const body = 'templateId' in fields || 'text' in fields ? {} : { html: '<p>Hello</p>' };
  const subject = 'templateId' in fields ? {} : { subject: 'Hello' };
  return { from: { email: SENDER, name: 'The Post' }, ...subject, ...body };
}
