import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { type Budgets, ownBudgets } from '../../core/base/limits/budgets.ts';
import { compareBytes } from '../../core/base/text/byte-order.ts';
import { readCampaign } from '../../core/campaigns/definition/campaigns.ts';
import type { Campaign } from '../../core/campaigns/model.ts';
import { freezeAudience } from '../../core/campaigns/run/freeze.ts';
import { advanceCampaign, type CampaignStep } from '../../core/campaigns/run/next-step.ts';
import type { SendStep } from '../../core/campaigns/run/sending-plan.ts';
import { type CampaignRange, type RangeResult, sendRange } from '../../core/campaigns/send/range.ts';
import { openSending, type Sending } from '../../core/mail/deliver/sending.ts';
import { recipientId } from '../../core/mail/ledger/blocks/recipient-id.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { globalListId } from '../../core/people/global-list.ts';
import type { Contact } from '../../core/people/model.ts';
import { createSigner } from '../../platform/dkim/signer.ts';
import { createEvidence } from '../../platform/evidence.ts';
import { createFiles } from '../../platform/fetch/files.ts';
import { createMailer } from '../../platform/smtp/mailer.ts';
import { anyFreePort } from '../../stack/ports.ts';
import type { RoleName } from '../../workers/roles.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { prefixed, workflowIds } from '../../workflows/names.ts';
import type { Reply } from '../support/client.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { type Sink, type SinkOptions, startSink } from '../support/mail/smtp-sink.ts';

export interface Stage {
  environment: Environment;
  deps: Deps;
  sink: Sink;
  workers: Workers | null;
  own: Tenant;
  /** Makes a list with so many contacts, u0@..., u1@..., and answers its id. */
  list(count: number, email?: (index: number) => string): Promise<string>;
  create(fields: object): Promise<Reply>;
  /** Creates and publishes one with sendNow, and answers its id. */
  launch(fields: object): Promise<string>;
  act(campaignId: string, action: string, body?: object): Promise<Reply>;
  get(campaignId: string): Promise<Reply['body']>;
  progress(campaignId: string): Promise<Reply['body']>;
  stored(campaignId: string): Promise<Campaign>;
  messages(campaignId: string, filter?: object): Promise<Message[]>;
  /** Everybody of the audience, by address: rows, and those who wait in blocks. */
  audience(campaignId: string): Promise<Message[]>;
  /** Waits for one of these statuses; every look holds the counts to account. */
  until(campaignId: string, ...statuses: string[]): Promise<Reply['body']>;
  /** Waits until so many are sent. */
  untilSent(campaignId: string, count: number): Promise<void>;
  /** Its run in Temporal. */
  run(campaignId: string): Promise<WorkflowHandle>;
  /** Mails of this campaign that arrived, by address. */
  arrived(campaignId: string): Promise<Map<string, number>>;
  stop(): Promise<void>;
}

/** Of a machine that has much else to do. */
const LOOKED_MS_MAX = 60_000;
/** Mail that is with the relay for longer is cut off, and is in doubt. */
const STOP_MS_MAX = 20_000;

export const SENDER = 'news@mail.example.com';
export const HTML = '<p>Hello {{firstName}}</p><p><a href="https://shop.example.com/sale">Sale</a></p>';

