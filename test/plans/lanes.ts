import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { SANDBOX_DOMAIN } from '../../core/base/sandbox.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { sandboxReports } from '../../core/mail/deliver/sandbox/reports.ts';
import { recomputeSegment } from '../../core/people/lists/recompute.ts';
import { startWorkers } from '../../workers/start.ts';
import { arrivedFor, makeMember } from '../accounts/sign-in/support.ts';
import { consoleHeaders } from '../accounts/signed-in.ts';
import { wait } from '../automations/support.ts';
import { HTML, SENDER, type Stage } from '../campaigns/support.ts';
import { settled, start } from '../migrations/support.ts';
import { sampleAccountA } from '../providers/account-a.ts';
import { sampleAccountB } from '../providers/account-b.ts';
import { serverError } from '../providers/faults.ts';
import { made } from '../support/client.ts';
import { until } from '../support/wait.ts';
import type { Outside } from './outside.ts';

/** On a machine with much else to do: the first look at a campaign is repeated when it was not over in two minutes. */
const PATIENCE = { ms: 240_000 };
const JPEG = Buffer.from('/9j/').toString('base64');

/** Work for all roles, on the real Temporal, until it is done. */
export async function runLanes(stage: Stage, outside: Outside): Promise<void> {
  const workers = startWorkers(stage.deps, ['workflows', 'background', 'campaign', 'mail']);
  await workers.ready;
  try {
    await capFrequency(stage);
    outside.hooks.answer = { status: 500 };
    await make(stage, '/webhooks', { url: outside.hooks.url, events: ['email.sent', 'contact.created'] });
    await Promise.all([
      ...[sendCampaign, enroll, changeAutomation, importFile, recompute, signInByMail, bounceInSandbox].map((work) =>
        work(stage),
      ),
      ...[sendMails, checkDomain, migrate].map((work) => work(stage, outside)),
    ]);
    await awaitDates(stage);
    await until(
      async () => outside.hooks.received.length,
      (count) => count > 0,
      PATIENCE,
    );
    outside.hooks.answer = { status: 200 };
  } finally {
    await workers.stop();
  }
}

/** So high that it holds nothing back. */
async function capFrequency({ environment, own }: Stage): Promise<void> {
  const frequencyCap = { mails: 100, withinDays: 90 };
  const { text, body } = await environment
    .client(own.adminKey)
    .patch(`/account/projects/${own.project._id}`, { frequencyCap });
  expect(body.success, text).to.equal(true);
}

export const make = ({ own }: Pick<Stage, 'own'>, path: string, body: object) => made(own.client, path, body);

/** Mail of the transactional and the automation lane. */
async function sendMails(stage: Stage, { imagesUrl }: Outside): Promise<void> {
  const content = { from: { email: SENDER }, subject: 'Hi {{firstName}}', html: HTML };
  const attachments = [
    { fileName: 'a.jpg', content: JPEG },
    { fileName: 'b.png', fileUrl: `${imagesUrl}/b.png` },
  ];
  const { templateId } = await make(stage, '/templates', {
    ...{ templateName: 'Hello', subject: 'Hello', emailTemplate: HTML },
  });
  const { groupId } = await make(stage, '/suppression-groups', { name: 'Lanes' });
  const to = { email: 'ada@in.test', name: 'Ada' };
  const [bounced, unclear] = ['550-5.1.1', '554-5.0.0'].map((code) => ({ email: `perm-rcpt-${code}+a@in.test` }));
  const single = await Promise.all([
    make(stage, '/mails/send', { ...content, to, cc: [{ email: 'cc@in.test' }], attachments }),
    make(stage, '/mails/send', { from: content.from, to, templateId }),
    make(stage, '/mails/send', { ...content, to: bounced }),
    make(stage, '/mails/send', { ...content, to: unclear }),
    make(stage, '/mails/send', {
      ...content,
      to,
      cc: [{ email: 'cc@in.test' }],
      unsubscribeGroupId: groupId,
      tags: [{ name: 'kind', value: 'b' }],
    }),
  ]);
  const recipients = [{ email: 'bob@in.test' }, { email: 'eve@in.test' }];
  const bulk = await make(stage, '/mails/bulk', { ...content, recipients, cc: [{ email: 'cc2@in.test' }] });
  expect(bulk).to.have.property('batchId');
  await until(
    () => Promise.all(single.map(async ({ emailId }) => (await stage.own.client.get(`/emails/${emailId}`)).body.data)),
    (mails) => mails.every(({ status }) => ['sent', 'bounced', 'deferred'].includes(status)),
    PATIENCE,
  );
}

