// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { mailLocalPart, unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { returnedMails } from '../fixtures/inbound/mails.ts';
import type { Client } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';
import { refOf, sentMessage } from './support.ts';

const HOST = 'mail.example.com';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('A contact whose address changed since a mail', function () {
  this.timeout(60_000);
  const environment = useEnvironment({ MAIL_HOST: HOST, PUBLIC_RATE_LIMIT: '100000' });
  let visitor: Client;
  let door: Door;
  let former: string;
  let current: string;
  let id: string;
  before(async () => {
    visitor = environment.client(null);
    door = await openDoor(environment);
  });
  after(() => door.server.close());
  beforeEach(async () => {
    const word = new ObjectId().toHexString();
    [former, current] = [`former-${word}@example.com`, `current-${word}@example.com`];
    id = await made(former);
  });

  const made = async (email: string) =>
    (await environment.own.client.post('/contacts', { email })).body.data.id as string;
  const move = async (email: string, contactId = id) =>
    expect((await environment.own.client.patch(`/contacts/${contactId}`, { email })).status).to.equal(200);
  const mailed = (fields: Partial<Message> = {}) =>
    sentMessage(environment, environment.own, { email: former, ...fields });
  /** As a campaign and an automation send it, and as `POST /mails/...` does. */
  const ways = [
    ['of the contact', () => mailed({ contactId: new ObjectId(id) })],
    ['that names no contact', () => mailed()],
  ] as const;
  const tokenOf = (message: Message, email = message.email) =>
    unsubscribeToken(environment.deps.config, { ...refOf(message), groupId: null, email });
  const press = async (path: string, body: string) => {
    const { status, text } = await visitor.send('POST', path, { body, headers: FORM });
    expect(status, text).to.equal(200);
  };
  const reasons = async (email: string) => {
    const entries = environment.deps.db.suppressions.find({ projectId: environment.own.project._id, email });
    return (await entries.toArray()).map(({ reason }) => reason as string);
  };

  for (const [which, mail] of ways)
    it(`leaves with both addresses by the link in a mail ${which}, and is back with both`, async () => {
      const message = await mail();
      await move(current);
      await press(`/u/${tokenOf(message)}`, 'List-Unsubscribe=One-Click');
      expect([await reasons(former), await reasons(current)]).to.deep.equal([['UNSUBSCRIBE'], ['UNSUBSCRIBE']]);
      await press(`/u/${tokenOf(message)}`, 'action=resubscribe');
      expect([await reasons(former), await reasons(current)]).to.deep.equal([[], []]);
    });

  it('leaves with the address of today when it changed twice, and when the mail is no longer kept', async () => {
    const message = await mailed({ contactId: new ObjectId(id) });
    await move(`between-${current}`);
    await move(current);
    await environment.deps.db.messages.deleteOne({ _id: message._id, projectId: message.projectId });
    await press(`/u/${tokenOf(message)}`, 'List-Unsubscribe=One-Click');
    expect([await reasons(former), await reasons(current)]).to.deep.equal([['UNSUBSCRIBE'], ['UNSUBSCRIBE']]);
  });

  it('leaves a group, or all mail, with both addresses on the page of preferences', async () => {
    const group = await environment.own.client.post('/suppression-groups', { name: 'Offers', isPublic: true });
    const message = await mailed({ contactId: new ObjectId(id) });
    await move(current);
    const path = `/p/${tokenOf(message)}`;
    const box = `group.${group.body.data.groupId}`;
    await press(path, `action=save&${box}=off`);
    expect([await reasons(former), await reasons(current)]).to.deep.equal([['UNSUBSCRIBE'], ['UNSUBSCRIBE']]);
    await press(path, `action=save&${box}=off&${box}=on`);
    expect([await reasons(former), await reasons(current)]).to.deep.equal([[], []]);
    await press(path, 'action=everything-off');
    expect([await reasons(former), await reasons(current)]).to.deep.equal([['UNSUBSCRIBE'], ['UNSUBSCRIBE']]);
  });

  it('is left with the reasons of before at its new address, but for a bounce, and with what was turned on again', async () => {
    const { client } = environment.own;
    const group = (await client.post('/suppression-groups', { name: 'Weekly', isPublic: true })).body.data.groupId;
    const message = await mailed({ contactId: new ObjectId(id) });
    const path = `/p/${tokenOf(message)}`;
    await press(path, 'action=everything-off');
    await press(path, `action=save&group.${group}=off&group.${group}=on`);
    const suppress = (body: object) =>
      client.post('/suppression-groups/emails/suppress', { emails: [former], ...body });
    await suppress({ isGlobal: true, reason: 'BOUNCE' });
    await suppress({ groupId: group, reason: 'MANUAL' });
    await move(current);
    const entries = await environment.deps.db.suppressions.find({ email: current }).toArray();
    const said = entries.map(({ groupId, reason, exceptGroupIds }) => [groupId === group, reason, exceptGroupIds]);
    expect(said).to.have.deep.members([
      [false, 'UNSUBSCRIBE', [group]],
      [true, 'MANUAL', undefined],
    ]);
    expect((await environment.deps.db.suppressionGroups.findOne({ groupId: group }))?.counts.MANUAL).to.equal(2);
    await move(former);
    expect((await reasons(former)).toSorted()).to.deep.equal(['BOUNCE', 'MANUAL', 'UNSUBSCRIBE']);
  });

  it('takes an unsubscribe back at its new address: the reason of before stops its mail again, unless it was a bounce', async () => {
    const { client } = environment.own;
    const message = await mailed({ contactId: new ObjectId(id) });
    const groups = ['Manual', 'Bounced'].map((name) => client.post('/suppression-groups', { name, isPublic: true }));
    const [manual, bounced] = (await Promise.all(groups)).map(({ body }) => body.data.groupId as string);
    const suppress = (body: object) =>
      client.post('/suppression-groups/emails/suppress', { emails: [former], ...body });
    for (const reason of ['MANUAL', 'UNSUBSCRIBE']) await suppress({ groupId: manual, reason });
    for (const reason of ['BOUNCE', 'UNSUBSCRIBE']) await suppress({ groupId: bounced, reason });
    await move(current);
    expect(await reasons(current)).to.deep.equal(['UNSUBSCRIBE', 'UNSUBSCRIBE']);
    const on = [manual, bounced].map((group) => `group.${group}=off&group.${group}=on`);
    await press(`/p/${tokenOf(message)}`, `action=save&${on.join('&')}`);
    expect(await reasons(current)).to.deep.equal(['MANUAL']);
  });

  it('is suppressed at its new address by what the sender said, although the former one bounced before or since', async () => {
    const { client } = environment.own;
    const orders = [
      ['MANUAL', 'BOUNCE'],
      ['BOUNCE', 'MANUAL'],
    ];
    for (const [index, reasonsGiven] of orders.entries()) {
      const { groupId } = (await client.post('/suppression-groups', { name: `Order ${index}` })).body.data;
      for (const reason of reasonsGiven)
        await client.post('/suppression-groups/emails/suppress', { emails: [former], groupId, reason });
    }
    expect(await reasons(former)).to.deep.equal(['BOUNCE', 'BOUNCE']);
    await move(current);
    expect(await reasons(current)).to.deep.equal(['MANUAL', 'MANUAL']);
  });

  it('leaves by a mail to the address of List-Unsubscribe', async () => {
    const message = await mailed({ contactId: new ObjectId(id) });
    await move(current);
    const to = `${mailLocalPart(environment.deps.config, 'u', refOf(message))}@${HOST}`;
    const { data } = await door.send({ from: former, to, raw: `From: ${former}\n\n` });
    expect(data).to.match(/^250/);
    expect([await reasons(former), await reasons(current)]).to.deep.equal([['UNSUBSCRIBE'], ['UNSUBSCRIBE']]);
  });

  for (const [which, mail] of ways)
    it(`gets no mail of the project after a complaint about a mail ${which}`, async () => {
      const message = await mail();
      await move(current);
      const to = `${mailLocalPart(environment.deps.config, 'b', refOf(message))}@${HOST}`;
      const { raw } = returnedMails.find(({ name }) => name === 'a complaint, abuse')!;
      expect((await door.send({ from: 'fbl@isp.example.net', to, raw })).data).to.match(/^250/);
      expect([await reasons(former), await reasons(current)]).to.deep.equal([['COMPLAINT'], ['COMPLAINT']]);
    });

  it('stays when another contact, which got the address and the mail since, leaves', async () => {
    await move(current);
    const heir = await made(former);
    const messages = [await mailed({ contactId: new ObjectId(heir) }), await later()];
    for (const message of messages) await press(`/u/${tokenOf(message)}`, 'List-Unsubscribe=One-Click');
    expect([await reasons(former), await reasons(current)]).to.deep.equal([['UNSUBSCRIBE'], []]);
  });

  /** A mail of the seconds after the change, which names no contact. */
  const later = () => mailed({ _id: ObjectId.createFromTime(Math.floor(Date.now() / 1_000) + 5) });

  it('stays when a contact that was deleted since had got the mail', async () => {
    const message = await mailed({ contactId: new ObjectId(id) });
    expect((await environment.own.client.delete(`/contacts/${id}`)).status).to.equal(200);
    const other = await made(current);
    await press(`/u/${tokenOf(message)}`, 'List-Unsubscribe=One-Click');
    expect([await reasons(former), await reasons(current)]).to.deep.equal([['UNSUBSCRIBE'], []]);
    expect(other).to.not.equal(id);
  });
});
