import type { AddressInfo } from 'node:net';
import { ObjectId } from 'mongodb';
import { createApp } from '../../api/app.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import type { Campaign } from '../../core/campaigns/model.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { createRateLimiter } from '../../platform/redis/rate-limit.ts';
import { createStreamSlots } from '../../platform/redis/stream-slots.ts';
import { createClient } from '../support/client.ts';
import type { Environment, Tenant } from '../support/environment.ts';
import { until } from '../support/wait.ts';

export const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15';

/** A message as the ledger has it after the relay took it, an hour ago unless a test says otherwise. */
export async function sentMessage(
  { deps }: Environment,
  { project }: Tenant,
  fields: Partial<Message> = {},
): Promise<Message> {
  const at = new Date(deps.clock.now().getTime() - 3_600_000);
  const message: Message = {
    _id: new ObjectId(),
    projectId: project._id,
    lane: 'campaign',
    state: 'sent',
    email: `person-${new ObjectId().toHexString()}@example.com`,
    createdAt: at,
    claimedAt: at,
    sentAt: at,
    endedAt: at,
    reply: { code: 250, enhanced: '2.0.0', text: 'ok' },
    ...fields,
  };
  await deps.db.messages.insertOne(message);
  return message;
}

/** A domain that is verified and live, as the check of its records leaves it. Returns its name. */
export async function receivingDomain(
  { deps }: Environment,
  { project }: Tenant,
  { live = true, name = `d${new ObjectId().toHexString()}.example.org` } = {},
): Promise<string> {
  const _id = new ObjectId();
  await seedVerifiedDomain(deps, project, name, _id);
  const now = new Date();
  await deps.db.domains.updateOne(
    { _id, projectId: project._id },
    { $set: { seeded: false, inboundEnabledAt: now, inboundDomainVerifiedAt: live ? now : null } },
  );
  return name;
}

/** Another process of the same installation, with settings or a database of its own and without Redis, that has these routes alone. */
export async function serveRoutes(deps: Environment['deps'], routes: Endpoint[]) {
  const limiter = createRateLimiter(null, 'another');
  const slots = createStreamSlots(null, 'another');
  const app = createApp(deps, routes, { limiter, slots, observe: () => undefined });
  const port = await new Promise<number>((resolve) => {
    app.server.listen(0, '127.0.0.1', () => resolve((app.server.address() as AddressInfo).port));
  });
  return {
    visitor: createClient(`http://127.0.0.1:${port}`, null, { 'User-Agent': BROWSER }),
    url: `http://127.0.0.1:${port}`,
    async stop() {
      limiter.stop();
      slots.stop();
      await app.stop();
    },
  };
}

/** Only what counting needs. */
export async function bareCampaign({ deps }: Environment, { project }: Tenant, fields: Partial<Campaign> = {}) {
  const base = { projectId: project._id, name: 'Bare', status: 'sent', sendMode: 'immediate' };
  const campaign = { _id: new ObjectId(), ...base, unsubscribeGroupId: null, updatedAt: deps.clock.now(), ...fields };
  await deps.db.campaigns.insertOne(campaign as Campaign);
  return campaign;
}

export function refOf(message: Message) {
  return { projectId: message.projectId, messageId: message._id };
}

export function engagementOf({ deps }: Environment, { _id, projectId }: Message) {
  return deps.db.engagements.findOne({ _id, projectId });
}

export function engagementWith(environment: Environment, message: Message, field: string) {
  return until(
    () => engagementOf(environment, message),
    (found) => found !== null && field in found,
  );
}

export function storedMessage({ deps }: Environment, { _id, projectId }: Message) {
  return deps.db.messages.findOne({ _id, projectId });
}

/** Lines of the timeline are written after the engagement: waits for so many. */
export async function timelineOf(environment: Environment, message: Message, lines: number) {
  const stored = await until(
    () => storedMessage(environment, message),
    (found) => (found?.timeline?.length ?? 0) >= lines,
  );
  return stored?.timeline ?? [];
}