/** Whose report comes back; no inbound server runs here. */
async function bounceInSandbox({ deps, own }: Stage): Promise<void> {
  const projectId = own.project._id;
  await deps.db.projects.updateOne({ _id: projectId }, { $set: { sandboxAddresses: true } });
  const handed: string[] = [];
  const queue = sandboxReports(deps, async ({ text }) => {
    handed.push(text);
    return { code: 250, enhanced: null, text: '' };
  });
  const loop = startQueues(deps, [queue]);
  const to = { email: `bounced@${SANDBOX_DOMAIN}` };
  await make({ own }, '/mails/send', { from: { email: SENDER }, subject: 'Hi', html: HTML, to });
  await until(
    async () => handed.length,
    (count) => count > 0,
    PATIENCE,
  );
  await loop.stop();
}

async function sendCampaign(stage: Stage): Promise<void> {
  const toLists = [await stage.list(60, (n) => (n === 0 ? 'perm-rcpt-550-5.1.1+c@in.test' : `c${n}@in.test`))];
  const segment = await make(stage, '/contact-lists', segmentOf('Lanes'));
  const id = await stage.launch({ toLists, excludeLists: [segment.id], thresholdPreset: 'balanced' });
  await until(
    () => stage.get(id),
    ({ status }) => status === 'sent',
    PATIENCE,
  );
  await until(
    () =>
      stage.deps.db.starts.countDocuments({
        projectId: stage.own.project._id,
        kind: 'metrics',
        subjectId: new ObjectId(id),
      }),
    (count) => count === 0,
    PATIENCE,
  );
}

const segmentOf = (firstName: string) => ({
  ...{ name: `Called ${firstName}`, type: 'segment' },
  filterCriteria: { groups: [{ field: 'firstName', operator: 'equals', value: firstName }] },
});

async function enroll(stage: Stage): Promise<void> {
  const email = { htmlTemplate: HTML, subject: 'Welcome', senderEmail: SENDER };
  await make(stage, '/events', { eventName: 'came' });
  const automation = await make(stage, '/automations', {
    ...{ name: 'Lanes', entryCriteria: { type: 'event_trigger', eventName: 'came' }, active: true },
    steps: [wait(), { type: 'email', email }, wait(), { type: 'email', email }],
  });
  for (const name of ['one', 'two']) await make(stage, '/contacts', { email: `${name}@in.test` });
  for (const name of ['one', 'two']) await make(stage, '/events/send', { eventName: 'came', email: `${name}@in.test` });
  await enrolled(stage, automation.id, 'completed', 2);
}

/** One waits for a date: its contacts are looked for, one is looked at before its day, one is changed and one deleted. */
async function awaitDates(stage: Stage): Promise<void> {
  const { client } = stage.own;
  const { awaitedDates } = stage.deps.db;
  const people: string[] = [];
  const person = (name: string) => ({ email: `${name}@in.test`, contactProperties: { dueOn: '2099-01-01' } });
  for (const name of ['dated', 'undated', 'redated']) people.push((await make(stage, '/contacts', person(name))).id);
  const entryCriteria = { type: 'date_reached', property: 'contactProperties.dueOn', time: '09:00' };
  const steps = [wait(2), { type: 'email', email: { htmlTemplate: HTML, subject: 'Hi', senderEmail: SENDER } }];
  const { id } = await make(stage, '/automations', { name: 'By date', active: true, entryCriteria, steps });
  const own = { projectId: stage.own.project._id, automationId: new ObjectId(id) };
  const counted = (filter: object, count: number) =>
    until(
      () => awaitedDates.countDocuments({ ...own, ...filter }),
      (found) => found === count,
      PATIENCE,
    );
  await counted({}, 3);
  await awaitedDates.updateMany(own, { $set: { dueAt: new Date(0) } });
  await counted({ dueAt: { $gt: new Date('2098-01-01') } }, 3);
  await client.post('/contacts/email', { ...person('redated'), contactProperties: { dueOn: '2098-06-01' } });
  await client.delete(`/contacts/${people[1]}`);
  await counted({}, 2);
  await client.post(`/automations/${id}/archive`);
  await counted({}, 0);
}

