import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { InboundMessage } from '../../core/inbound/model.ts';
import { useEnvironment } from '../support/environment.ts';

describe('A contact whose address changed', function () {
  this.timeout(120_000);
  const environment = useEnvironment();

  const db = () => environment.deps.db;
  const projectId = () => environment.own.project._id;
  let people = 0;
  let id: string;
  let former: string;
  let current: string;

  beforeEach(async () => {
    people += 1;
    // Longer than the values that a history keeps.
    [former, current] = [`former${people}.${'x'.repeat(40)}@${'long.'.repeat(36)}test`, `current${people}@people.test`];
    id = (await create(former)).id;
    await writes(former, 'before');
    await move(id, current);
  });

  async function create(email: string): Promise<{ id: string }> {
    const { status, text, body } = await environment.own.client.post('/contacts', { email });
    expect(status, text).equal(201);
    return body.data;
  }

  async function move(contactId: string, email: string): Promise<void> {
    const { status, text } = await environment.own.client.patch(`/contacts/${contactId}`, { email });
    expect(status, text).equal(200);
  }

  /** A mail came in from the address, and an event names it. */
  async function writes(email: string, subject: string, at = new Date()): Promise<void> {
    const _id = new ObjectId();
    const message = {
      ...{ _id, projectId: projectId(), dedupe: _id.toHexString(), messageId: `${_id}@in.test`, subject },
      ...{ from: { email, name: null }, to: [], cc: [], bcc: [], replyTo: [], attachments: [], headers: [] },
      ...{ text: null, html: null, threadId: _id.toHexString(), receivedAt: at },
    };
    await db().inboundMessages.insertOne(message as unknown as InboundMessage);
    await db().projectEvents.insertOne({
      ...{ _id: new ObjectId(), projectId: projectId(), type: 'email.sent', createdAt: at, writtenAt: at },
      data: { emailId: _id.toHexString(), email, subject },
    } as never);
  }

  /** By the subjects of mails and events. */
  async function exported(contactId: string): Promise<{ mails: string[]; events: string[] }> {
    const { status, text, body } = await environment.own.client.get(`/contacts/${contactId}/data`);
    expect(status, text).equal(200);
    const events = body.eventLog.filter(({ type }: { type: string }) => type === 'email.sent');
    return {
      mails: body.inboundMessages.map(({ subject }: { subject: string }) => subject).sort(),
      events: events.map(({ data }: { data: { subject: string } }) => data.subject).sort(),
    };
  }

  /** The subjects of mails and events that leave with a deleted contact. */
  async function leaving(): Promise<{ mails: string[]; events: string[] }> {
    const mails = await db().inboundMessages.find({ projectId: projectId(), isOfDeleted: true }).toArray();
    const query = { projectId: projectId(), type: 'email.sent', eraseAt: { $exists: true } };
    const events = await db().projectEvents.find(query).toArray();
    return {
      mails: mails.map(({ subject }) => subject).sort(),
      events: events.map(({ data }) => String((data as { subject: unknown }).subject)).sort(),
    };
  }

  afterEach(async () => {
    await db().inboundMessages.deleteMany({ projectId: projectId() });
    await db().projectEvents.deleteMany({ projectId: projectId() });
  });

  it('gets what names its former address with its data, as what names the one of today', async () => {
    await writes(current, 'after');
    await writes(former, 'from the old mailbox');
    await writes(`stranger${people}@people.test`, 'of a stranger');
    const own = ['after', 'before', 'from the old mailbox'];
    expect(await exported(id)).deep.equal({ mails: own, events: own });
  });

  it('takes that along when it is deleted', async () => {
    await writes(current, 'after');
    await writes(`stranger${people}@people.test`, 'of a stranger');
    expect((await environment.own.client.delete(`/contacts/${id}`)).status).equal(200);
    expect(await leaving()).deep.equal({ mails: ['after', 'before'], events: ['after', 'before'] });
  });

  it('does not get, nor take along, what names the address after another contact has it', async () => {
    const other = (await create(former)).id;
    await writes(former, 'of the other', new Date(Date.now() + 1_000));
    expect(await exported(id)).deep.equal({ mails: ['before'], events: ['before'] });
    expect((await environment.own.client.delete(`/contacts/${id}`)).status).equal(200);
    expect(await leaving()).deep.equal({ mails: ['before'], events: ['before'] });
    expect((await exported(other)).mails).includes('of the other');
  });

  it('is found by every address that it had', async () => {
    const third = `third${people}@people.test`;
    await writes(current, 'in between');
    await move(id, third);
    expect((await exported(id)).mails).deep.equal(['before', 'in between']);
    expect((await environment.own.client.delete(`/contacts/${id}`)).status).equal(200);
    expect((await leaving()).mails).deep.equal(['before', 'in between']);
  });
});
