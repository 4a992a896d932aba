import { expect } from 'chai';
import { type Document, ObjectId } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import { sealSecret } from '../../core/base/secrets.ts';
import { newToken } from '../../core/base/tokens.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { eventTypes } from '../../schemas/events/webhooks.ts';
import type { Post } from '../delivery/support.ts';
import { BROWSER, bareCampaign, receivingDomain, sentMessage } from '../feedback/support.ts';
import { made } from '../support/client.ts';
import { openDoor } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';

export const ADDRESS = 'zora.quillingham@people.test';
export const NAME = 'Quillingham';
/** Each of them names the person alone. */
export const WORDS = [ADDRESS, NAME.toLowerCase()];
export const OTHER = 'other.recipient@people.test';

const DAY_MS = 24 * 3_600_000;

/** One person in as many collections as there are, through the doors where these are quick. Returns the id of the contact. */
export async function fillWithPerson(post: Post): Promise<string> {
  const { environment, own } = post;
  const { deps } = environment;
  const projectId = own.project._id;
  const { client } = own;
  const make = (path: string, body: object, headers?: Record<string, string>) => made(client, path, body, headers);
  await make('/webhooks', { url: 'https://hooks.example.com/', events: [...eventTypes] });
  const list = (await make('/contact-lists', { name: 'Readers' })).id as string;
  const { groupId } = await make('/suppression-groups', { name: 'Offers' });
  const fields = { email: ADDRESS, firstName: NAME, listIds: [list] };
  const id = (await make('/contacts/email', fields, { 'Idempotency-Key': new ObjectId().toHexString() })).id as string;
  await client.patch(`/contacts/${id}`, { lastName: `${NAME} the second` });
  await make('/events', { eventName: 'signed', properties: [{ propertyName: 'by', type: 'string' }] });
  await make('/events/send', { eventName: 'signed', email: ADDRESS, eventProperties: { by: NAME } });

  await sendMails(post);
  await receiveMail(post);
  await importRows(post);
  await make('/suppression-groups/emails/suppress', { emails: [ADDRESS], suppressionGroupIds: [groupId] });
  const contactId = new ObjectId(id);
  const campaign = await bareCampaign(environment, own, campaignFields());
  const mail = await sentMessage(environment, own, {
    ...{ email: ADDRESS, name: NAME, contactId, campaignId: campaign._id, subject: `Dear ${NAME}` },
  });
  const signal = { projectId, messageId: mail._id, agent: `${BROWSER} ${NAME}`, at: deps.clock.now() };
  const url = `https://shop.example.com/?who=${ADDRESS}`;
  await writeSignals(deps, [
    { kind: 'open', ...signal, purpose: '', method: 'GET' },
    { kind: 'click', ...signal, url },
  ]);
  for (const [name, doc] of storedDirectly({ projectId, contactId, campaign, listId: new ObjectId(list) }))
    await (deps.db[name] as unknown as Collections['contacts']).insertOne(doc as never);
  await deps.db.dataRequests.insertOne({
    ...{ _id: new ObjectId(), projectId, hash: newToken().hash, createdAt: deps.clock.now() },
    ...{ email: sealSecret(deps.config, ['test'], ADDRESS), expiresAt: new Date(Date.now() + DAY_MS) },
  });
  return id;
}

async function sendMails(post: Post): Promise<void> {
  const to = { email: ADDRESS, name: NAME };
  const dynamicData = { name: NAME };
  const single = await post.send({ to, subject: 'Dear {{name}}', html: '<p>{{name}}</p>', dynamicData });
  const copied = await post.send({ to: { email: OTHER, name: 'Somebody Else' }, cc: [to] });
  await post.settled(single, 'sent');
  await post.settled(copied, 'sent');
  const bulk = await post.bulk({ recipients: [{ ...to, dynamicData }, { email: OTHER }], html: '<p>{{name}}</p>' });
  const { emails } = (await post.own.client.get(`/emails?batchId=${bulk.body.data.batchId}`)).body.data;
  for (const { id } of emails) await post.settled(id as string, 'sent');
}

