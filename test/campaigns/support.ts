import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains.ts';
import type { LaneName } from '../../workers/lanes.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import type { Reply } from '../client.ts';
import { type Environment, startEnvironment, type Tenant } from '../environment.ts';
import { type Sink, type SinkOptions, startSink } from '../smtp-sink.ts';

export interface Stage {
  environment: Environment;
  sink: Sink;
  workers: Workers | null;
  own: Tenant;
  /** Makes a list with so many contacts, u0@..., u1@..., and answers its id. */
  list(count: number, email?: (index: number) => string): Promise<string>;
  create(fields: object): Promise<Reply>;
  /** Creates and publishes one with sendNow, and answers its id. */
  launch(fields: object): Promise<string>;
  get(campaignId: string): Promise<Reply['body']>;
  progress(campaignId: string): Promise<Reply['body']>;
  /** Waits for one of these statuses; every look holds the counts to account. */
  until(campaignId: string, ...statuses: string[]): Promise<Reply['body']>;
  stop(): Promise<void>;
}

export const SENDER = 'news@mail.example.com';
export const HTML = '<p>Hello {{firstName}}</p><p><a href="https://shop.example.com/sale">Sale</a></p>';

/** The API and all campaign lanes in this process, with a sink as the relay and the real Temporal. */
export async function startStage({
  env = {},
  sinkOptions = {},
  lanes = ['workflows', 'background', 'campaign', 'mail'],
}: {
  env?: Record<string, string>;
  sinkOptions?: SinkOptions;
  lanes?: LaneName[];
} = {}): Promise<Stage> {
  const sink = await startSink(sinkOptions);
  const environment = await startEnvironment({
    SMTP_URL: sink.url,
    SMTP_MAX_CONNECTIONS: '20',
    WORKER_PROCESSES: '1',
    ...env,
  });
  const { own, deps } = environment;
  await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
  const workers = lanes.length > 0 ? startWorkers(deps, lanes) : null;
  await workers?.ready;
  const read = async (path: string) => (await own.client.get(path)).body.data;
  const create = (fields: object) =>
    own.client.post('/campaigns', {
      name: 'Campaign',
      subject: 'News for {{firstName}}',
      htmlTemplate: HTML,
      from: { email: SENDER, name: 'News' },
      ...fields,
    });
  return {
    environment,
    sink,
    workers,
    own,
    create,
    async list(count, email = (index) => `u${index}@example.org`) {
      const { body } = await own.client.post('/contact-lists', { name: `list ${new ObjectId()}` });
      for (let from = 0; from < count; from += 500) {
        const emails = Array.from({ length: Math.min(500, count - from) }, (_, index) => email(from + index));
        await own.client.post('/contact-lists/contacts/bulk-add', { contactListId: body.data.id, emails });
      }
      return body.data.id;
    },
    async launch(fields) {
      const { body, text } = await create({ publish: true, sendNow: true, ...fields });
      if (!body.success) throw new Error(text);
      return body.data.id;
    },
    get: (campaignId) => read(`/campaigns/${campaignId}`),
    progress: (campaignId) => read(`/campaigns/${campaignId}/progress`),
    async until(campaignId, ...statuses) {
      for (const begun = Date.now(); Date.now() - begun < 25_000; await pause(50)) {
        const progress = await read(`/campaigns/${campaignId}/progress`);
        if (!isBalanced(progress)) throw new Error(`the counts do not add up: ${JSON.stringify(progress)}`);
        if (statuses.includes(progress.status)) return read(`/campaigns/${campaignId}`);
      }
      throw new Error(`still not ${statuses.join(' or ')}: ${JSON.stringify(await read(`/campaigns/${campaignId}`))}`);
    },
    async stop() {
      await workers?.stop();
      await environment.stop();
      await sink.close();
    },
  };
}

/** total = suppressed + failed + sent + unknown + pending, at every moment. */
export function isBalanced({ total, suppressed, failed, sent, unknown, pending }: Record<string, number>): boolean {
  return total === suppressed! + failed! + sent! + unknown! + pending!;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