/** The API in this process with a sink as the relay, and all campaign lanes on the real Temporal unless `lanes` says less. */
export async function startStage({
  env = {},
  sinkOptions = {},
  lanes = ['workflows', 'background', 'campaign', 'mail'],
}: {
  env?: Record<string, string>;
  sinkOptions?: SinkOptions;
  lanes?: RoleName[];
} = {}): Promise<Stage> {
  const sink = await startSink(sinkOptions);
  const environment = await startEnvironment({
    SMTP_URL: sink.url,
    SMTP_MAX_CONNECTIONS: '20',
    WORKER_PROCESSES: '1',
    ...env,
  });
  const { own, deps } = environment;
  await seedSendingDomain(deps, own.project, 'mail.example.com');
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
  let connection: Connection | undefined;
  const stage: Stage = {
    environment,
    deps,
    sink,
    workers,
    own,
    create,
    async list(count, email = (index) => `u${index}@example.org`) {
      const { body } = await own.client.post('/contact-lists', { name: `list ${new ObjectId()}` });
      await addContacts(
        stage,
        body.data.id,
        Array.from({ length: count }, (_, index) => email(index)),
      );
      return body.data.id;
    },
    async launch(fields) {
      const { body, text } = await create({ publish: true, sendNow: true, ...fields });
      if (!body.success) throw new Error(text);
      return body.data.id;
    },
    act: (campaignId, action, body) => own.client.post(`/campaigns/${campaignId}/${action}`, body),
    get: (campaignId) => read(`/campaigns/${campaignId}`),
    progress: (campaignId) => read(`/campaigns/${campaignId}/progress`),
    stored: async (campaignId) =>
      (await deps.db.campaigns.findOne({ _id: new ObjectId(campaignId), projectId: own.project._id })) as Campaign,
    messages: (campaignId, filter = {}) =>
      deps.db.messages
        .find({ campaignId: new ObjectId(campaignId), projectId: own.project._id, ...filter })
        .sort({ seq: 1 })
        .toArray(),
    async audience(campaignId) {
      const rows = await stage.messages(campaignId);
      const { _id, projectId, freeze } = await stage.stored(campaignId);
      const known = new Set(rows.map((row) => row._id.toHexString()));
      const blocks = freeze?.run
        ? await deps.db.campaignBlocks.find({ projectId, campaignId: _id, run: freeze.run }).toArray()
        : [];
      const waiting = blocks.flatMap(({ recipients, fromSeq }) =>
        recipients.map(({ contactId, email }, index): Message => {
          const id = recipientId(freeze!.at, _id, contactId);
          const lane = 'campaign' as const;
          return { _id: id, projectId, lane, state: 'queued', email, campaignId: _id, contactId, seq: fromSeq + index };
        }),
      );
      const all = [...rows, ...waiting.filter((message) => !known.has(message._id.toHexString()))];
      return all.toSorted((a, b) => compareBytes(a.email, b.email));
    },
    async until(campaignId, ...statuses) {
      for (const begun = Date.now(); Date.now() - begun < LOOKED_MS_MAX; await pause(30)) {
        const progress = await stage.progress(campaignId);
        if (!isBalanced(progress)) throw new Error(`the counts do not add up: ${JSON.stringify(progress)}`);
        if (statuses.includes(progress.status)) return stage.get(campaignId);
      }
      throw new Error(`still not ${statuses.join(' or ')}: ${JSON.stringify(await stage.progress(campaignId))}`);
    },
    async untilSent(campaignId, count) {
      for (const begun = Date.now(); Date.now() - begun < LOOKED_MS_MAX; await pause(10)) {
        const progress = await stage.progress(campaignId);
        if (!isBalanced(progress)) throw new Error(`the counts do not add up: ${JSON.stringify(progress)}`);
        if (progress.sent >= count) return;
      }
      throw new Error(`not ${count} sent: ${JSON.stringify(await stage.progress(campaignId))}`);
    },
    async run(campaignId) {
      connection ??= await Connection.connect({ address: deps.config.temporalAddress });
      const id = prefixed(deps.config.taskQueuePrefix, workflowIds.campaignSend(campaignId));
      return new Client({ connection, namespace: deps.config.temporalNamespace }).workflow.getHandle(id);
    },
    async arrived(campaignId) {
      const own = new Map(
        (await stage.messages(campaignId)).map(({ _id, email }) => [`<${_id}@mail.example.com>`, email]),
      );
      const found = [...sink.ledger.counts].filter(([id]) => own.has(id));
      return new Map(found.map(([id, count]) => [own.get(id) as string, count]));
    },
    async stop() {
      await workers?.stop();
      await connection?.close();
      await environment.stop();
      await sink.close();
    },
  };
  return stage;
}

/** Without the door of contacts, which has tests of its own and takes its time. */
async function addContacts({ deps, own }: Stage, listId: string, emails: string[]): Promise<void> {
  const at = new Date();
  const blank = { firstName: null, lastName: null, userId: null, mobile: null, contactProperties: {} };
  const known = await deps.db.contacts.find({ projectId: own.project._id, email: { $in: emails } }).toArray();
  const there = new Set(known.map(({ email }) => email));
  const list = new ObjectId(listId);
  const made = emails
    .filter((email) => !there.has(email))
    .map(
      (email): Contact => ({
        _id: new ObjectId(),
        projectId: own.project._id,
        email,
        ...blank,
        listIds: [list],
        segmentIds: [],
        createdAt: at,
        updatedAt: at,
      }),
    );
  if (made.length > 0) await deps.db.contacts.insertMany(made, { ordered: false });
  await deps.db.contacts.updateMany(
    { projectId: own.project._id, email: { $in: [...there] } },
    { $addToSet: { listIds: list } },
  );
  await count({ deps, own }, list, emails.length);
  await count({ deps, own }, globalListId(own.project), made.length);
}

async function count({ deps, own }: Pick<Stage, 'deps' | 'own'>, listId: ObjectId, more: number): Promise<void> {
  await deps.db.listCounts.updateOne(
    { _id: `${listId.toHexString()}:0`, projectId: own.project._id },
    { $inc: { count: more }, $setOnInsert: { listId } },
    { upsert: true },
  );
}

