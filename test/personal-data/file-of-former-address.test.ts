import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Message } from '../../core/mail/ledger/model.ts';
import type { Migration } from '../../core/migrations/model.ts';
import { bareCampaign, sentMessage } from '../feedback/support.ts';
import { made } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';

const FORMER = 'former@people.test';
const OTHER = 'other@people.test';
const DAY_MS = 86_400_000;

describe('The file of a contact whose address changed', function () {
  this.timeout(120_000);
  const environment = useEnvironment();

  const db = () => environment.deps.db;
  const projectId = () => environment.own.project._id;

  it('has mail, audiences, suppressions, forms, refused rows and notes that name the former address alone', async () => {
    const { client } = environment.own;
    const { id } = await made(client, '/contacts', { email: FORMER });
    expect((await client.patch(`/contacts/${id}`, { email: 'present@people.test' })).status).equal(200);
    await mail();
    for (const contactId of [new ObjectId(id as string), new ObjectId()]) await placeInCampaign(contactId);
    const { groupId } = await made(client, '/suppression-groups', { name: 'Offers' });
    await made(client, '/suppression-groups/emails/suppress', { emails: [FORMER], suppressionGroupIds: [groupId] });
    await submitForms();
    await refuseRow();
    await noteInMigration();
    const { status, body } = await client.get(`/contacts/${id}/data`);
    expect(status).equal(200);
    const counts = Object.entries(body).flatMap(([part, rows]) => (Array.isArray(rows) ? [[part, rows.length]] : []));
    expect(Object.fromEntries(counts)).include({
      ...{ messages: 2, audiences: 1, suppressions: 1, formSubmissions: 1, pendingSubscriptions: 1 },
      ...{ importErrors: 1, migrationNotes: 1, migrationMarks: 1 },
    });
    const named = ['messages', 'suppressions', 'formSubmissions', 'pendingSubscriptions', 'migrationMarks'];
    const emails = named.flatMap((part) => body[part].map(({ email }: { email: string }) => email));
    expect(new Set(emails)).deep.equal(new Set([FORMER]));
  });

  /** One to the address, and one to another person with the address in cc. */
  async function mail(): Promise<void> {
    const facts = { name: null, state: 'sent' };
    const recipients = [
      { kind: 'to', email: OTHER, ...facts },
      { kind: 'cc', email: FORMER, ...facts },
    ] as NonNullable<Message['recipients']>;
    await sentMessage(environment, environment.own, { email: FORMER });
    await sentMessage(environment, environment.own, { email: OTHER, recipients });
  }

  /** A campaign of its own whose audience has the contact at the address. */
  async function placeInCampaign(contactId: ObjectId): Promise<void> {
    const run = new ObjectId();
    const freeze = { at: new Date(), run, isDone: true, frozen: { total: 1, inBlocks: 1 } };
    const { _id: campaignId } = await bareCampaign(environment, environment.own, { freeze } as object);
    await db().campaignBlocks.insertOne({
      ...{ _id: new ObjectId(), projectId: projectId(), campaignId, run, n: 0, fromSeq: 1, count: 1 },
      ...{ first: FORMER, last: FORMER, recipients: [{ contactId, email: FORMER }] },
    });
  }

  async function submitForms(): Promise<void> {
    const expiresAt = new Date(Date.now() + DAY_MS);
    const waiting = { projectId: projectId(), email: FORMER, createdAt: new Date(), expiresAt };
    await db().formSubmissions.insertOne({ _id: new ObjectId(), ...waiting } as never);
    await db().pendingSubscriptions.insertOne({ _id: new ObjectId(), ...waiting, agreements: [] } as never);
  }

  async function refuseRow(): Promise<void> {
    const importId = new ObjectId();
    await db().importErrors.insertOne({
      ...{ _id: `${importId}:1`, projectId: projectId(), importId, row: 1, email: FORMER, address: FORMER },
      ...{ message: 'age is no number', createdAt: new Date() },
    });
  }

  /** A migration that is over names the address in its notes and marks. */
  async function noteInMigration(): Promise<void> {
    const [_id, at] = [new ObjectId(), new Date()];
    const review = [{ item: FORMER, message: 'age is no number' }];
    const migration = {
      ...{ _id, projectId: projectId(), provider: 'providerA', status: 'completed', createdAt: at, updatedAt: at },
      ...{ attention: null, failureReason: null },
      phases: [{ name: 'contacts', status: 'completed', errors: [], review, details: {} }],
    };
    await db().migrations.insertOne(migration as unknown as Migration);
    await db().migrationUnsubscribed.insertOne({
      ...{ _id: `${_id}:${FORMER}`, projectId: projectId(), migrationId: _id, email: FORMER },
      expiresAt: new Date(Date.now() + DAY_MS),
    });
  }
});