async function receiveMail({ environment, own }: Post): Promise<void> {
  const domain = await receivingDomain(environment, own);
  const door = await openDoor(environment);
  const raw = `From: Zora ${NAME} <${ADDRESS}>
To: desk@${domain}
Cc: ${OTHER}
Subject: From ${NAME}
Message-ID: <${new ObjectId()}@people.test>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

Yours, ${NAME}
--b
Content-Type: text/csv
Content-Disposition: attachment; filename=${NAME}.csv

${ADDRESS}
--b--
`;
  expect((await door.send({ from: ADDRESS, to: `desk@${domain}`, raw })).data).to.match(/^250/);
  await door.server.close();
  const { inboundMessages } = environment.deps.db;
  await until(
    () => inboundMessages.countDocuments({ projectId: own.project._id }),
    (count) => count === 1,
    { ms: 30_000 },
  );
}

/** One import is over and has refused the row; another one still has its file. */
async function importRows({ environment: { deps }, own }: Post): Promise<void> {
  const { customFields } = deps.db;
  const projectId = own.project._id;
  const reply = await own.client.post('/custom-fields', { fieldName: 'age', fieldType: 'number' });
  expect(await customFields.countDocuments({ projectId }), reply.text).to.equal(1);
  const bring = async () => {
    const body = `email,age\nZora.Quillingham@people.test,not a number\n`;
    const sent = await own.client.send('POST', '/contacts/import', { body, headers: { 'Content-Type': 'text/csv' } });
    return new ObjectId(sent.body.data.importId as string);
  };
  await importSlice(deps, { projectId, importId: await bring() }, { timeMs: 30_000 });
  expect(await deps.db.importErrors.countDocuments({ projectId })).to.equal(1);
  await bring();
}

const RUN = new ObjectId();

function campaignFields(): object {
  const freeze = { at: new Date(), run: RUN, isDone: true, frozen: { total: 2, inBlocks: 2 } };
  return { name: 'Spring', freeze };
}

/** Documents whose doors are long: a campaign's audience, an automation, a migration, a form. */
function storedDirectly({ projectId, contactId, campaign, listId }: Stored): Array<[keyof Collections, Document]> {
  const [at, expiresAt] = [new Date(), new Date(Date.now() + 7 * DAY_MS)];
  const [automationId, formId, migrationId] = [new ObjectId(), new ObjectId(), new ObjectId()];
  const recipients = [
    { contactId: new ObjectId(), email: OTHER },
    { contactId, email: ADDRESS },
  ];
  const agreement = {
    ...{ formId, listIds: [listId], groupIds: [], fields: { firstName: NAME }, consent: 'I agree.', language: 'en' },
    ...{ askedAt: at, networkAddress: null },
  };
  const note = { item: ADDRESS, message: 'age is no number and was left out' };
  const phase = { name: 'contacts', status: 'completed', errors: [], review: [note], details: {} };
  return [
    [
      'campaignBlocks',
      {
        ...{ _id: new ObjectId(), projectId, campaignId: campaign._id, run: RUN, n: 0, fromSeq: 1, count: 2 },
        ...{ first: OTHER, last: ADDRESS, recipients },
      },
    ],
    [
      'enrollments',
      {
        ...{ _id: new ObjectId(), projectId, automationId, contactId, status: 'completed', version: 1, revision: 1 },
        ...{ event: { id: new ObjectId(), name: 'signed', properties: { by: NAME } }, history: [], enteredAt: at },
        ...{ started: true, parked: false, stepId: null, exitReason: null, updatedAt: at, endedAt: at },
      },
    ],
    [
      'migrations',
      {
        ...{ _id: migrationId, projectId, provider: 'providerA', status: 'completed', phases: [phase], createdAt: at },
        ...{ attention: null, failureReason: `${ADDRESS} was refused`, updatedAt: at },
      },
    ],
    [
      'migrationUnsubscribed',
      { _id: `${migrationId.toHexString()}:${ADDRESS}`, projectId, migrationId, email: ADDRESS, expiresAt },
    ],
    ['formSubmissions', { _id: new ObjectId(), projectId, email: ADDRESS, agreement, createdAt: at, expiresAt }],
    [
      'pendingSubscriptions',
      {
        ...{ _id: new ObjectId(), projectId, email: ADDRESS, agreements: [agreement], revision: 1, confirmedAt: null },
        ...{ formId, language: 'en', createdAt: at, expiresAt },
      },
    ],
    [
      'consents',
      {
        ...{ _id: new ObjectId(), projectId, contactId, email: ADDRESS, source: 'api', text: 'I agree.' },
        ...{ textVersion: 'abc', askedAt: at, confirmedAt: null, networkAddress: '192.0.2.0/24', createdAt: at },
      },
    ],
  ];
}

interface Stored {
  projectId: ObjectId;
  contactId: ObjectId;
  campaign: { _id: ObjectId };
  listId: ObjectId;
}
