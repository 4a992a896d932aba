import { ObjectId } from 'mongodb';
import PostalMime, { type Email } from 'postal-mime';
import { seedVerifiedDomain } from '../../core/domains.ts';
import type { Message } from '../../core/model.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import type { Reply } from '../client.ts';
import { type Environment, startEnvironment, type Tenant } from '../environment.ts';
import { type Sink, type SinkOptions, startSink } from '../smtp-sink.ts';

export interface Post {
  environment: Environment;
  sink: Sink;
  workers: Workers;
  own: Tenant;
  /** POST /mails/send from a verified address, with html unless something else is given. */
  send(fields: object, headers?: Record<string, string>): Promise<Reply>;
  bulk(fields: object): Promise<Reply>;
  /** The stored message of an answer. */
  read(answer: Reply): Promise<Message>;
  /** GET /emails/{id} until its status is one of these. */
  settled(answer: Reply, ...statuses: string[]): Promise<Reply['body']>;
  /** The mail as it arrived, parsed by somebody else's parser. */
  arrived(answer: Reply): Promise<{ mail: Email; raw: string }>;
  stop(): Promise<void>;
}

export const SENDER = 'post@mail.example.com';

/** The API and a worker of the mail lanes in this process, with a sink as the relay. */
export async function startPost(env: Record<string, string> = {}, sinkOptions: SinkOptions = {}): Promise<Post> {
  const sink = await startSink(sinkOptions);
  const environment = await startEnvironment({ SMTP_URL: sink.url, SMTP_MAX_CONNECTIONS: '8', ...env });
  const { own, deps } = environment;
  await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
  const workers = startWorkers(deps, ['mail']);
  await workers.ready;
  const read = async ({ body }: Reply) =>
    (await deps.db.messages.findOne({
      _id: new ObjectId(body.data.emailId as string),
      projectId: own.project._id,
    })) as Message;
  return {
    environment,
    sink,
    workers,
    own,
    read,
    send: (fields, headers) => own.client.post('/mails/send', { ...defaults(fields), ...fields }, headers),
    bulk: (fields) => own.client.post('/mails/bulk', { ...defaults(fields), ...fields }),
    async settled(answer, ...statuses) {
      const path = `/emails/${answer.body.data.emailId}`;
      for (let tries = 0; tries < 400; tries++) {
        const { body } = await own.client.get(path);
        if (statuses.includes(body.data?.status)) return body.data;
        await pause(10);
      }
      const { text } = await own.client.get(path);
      throw new Error(`still not ${statuses.join(' or ')}: ${text}`);
    },
    async arrived(answer) {
      for (let tries = 0; tries < 400; tries++) {
        const found = sink.ledger.messages.find(({ messageId }) => messageId?.includes(answer.body.data.emailId));
        if (found?.raw) return { raw: found.raw, mail: await PostalMime.parse(found.raw) };
        await pause(10);
      }
      throw new Error('it did not arrive');
    },
    async stop() {
      await workers.stop();
      await environment.stop();
      await sink.close();
    },
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function defaults(fields: object): object {
  const body = 'templateId' in fields || 'text' in fields ? {} : { html: '<p>Hello</p>' };
  const subject = 'templateId' in fields ? {} : { subject: 'Hello' };
  return { from: { email: SENDER, name: 'The Post' }, ...subject, ...body };
}