/** Contacts wait in an automation while it is changed; one unsubscribes, one is deleted. */
async function changeAutomation(stage: Stage): Promise<void> {
  const { client } = stage.own;
  const email = { htmlTemplate: HTML, subject: 'Later', senderEmail: SENDER };
  const list = await make(stage, '/contact-lists', { name: 'Changed' });
  const [id] = await Promise.all(
    [{ type: 'contact_added_to_list', listId: list.id }, { type: 'contact_created' }].map(async (entryCriteria) => {
      const steps = [wait(1), { type: 'email', email }];
      return (await make(stage, '/automations', { name: 'Changed', entryCriteria, steps, active: true })).id;
    }),
  );
  const people: string[] = [];
  for (const name of ['stays', 'unsubscribes', 'deleted'])
    people.push((await make(stage, '/contacts', { email: `${name}@in.test`, listIds: [list.id] })).id);
  await enrolled(stage, id, 'active', 3);
  for (const body of [{ listId: list.id }, { contactIds: people }, { emails: ['stays@in.test'] }]) {
    const jobs = `/automations/${id}/enrollments`;
    const { id: jobId } = (await client.post(jobs, body)).body.data;
    await until(
      async () => (await client.get(`${jobs}/jobs/${jobId}`)).body.data.status,
      (status) => status === 'completed',
      PATIENCE,
    );
  }
  await client.post(`/automations/${id}/pause`);
  const changed = await client.patch(`/automations/${id}`, { steps: [wait(2), { type: 'email', email }] });
  expect(changed.status, changed.text).to.equal(200);
  await client.post(`/automations/${id}/resume`);
  await publishDraft(stage, id, [wait(3), { type: 'email', email }]);
  await make(stage, '/suppression-groups/emails/suppress', {
    ...{ emails: ['unsubscribes@in.test'], isGlobal: true, reason: 'UNSUBSCRIBE' },
  });
  await client.delete(`/contacts/${people[2]}`);
  await enrolled(stage, id, 'active', 1);
  await client.post(`/automations/${id}/archive`);
  await enrolled(stage, id, 'active', 0);
}

/** One draft is discarded, the next one is published. */
async function publishDraft({ own: { client } }: Stage, id: string, steps: object[]): Promise<void> {
  for (const end of ['discard', 'publish']) {
    const saved = await client.patch(`/automations/${id}`, { draft: true, steps });
    expect(saved.status, saved.text).to.equal(200);
    await client.get(`/automations/${id}?version=draft`);
    if (end === 'discard') await client.delete(`/automations/${id}/draft`);
    else expect((await client.post(`/automations/${id}/publish`, { existing: 'keep' })).body.data.version).to.equal(3);
  }
}

async function enrolled({ own }: Stage, id: string, status: string, count: number): Promise<void> {
  await until(
    async () => (await own.client.get(`/automations/${id}/enrollments?status=${status}`)).body.data.enrollments.length,
    (length) => length === count,
    PATIENCE,
  );
}

