import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import type { Organization } from '../../core/accounts/model.ts';
import { commitMove } from '../../core/automations/enrollments/commit.ts';
import type { Enrollment } from '../../core/automations/model/enrollment.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { clickUrls, openPixelUrl } from '../../core/mail/compose/links.ts';
import { states } from '../../core/mail/ledger/states.ts';
import { type AccountB, sampleAccountB } from '../../test/providers/account-b.ts';
import { type ProviderB, startProviderB } from '../../test/providers/provider-b.ts';
import { consoleDir } from '../../test/support/browser/console.ts';
import { type Environment, startEnvironment, type Tenant } from '../../test/support/environment.ts';
import { type Sink, startSink } from '../../test/support/mail/smtp-sink.ts';
import { until } from '../../test/support/wait.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { letter, links } from './letter.ts';
import { addPast } from './past.ts';
import { addPeople, personOf } from './people.ts';

const READERS = 5_400;
const CUSTOMERS = 2_100;
const MIGRATED = 900;
/** A letter is watched in the middle, a minute and a half after it began. */
const RATE = 36;
const WATCHED_AFTER = 3_300;
const BOUNCES = 14;
const OWNER = 'marta.holm@harbour.example';
const SENDER = 'letters@news.harbour.example';

export interface Scene {
  environment: Environment;
  organization: Pick<Organization, '_id'>;
  owner: string;
  projectId: string;
  campaignId: string;
  automationId: string;
  templateId: string;
  migrationId: string;
  close(): Promise<void>;
}

interface Stage {
  environment: Environment;
  tenant: Tenant;
  account: AccountB;
}

/** A bookshop with its readers: a letter on its way, an automation with people in it, and a migration that waits for a key. */
export async function openScene(servers: Record<string, string>): Promise<Scene> {
  const sink = await startSink({ ackDelayMs: 30 });
  const account = sourceAccount();
  const provider = await startProviderB([account]);
  const environment = await startEnvironment(
    {
      ...servers,
      ...{ SMTP_URL: sink.url, SMTP_MAX_CONNECTIONS: '16', WORKER_PROCESSES: '1', PUBLIC_RATE_LIMIT: '1000000' },
      ...{ PROVIDER_B_URL: provider.url, PROVIDER_B_RATE: '500', MIGRATION_PATIENCE_SECONDS: '0' },
    },
    { consoleDir },
  );
  const tenant = await newShop(environment);
  const stage = { environment, tenant, account };
  const readers = await newList(stage, 'Readers of the letter');
  const customers = await newList(stage, 'Customers');
  await newList(stage, 'Readings in the shop');
  const people = Array.from({ length: READERS }, (_, index) => ({
    index,
    listIds: index < CUSTOMERS ? [readers, customers] : [readers],
  }));
  await addPeople(environment.deps, tenant.project._id, people);
  const gone = Array.from({ length: BOUNCES }, (_, index) => `reject-rcpt-550-5.1.1+${index}@letterbox.example`);
  await created(tenant, '/contact-lists/contacts/bulk-add', { contactListId: readers.toHexString(), emails: gone });
  await addPast(environment.deps, tenant.project._id);
  const workers = startWorkers(environment.deps, ['workflows', 'background', 'campaign', 'mail']);
  await workers.ready;
  const templateId = await newTemplate(stage);
  const automationId = await newAutomation(stage);
  const migrationId = await newMigration(stage);
  await sendOrders(stage);
  const campaignId = await newCampaign(stage, readers, templateId);
  const reading = readMail(stage, new ObjectId(campaignId));
  await sink.ledger.wait(WATCHED_AFTER, 300_000);
  return {
    environment,
    organization: tenant.organization,
    owner: OWNER,
    projectId: tenant.project._id.toHexString(),
    ...{ campaignId, automationId, templateId, migrationId },
    close: async () => {
      await reading.stop();
      await closeAll(environment, workers, sink, provider);
    },
  };
}

async function closeAll(environment: Environment, workers: Workers, sink: Sink, provider: ProviderB): Promise<void> {
  await workers.stop();
  await environment.stop();
  await sink.close();
  await provider.stop();
}