/** A process that sends, without Temporal: it takes the steps of a run one after the other. */
interface Hands {
  sending: Sending<Deps>;
  advance(campaignId: string): Promise<CampaignStep>;
  freeze(campaignId: string): Promise<void>;
  /** Until the run ends, parks or waits; answers that step. */
  drive(campaignId: string): Promise<CampaignStep>;
  page(campaignId: string, page: Partial<CampaignRange>, timeMs?: number): Promise<RangeResult>;
  stop(): Promise<void>;
}

export function openHands(
  { deps, own }: Stage,
  env: Partial<Deps['config']> = {},
  budgets: Budgets = ownBudgets,
): Hands {
  const config = { ...deps.config, ...env };
  const connectionsMax = config.smtpMaxConnections;
  const mailer = createMailer({ url: config.smtpUrl, connectionsMax, budgets, clientName: 'test' });
  const parts = { mailer, signer: createSigner(1), evidence: createEvidence(config), files: createFiles(config) };
  const sending = openSending({ ...deps, config, ...parts });
  const refOf = (campaignId: string) => ({ projectId: own.project._id.toHexString(), campaignId });
  const hands: Hands = {
    sending,
    advance: (campaignId) => advanceCampaign(sending.deps, refOf(campaignId)),
    async freeze(campaignId) {
      const campaign = (await readCampaign(deps, refOf(campaignId))) as Campaign;
      await freezeAudience(sending.deps, campaign, { signal: new AbortController().signal, onProgress() {} });
    },
    async drive(campaignId) {
      for (;;) {
        const step = await hands.advance(campaignId);
        if (step.kind === 'freeze') await hands.freeze(campaignId);
        else if (step.kind === 'send') await sendAll(hands, campaignId, step);
        else return step;
      }
    },
    page: (campaignId, page, timeMs) =>
      sendRange(
        sending,
        {
          ...refOf(campaignId),
          fromSeq: 0,
          toSeq: Number.MAX_SAFE_INTEGER,
          isDeferred: false,
          pagesAtOnce: 1,
          ...page,
        },
        {
          signal: new AbortController().signal,
          onProgress() {},
          ...(timeMs === undefined ? {} : { turnMs: timeMs, timeMs }),
        },
      ),
    stop: () => sending.stop(STOP_MS_MAX),
  };
  return hands;
}

/**
 * For a whole suite: a stage without workers, whose Temporal is down, and hands that take the steps of its campaigns. With `perTest`
 * each test has hands of its own, and the relay begins in these modes.
 */
export function useHands({ env = {}, sinkOptions = {}, perTest }: HandsOptions = {}): { stage: Stage; hands: Hands } {
  const [stage, hands] = [{} as Stage, {} as Hands];
  const open = () => void Object.assign(hands, openHands(stage));
  const close = () => hands.stop();
  before(async () => {
    const nowhere = `127.0.0.1:${await anyFreePort()}`;
    Object.assign(stage, await startStage({ lanes: [], env: { TEMPORAL_ADDRESS: nowhere, ...env }, sinkOptions }));
  });
  if (perTest) {
    beforeEach(() => {
      open();
      Object.assign(stage.sink.modes, perTest);
    });
    afterEach(close);
  } else {
    before(open);
    after(close);
  }
  after(() => stage.stop());
  return { stage, hands };
}

interface HandsOptions {
  env?: Record<string, string>;
  sinkOptions?: SinkOptions;
  perTest?: SinkOptions;
}

/** As the workflow does: from where a page was cut short, and no further one after a decision. */
async function sendAll(hands: Hands, campaignId: string, step: SendStep): Promise<void> {
  const ranges = [
    ...(step.deferredUpTo === null ? [] : [{ fromSeq: 0, toSeq: step.deferredUpTo, isDeferred: true }]),
    ...(step.fromSeq <= step.toSeq ? [{ fromSeq: step.fromSeq, toSeq: step.toSeq, isDeferred: false }] : []),
  ];
  for (const range of ranges)
    for (let from: number | null = range.fromSeq; from !== null; ) {
      const { goOn, nextSeq, waitMs } = await hands.page(campaignId, { ...range, fromSeq: from });
      if (waitMs > 0) await pause(waitMs);
      if (!goOn) return;
      from = nextSeq;
    }
}

/** total = suppressed + failed + sent + unknown + pending, at every moment. */
export function isBalanced({ total, suppressed, failed, sent, unknown, pending }: Record<string, number>): boolean {
  return total === suppressed! + failed! + sent! + unknown! + pending!;
}