async function importFile(stage: Stage): Promise<void> {
  const { client } = stage.own;
  const lines = Array.from(
    { length: 30 },
    (_, n) => `i${n}@in.test,Ina,${n % 5 === 0 ? 'unsubscribed' : 'subscribed'}`,
  );
  const body = ['email,firstName,status', ...lines, 'nonsense,,subscribed'].join('\n');
  const sent = await client.send('POST', '/contacts/import', { body, headers: { 'Content-Type': 'text/csv' } });
  expect(sent.status, sent.text).to.equal(202);
  await until(
    async () => (await client.get(`/contacts/imports/${sent.body.data.importId}`)).body.data,
    ({ status }) => status === 'completed_with_errors',
    PATIENCE,
  );
}

/** The second pass would come after a minute. */
async function recompute(stage: Stage): Promise<void> {
  const { id } = await make(stage, '/contact-lists', segmentOf('Ina'));
  await recomputeSegment(stage.deps, stage.own.project._id, new ObjectId(id as string), {
    timeMs: 10_000,
    settleMs: 0,
  });
}

async function signInByMail({ environment, own, sink }: Stage): Promise<void> {
  const email = 'member@in.test';
  await makeMember(environment, own, email);
  const browser = environment.client(null, consoleHeaders(environment));
  expect((await browser.post('/session/links', { email })).status).to.equal(202);
  const [mail] = await until(
    () => arrivedFor(sink, email),
    ({ length }) => length > 0,
    PATIENCE,
  );
  expect((await browser.get(`/sign-in/${mail?.token}`)).status).to.equal(200);
  expect((await browser.post('/session', { token: mail?.token })).status).to.equal(201);
}

async function checkDomain(stage: Stage, { dns }: Outside): Promise<void> {
  const { client } = stage.own;
  const { id, dnsRecords } = await make(stage, '/domains', { domainName: 'checked.example.com' });
  await client.post(`/domains/${id}/verify`);
  await until(
    async () => (await client.get(`/domains/${id}`)).body.data,
    ({ verificationStatus }) => verificationStatus === 'PENDING',
    PATIENCE,
  );
  dns.publish(dnsRecords.ownership, dnsRecords.dkim, ...dnsRecords.mailFrom, dnsRecords.dmarc);
  await client.post(`/domains/${id}/verify`);
  await until(
    async () => (await client.get(`/domains/${id}`)).body.data,
    ({ verificationStatus }) => verificationStatus === 'VERIFIED',
    PATIENCE,
  );
}

/** A migration that holds, is retried and cancelled; one from each provider; a repeated one. */
async function migrate({ own }: Stage, { a, b, imagesUrl }: Outside): Promise<void> {
  const [accountA, accountB] = [sampleAccountA(imagesUrl, 15), sampleAccountB({ ratePerSecond: 10_000 }, 15)];
  a.accounts.push(accountA);
  b.accounts.push(accountB);
  const field = { fieldName: 'plan', fieldType: 'string' };
  const plan = await own.client.post('/migrations/providerB/plan', { apiKey: accountB.key });
  expect(plan.status, plan.text).to.equal(200);
  b.faults.push({ on: /\/segments/, times: 100, act: serverError });
  const held = await start(own, 'providerB', { apiKey: accountB.key, migrateAll: true });
  for (const decision of ['retry', 'cancel']) {
    expect((await settled(own, held, PATIENCE.ms)).status).to.equal('needs_attention');
    // With the answer the job is no longer held; its run may hold it again before the next look.
    expect((await own.client.post(`/migrations/${held}/${decision}`, {})).status).to.equal(200);
  }
  b.faults.length = 0;
  for (const [provider, key, mapping] of [
    ['providerA', accountA.key, { providerAFieldName: 'Company Name', fieldName: 'company', fieldType: 'string' }],
    ['providerB', accountB.key, { providerBFieldName: 'plan', ...field }],
    ['providerB', accountB.key, { providerBFieldName: 'plan', ...field }],
  ] as const) {
    const id = await start(own, provider, { apiKey: key, migrateAll: true, customFieldMappings: [mapping] });
    const { status, attention } = await settled(own, id, PATIENCE.ms);
    expect(status, attention).to.match(/^completed/);
  }
}
