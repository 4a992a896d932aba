import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { confirmToken } from '../../core/forms/tokens.ts';
import { clickToken, openToken, unsubscribeToken, viewToken } from '../../core/mail/compose/tokens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { SHOWN_INPUT } from '../../schemas/forms.ts';
import { hiddenIn } from '../forms/support.ts';
import type { Environment } from '../support/environment.ts';
import { openAside } from './aside.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const LINK = 'https://shop.example.com/welcome';

/** Readers of mail that has left, of each origin: they open it, click, look at it in the browser, choose and leave. */
export async function readMail(environment: Environment): Promise<void> {
  const { deps, own } = environment;
  const projectId = own.project._id;
  const aside = await openAside(deps);
  const sent = { projectId, state: 'sent' } as const;
  const none = { $exists: false };
  const [ofCampaign, ofAutomation, single] = await Promise.all([
    aside.db.messages.findOne({ ...sent, campaignId: { $exists: true } }),
    aside.db.messages.findOne({ ...sent, automationId: { $exists: true } }),
    aside.db.messages.findOne({ ...sent, lane: 'transactional', campaignId: none, automationId: none }),
  ]);
  await aside.close();
  const groupId = (await own.client.post('/suppression-groups', { name: 'Read', isPublic: true })).body.data.groupId;
  for (const mail of [ofCampaign, ofAutomation, single]) {
    expect(mail).to.not.equal(null);
    await readOne(environment, mail as Message, groupId);
  }
}

async function readOne(environment: Environment, { _id, email }: Message, groupId: string): Promise<void> {
  const { deps, own } = environment;
  const ref = { projectId: own.project._id, messageId: _id };
  const reader = environment.client(null);
  const read = async (path: string) => expect((await reader.get(path)).status, path).to.be.oneOf([200, 302]);
  const leave = (group: string | null) => unsubscribeToken(deps.config, { ...ref, email, groupId: group });
  await read(`/t/o/${openToken(deps.config, ref)}.gif`);
  await read(`/t/c/${clickToken(deps.config, ref, LINK)}`);
  await read(`/v/${viewToken(deps.config, ref)}`);
  for (const group of [groupId, null]) {
    await read(`/p/${leave(group)}`);
    await read(`/u/${leave(group)}`);
    const left = await reader.send('POST', `/u/${leave(group)}`, { body: 'List-Unsubscribe=One-Click', headers: FORM });
    expect(left.status, left.text).to.equal(200);
  }
  for (const body of ['action=save&language=de', 'action=everything-off'])
    await reader.send('POST', `/p/${leave(null)}`, { body, headers: FORM });
}

/** The link of the confirmation mail, and its button. */
export async function confirmForm(environment: Environment): Promise<void> {
  const { deps, own } = environment;
  const projectId = own.project._id;
  const aside = await openAside(deps);
  const pending = await aside.db.pendingSubscriptions.findOne({ projectId });
  await aside.close();
  expect(pending).to.not.equal(null);
  const path = `/f/confirm/${confirmToken(deps.config, { projectId, pendingId: (pending as { _id: ObjectId })._id })}`;
  const visitor = environment.client(null);
  const page = await visitor.get(path);
  expect(page.status).to.equal(200);
  const body = `${SHOWN_INPUT}=${hiddenIn(page.text, SHOWN_INPUT)}`;
  expect((await visitor.send('POST', path, { body, headers: FORM })).status).to.equal(200);
}

export async function manageMembers(environment: Environment): Promise<void> {
  const admin = environment.client(environment.own.adminKey);
  const add = async (email: string, role: string) => {
    const reply = await admin.post('/account/members', { email, role });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.data.id as string;
  };
  const [first, second] = [await add('first@owners.test', 'owner'), await add('second@owners.test', 'owner')];
  await admin.patch(`/account/members/${first}`, { role: 'viewer' });
  await admin.delete(`/account/members/${first}`);
  await admin.delete(`/account/members/${second}`);
}

/** Requests that meet what is there already. */
export async function repeatRequests(environment: Environment): Promise<void> {
  const { client } = environment.own;
  const key = { 'Idempotency-Key': new ObjectId().toHexString() };
  for (let time = 0; time < 2; time += 1) {
    await client.post('/contact-lists', { name: 'Again' }, key);
    await client.post('/suppression-groups', { name: 'Again' });
    await client.post('/events', { eventName: 'again' });
  }
  const contact = await client.post('/contacts/email', { email: 'again@in.test' });
  const { id } = contact.body.data;
  await client.post('/events/send', { eventName: 'again', contactId: id });
  await client.get(`/contacts/${id}`);
}