async function newShop(environment: Environment): Promise<Tenant> {
  const { deps } = environment;
  const tenant = await environment.newTenant('Harbour Books');
  const { organization, project } = tenant;
  await deps.db.organizations.updateOne({ _id: organization._id }, { $set: { name: 'Harbour Books' } });
  await deps.db.projects.updateOne(
    { _id: project._id, organizationId: organization._id },
    { $set: { name: 'Letters' } },
  );
  await seedVerifiedDomain(deps, project, 'news.harbour.example', new ObjectId());
  await created(tenant, '/senders', { email: SENDER, name: 'Harbour Books' });
  return tenant;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes.
async function created({ client }: Tenant, path: string, body: object): Promise<any> {
  const reply = await client.post(path, body);
  if (!reply.body?.success) throw new Error(`${path}: ${reply.text}`);
  return reply.body.data;
}

async function newList({ tenant }: Stage, name: string): Promise<ObjectId> {
  return new ObjectId((await created(tenant, '/contact-lists', { name })).id as string);
}

async function newTemplate({ tenant }: Stage): Promise<string> {
  const template = await created(tenant, '/templates', {
    ...{ templateName: 'Letter of the month', templateType: 'marketing', emailTemplate: letter },
    ...{ subject: 'Three books for long evenings', previewText: 'And a reading on Thursday, with tea' },
  });
  return template.templateId;
}

async function newAutomation({ environment: { deps }, tenant }: Stage): Promise<string> {
  const mail = (stepId: string, subject: string, more: object = {}) => ({
    ...{ type: 'email', stepId, email: { subject, htmlTemplate: letter, senderEmail: SENDER } },
    ...more,
  });
  const inside = { parentBranchStepId: 'opened', parentBranchId: 'yes' };
  const opened = { behaviour: 'humanOpened', operator: 'at_least', count: 1, withinDays: 7 };
  const { id } = await created(tenant, '/automations', {
    name: 'Welcome, new readers',
    entryCriteria: { type: 'contact_created' },
    steps: [
      { type: 'wait', stepId: 'begin', delay: { value: 0, unit: 'hours' } },
      mail('welcome', 'Welcome to Harbour Books'),
      { type: 'wait', stepId: 'after-welcome', delay: { value: 3, unit: 'days' } },
      {
        ...{ type: 'branch', stepId: 'opened', nextStepId: 'wait-again' },
        branches: [{ branchId: 'yes', label: 'read it', filterCriteria: { logicalOperator: 'AND', groups: [opened] } }],
      },
      { type: 'wait', stepId: 'a-day', delay: { value: 1, unit: 'days' }, ...inside },
      mail('shelf', 'A shelf of your own', inside),
      { type: 'wait', stepId: 'wait-again', delay: { value: 4, unit: 'days' } },
      mail('reading', 'Come to a reading'),
    ],
    active: true,
  });
  const contacts = await deps.db.contacts.find({ projectId: tenant.project._id }).limit(412).toArray();
  const stepOf = (index: number) => (index < 240 ? 'after-welcome' : index < 300 ? 'a-day' : 'wait-again');
  const people = contacts.map(({ _id: contactId }, index) =>
    inWait(tenant, { automationId: new ObjectId(id as string), contactId, stepId: stepOf(index) }),
  );
  await Promise.all(people.map((after) => commitMove(deps, tenant.project._id, { before: null, after })));
  return id;
}

function inWait(
  { project }: Tenant,
  { automationId, contactId, stepId }: Pick<Enrollment, 'automationId' | 'contactId'> & { stepId: string },
): Enrollment {
  const at = new Date();
  const until = new Date(at.getTime() + 2 * 86_400_000);
  return {
    ...{ _id: new ObjectId(), projectId: project._id, automationId, contactId, stepId },
    ...({ status: 'active', live: true, version: 1, revision: 1, started: true, parked: false } as const),
    ...{ waitFrom: at, waitUntil: until, exitReason: null, event: null },
    history: [{ type: 'entered', at }],
    ...{ enteredAt: at, updatedAt: at, endedAt: null },
  };
}

/** The account of the shop at another provider. Its key is replaced while contacts are read. */
function sourceAccount(): AccountB {
  const templates = ['Letter of the month', 'Order on its way', 'Reading in the shop', 'Gift card', 'Thank you'];
  const account = sampleAccountB({ ratePerSecond: 10_000 }, MIGRATED);
  return {
    ...account,
    templates: account.templates.slice(0, templates.length).map((one, index) => ({
      ...one,
      ...{ name: templates[index] ?? '', status: 'published' as const, html: letter, subject: templates[index] ?? '' },
    })),
    topics: account.topics
      .slice(0, 3)
      .map((one, index) => ({ ...one, name: ['Letters', 'Readings', 'Offers'][index] ?? '' })),
    segments: account.segments.map((one, index) => ({ ...one, name: ['Customers', 'Press', 'Schools'][index] ?? '' })),
    contacts: account.contacts.map((one, index) => ({ ...one, ...personOf(READERS + index) })),
  };
}

async function newMigration({ environment, tenant, account }: Stage): Promise<string> {
  const { deps } = environment;
  const { bulkOperationId: id } = await created(tenant, '/migrations/providerB/migrate', {
    apiKey: account.key,
    migrateAll: true,
  });
  const read = async () => (await tenant.client.get(`/migrations/${id}`)).body.data;
  const contactsOf = ({ phases }: { phases: Array<{ name: string; succeeded: number }> }) =>
    phases.find(({ name }) => name === 'contacts')?.succeeded ?? 0;
  await until(read, (job) => contactsOf(job) > 0, { ms: 60_000, everyMs: 5 });
  account.keyState = 'invalid';
  await until(read, ({ status }) => status === 'needs_attention', { ms: 60_000 });
  await deps.db.migrations.updateOne(
    { _id: new ObjectId(id as string), projectId: tenant.project._id },
    { $set: { updatedAt: new Date() } },
  );
  return id;
}

async function sendOrders({ tenant }: Stage): Promise<void> {
  for (let index = 0; index < 24; index += 1) {
    const { email, firstName } = personOf(index * 7);
    await created(tenant, '/mails/send', {
      ...{ to: { email, name: firstName }, from: { email: SENDER, name: 'Harbour Books' } },
      subject: `Your order ${20_418 + index} is on its way`,
      html: `<p>Dear ${firstName}, your books left the shop this morning.</p>`,
    });
  }
}

async function newCampaign({ tenant }: Stage, listId: ObjectId, templateId: string): Promise<string> {
  const left = Array.from({ length: 62 }, (_, index) => personOf(index * 97 + 40).email);
  await created(tenant, '/suppression-groups/emails/suppress', { emails: left, isGlobal: true, reason: 'UNSUBSCRIBE' });
  await created(tenant, '/campaigns', {
    ...{ name: 'December letter', subject: 'What to read by the tree', templateId },
    ...{ from: { email: SENDER, name: 'Harbour Books' }, toLists: [listId.toHexString()] },
  });
  const { id } = await created(tenant, '/campaigns', {
    ...{ name: 'November letter', subject: 'Three books for long evenings', templateId },
    ...{ from: { email: SENDER, name: 'Harbour Books' }, toLists: [listId.toHexString()] },
    ...{ sendRatePerSecond: RATE, trackingOpen: true, trackingClick: true, publish: true, sendNow: true },
  });
  return id;
}

const AGENT = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605.1.15 (KHTML, like Gecko) Mail/16.0';
const READ_EVERY_MS = 400;

/** Some readers open their mail, and some of these a link. */
function readMail({ environment: { deps }, tenant }: Stage, campaignId: ObjectId): { stop(): Promise<void> } {
  const { config, db } = deps;
  const projectId = tenant.project._id;
  const seen = new Set<string>();
  let isOver = false;
  const get = (url: string) => fetch(url, { headers: { 'User-Agent': AGENT }, redirect: 'manual' });
  const reading = (async () => {
    while (!isOver) {
      const mails = await db.messages
        .find({ projectId, campaignId, state: states.sent }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .toArray();
      const fresh = mails.filter(({ _id }) => !seen.has(_id.toHexString()));
      for (const [index, { _id: messageId }] of fresh.entries()) {
        seen.add(messageId.toHexString());
        const ref = { projectId, messageId };
        if (index % 5 < 2) await get(openPixelUrl(config, ref));
        if (index % 20 === 3) await get(clickUrls(config, links[index % links.length] ?? '', 1 + (index % 3))(ref));
      }
      await sleep(READ_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await reading;
    },
  };
}
