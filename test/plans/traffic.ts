import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { fullPath, pathParameters } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { finishDeletions } from '../../core/accounts/deletion.ts';
import { resealSecrets } from '../../core/accounts/stored-secrets.ts';
import { announceKeptEvents } from '../../core/automations/events/kept.ts';
import { doubtAfterRestore } from '../../core/campaigns/audience/after-restore.ts';
import { waitingMails } from '../../core/figures/live/waiting.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import { announceKeptActs } from '../../core/mail/feedback/kept-acts.ts';
import { carryOverUnsubscribes } from '../../core/persons-own/preferences/carry-over.ts';
import { removeOld, takeRetentionTurn } from '../../core/retention.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { STAMP_INPUT } from '../../schemas/forms.ts';
import { roles } from '../../workers/roles.ts';
import { signIn } from '../accounts/signed-in.ts';
import { receivingDomain } from '../feedback/support.ts';
import { made } from '../support/client.ts';
import type { Environment } from '../support/environment.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { openDoor } from '../support/mail/inbound-door.ts';
import { openSubmission } from '../support/mail/submission.ts';
import { readRequests, requestMaker } from '../support/written-requests.ts';
import { confirmForm, manageMembers, readMail, repeatRequests } from './people.ts';

const SENDER = 'post@mail.example.com';
const WEBHOOKS = 'webhook-deliveries';
const DAY_MS = 24 * 3_600_000;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export interface Stage {
  environment: Environment;
  /** Ids of campaigns that are sent, wholly or in part. */
  sent: Made[];
}

interface Made {
  [parameter: string]: string;
}

/** Every operation, every queue of jobs and the commands of operators, once. */
export async function runTraffic(stage: Stage): Promise<void> {
  const { environment } = stage;
  const made = await makeThings(stage);
  await visit(stage, made);
  await submit(stage);
  await receive(stage);
  await readMail(environment);
  await readEverything(stage, made);
  await actAsMember(stage);
  await requestEverything(stage);
  await runQueues(stage);
  await confirmForm(environment);
  await manageMembers(environment);
  await repeatRequests(environment);
  await operate(stage);
  await endProject(stage);
}

/** Lists, a segment, an automation with people in it, and one thing of each kind that paths name. */
async function makeThings({ environment: { deps, own } }: Stage): Promise<Made> {
  const { client } = own;
  await seedSendingDomain(deps, own.project, 'demo.everpost.test');
  const make = (path: string, body: object) => made(client, path, body);
  const html = '<p><a href="https://shop.example.com/welcome">Hi</a></p>';
  const email = { htmlTemplate: html, subject: 'Welcome', senderEmail: SENDER };
  const content = { from: { email: SENDER }, subject: 'Hi', html };
  const automation = await make('/automations', {
    name: 'Welcome',
    entryCriteria: { type: 'contact_created' },
    steps: [
      { type: 'wait', delay: { value: 0, unit: 'minutes' } },
      { type: 'email', email },
      { type: 'wait', delay: { value: 1, unit: 'days' } },
      { type: 'email', email },
    ],
    active: true,
  });
  const list = await make('/contact-lists', { name: 'People', isPublic: true });
  await make('/suppression-groups', { name: 'Offers', isPublic: true });
  await make('/custom-fields', { fieldName: 'size', fieldType: 'number' });
  const contacts = Array.from({ length: 30 }, (_, n) => ({ email: `p${n}@in.test`, listIds: [list.id] }));
  await make('/contacts/bulk-update', { contacts });
  const opened = { behaviour: 'opened', operator: 'at_least', withinDays: 3 };
  const person = await make('/contacts/email', { email: 'p1@in.test', firstName: 'Ada', userId: 'u1' });
  const segment = await make('/contact-lists', { name: 'Readers', filterCriteria: { groups: [opened] } });
  const form = await make('/forms', { name: 'News', listIds: [list.id] });
  const tags = [{ name: 'kind', value: 'a' }];
  const mail = await make('/mails/send', { ...content, to: { email: 'single@in.test' }, tags });
  const campaign = await make('/campaigns', {
    ...{ name: 'Spring', subject: 'Spring', from: { email: SENDER }, htmlTemplate: html, publish: true, sendNow: true },
    ...{ toLists: [list.id], excludeLists: [segment.id] },
  });
  const scheduledAt = new Date(Date.now() + DAY_MS).toISOString();
  await make('/mails/send', { ...content, to: { email: 'later@in.test' }, scheduledAt });
  await client.patch(`/contacts/${person.id}`, { email: 'moved@in.test' });
  return {
    ...{ automationId: automation.id, segmentId: segment.id, formId: form.id },
    ...{ emailId: mail.emailId, campaignId: campaign.id, contactId: person.id, contactListId: list.id },
  };
}

/** People outside: a sign-up form, and the page of preferences by the link of a mail. */
async function visit({ environment }: Stage, { formId, emailId }: Made): Promise<void> {
  const { own, clock, deps } = environment;
  const visitor = environment.client(null);
  clock.advance(-5_000);
  const page = await visitor.get(`/f/${formId}`);
  clock.advance(5_000);
  const stamp = new RegExp(`name="${STAMP_INPUT}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
  const body = new URLSearchParams({ [STAMP_INPUT]: stamp, email: 'new@in.test' }).toString();
  const sent = await visitor.send('POST', `/f/${formId}`, { body, headers: { ...FORM, Origin: 'null' } });
  expect(sent.status, sent.text).to.equal(200);
  const ref = { projectId: own.project._id, messageId: new ObjectId(emailId), groupId: null, email: 'single@in.test' };
  const path = `/p/${unsubscribeToken(deps.config, ref)}`;
  await visitor.get(path);
  await visitor.send('POST', path, { body: 'action=nothing', headers: FORM });
  await visitor.send('POST', `${path}/data`);
}

/** Mail of a program, by SMTP. */
async function submit({ environment: { deps, own } }: Stage): Promise<void> {
  const door = await openSubmission({ deps, key: own.projectKey });
  const mail = { from: SENDER, to: 'smtp@in.test', subject: 'By SMTP', text: 'Hello' };
  for (let time = 0; time < 2; time += 1) await door.send({ ...mail, messageId: '<once@client.example.net>' });
  await door.close();
}

/** A mail with an attachment, and its answer in the same thread. */
async function receive({ environment }: Stage): Promise<void> {
  const domain = await receivingDomain(environment, environment.own);
  const door = await openDoor(environment);
  const head = `From: p1@in.test\nTo: desk@${domain}\nSubject: Hello\nMessage-ID: <1@in.test>\nMIME-Version: 1.0\n`;
  const type = 'Content-Type: multipart/mixed; boundary=b';
  const text = '--b\nContent-Type: text/plain\n\nHello';
  const file = '--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename=a.csv\n\na,b';
  const answer = `From: p2@in.test\nTo: desk@${domain}\nSubject: Re: Hello\nMessage-ID: <2@in.test>\nIn-Reply-To: <1@in.test>\n`;
  for (const raw of [`${head}${type}\n\n${text}\n${file}\n--b--\n`, `${answer}\nHello`]) {
    const { data } = await door.send({ from: 'p1@in.test', to: `desk@${domain}`, raw });
    expect(data).to.match(/^250/);
  }
  await door.server.close();
  const { client } = environment.own;
  const { items } = (await client.get('/inbound/messages?search=Hello')).body.data;
  const withFile = items.find(({ attachmentCount }: { attachmentCount: number }) => attachmentCount > 0);
  const { downloadUrl } = (await client.get(`/inbound/messages/${withFile.id}/attachments/0`)).body.data;
  const download = await fetch(environment.url + new URL(downloadUrl).pathname);
  expect(await download.text()).to.equal('a,b\n');
}

const NOWHERE = new ObjectId().toHexString();
const SAMPLES: Record<string, unknown> = {
  ...{ page: 2, limit: 5, search: 'new', email: 'p1@in.test', batchId: 'x', tag: 'kind:a', reason: 'x' },
  ...{ dateFrom: '2026-01-01', dateTo: '2030-01-01', domain: 'mail.example.com', provider: 'google', position: 1 },
  ...{ from: 'a@in.test', to: 'b@in.test', stepId: NOWHERE, url: 'https://shop.example.com/x' },
  ...{ timezone: 'Europe/Berlin', before: 'x', newestOfThread: true, pictures: true },
};
/** Streams stay open; files and pages for people are asked for elsewhere. */
const NOT_SWEPT = /^\/(stream|metrics|docs|openapi|health|f|p|v|d|t|u|media|previews|sign-in|session|mcp)\b|\/events$/;

/** Every GET with each of its parameters, and each value where these are listed. */
async function readEverything({ environment, sent }: Stage, made: Made): Promise<void> {
  const { own } = environment;
  const visits = [...new Set([made, ...sent.map((one) => ({ ...made, ...one }))].flatMap(visitsOf))];
  for (let first = 0; first < visits.length; first += 8)
    await Promise.all(visits.slice(first, first + 8).map((visit) => own.client.get(visit)));
  await environment.client(own.adminKey).get('/account/projects');
}

function visitsOf(made: Made): string[] {
  const byId: Made = { threadId: NOWHERE, ...made };
  return endpointTable(createMetrics())
    .filter(({ method, key, path }) => method === 'get' && key === 'token' && !NOT_SWEPT.test(path))
    .flatMap(({ path, query, ...endpoint }) => {
      const filled = pathParameters(path).reduce(
        (text, name) => text.replace(`{${name}}`, byId[name] ?? NOWHERE),
        path,
      );
      const properties = Object.entries((query?.json.properties ?? {}) as Record<string, { enum?: unknown[] }>);
      const asked = properties.flatMap(([name, { enum: values = [byId[name] ?? SAMPLES[name]] }]) =>
        values.map((value) => `?${name}=${encodeURIComponent(String(value))}`),
      );
      return ['', ...asked].map((text) => fullPath(endpoint, `${filled}${text}`));
    });
}

async function actAsMember({ environment }: Stage): Promise<void> {
  const { own } = environment;
  const { client } = await signIn(environment, own, 'owner', 'owner@in.test');
  for (const path of ['/session', '/account/sessions', '/account/members', '/contacts']) await client.get(path);
  await client.delete('/account/sessions');
  await client.delete('/session');
}

async function requestEverything({ environment }: Stage): Promise<void> {
  const make = requestMaker(environment);
  for (const request of readRequests()) await make(request);
}

/** Every queue runs its jobs, and the erasures of deleted contacts need not wait for twelve hours. */
async function runQueues({ environment: { deps, own } }: Stage): Promise<void> {
  const projectId = own.project._id;
  const waiting = { projectId, dueAt: { $exists: true } };
  await deps.db.contactErasures.updateMany(waiting, [{ $set: { dueAt: '$$NOW' } }]);
  const { runs } = await messageErasures(deps).take(projectId, 10);
  expect(runs).to.not.deep.equal([]);
  await Promise.all(runs.map((run) => run()));
  for (const make of roles.background.due) {
    const queue = make(deps);
    await queue.projects(new Date());
    // Receivers of webhooks are on other machines.
    if (queue.name === WEBHOOKS) continue;
    const { runs: due } = await queue.take(projectId, 16);
    await Promise.all(due.map((run) => run()));
  }
}

/** At night, and what `npm run admin` does. */
async function operate({ environment: { deps, own, clock } }: Stage): Promise<void> {
  await waitingMails(deps);
  await takeRetentionTurn(deps, () => true);
  await resealSecrets(deps);
  await announceKeptActs(deps, own.project);
  await announceKeptEvents(deps, own.project);
  await carryOverUnsubscribes(deps, own.project);
  await recountProject(deps, own.project);
  await doubtAfterRestore(deps, own.project);
  clock.advance(deps.config.retentionDays * 2 * DAY_MS);
  await removeOld(deps);
  clock.set(new Date());
}

async function endProject({ environment }: Stage): Promise<void> {
  const { client, project, adminKey } = await environment.newTenant('Ended');
  await client.post('/contacts', { email: 'last@in.test' });
  const admin = environment.client(adminKey);
  await admin.delete(`/account/projects/${project._id.toHexString()}`);
  environment.clock.advance(DAY_MS);
  await finishDeletions(environment.deps, () => true);
  environment.clock.set(new Date());
}
