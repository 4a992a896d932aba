import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import type { Migration } from '../../core/migrations/model.ts';
import { useEnvironment } from '../support/environment.ts';
import { runRounds } from './rounds.ts';

describe('The erasure of a deleted contact', function () {
  this.timeout(180_000);
  const environment = useEnvironment();

  const db = () => environment.deps.db;
  const projectId = () => environment.own.project._id;

  async function deleted(email: string): Promise<ObjectId> {
    const { client } = environment.own;
    const { id } = (await client.post('/contacts', { email })).body.data;
    expect((await client.delete(`/contacts/${id}`)).status).to.equal(200);
    return new ObjectId(id as string);
  }

  const isLeft = async (_id: ObjectId) =>
    (await db().contactErasures.countDocuments({ _id, projectId: projectId() })) > 0;
  const erased = (_id: ObjectId) => runRounds(environment.deps, [messageErasures], async () => !(await isLeft(_id)));

  it('ends events that its mails in flight published later, and leaves those of later mail to the address', async () => {
    const email = 'in.flight@people.test';
    const before = new ObjectId();
    const _id = await deleted(email);
    const after = ObjectId.createFromTime(Math.floor(Date.now() / 1_000) + 60);
    const event = (emailId: ObjectId, to = email) => ({
      ...{ _id: new ObjectId(), projectId: projectId(), type: 'email.sent', createdAt: new Date() },
      writtenAt: new Date(),
      data: {
        ...{ emailId: emailId.toHexString(), email: to, subject: 'Hello', campaignId: null, automationId: null },
        ...{ batchId: null, contactId: null, reply: null, reason: null },
      },
    });
    const [own, later, others] = [event(before), event(after), event(before, 'other@people.test')];
    await db().projectEvents.insertMany([own, later, others]);
    await erased(_id);
    const ids = [own, later, others].map((one) => one._id);
    const found = await db()
      .projectEvents.find({ _id: { $in: ids }, projectId: projectId() })
      .toArray();
    const ending = found.filter(({ eraseAt }) => eraseAt instanceof Date).map((one) => `${one._id}`);
    // The first one may be removed by its date already.
    expect(ending.every((id) => id === `${own._id}`) && found.length - ending.length === 2).to.equal(true);
  });

  it('waits for a migration that still has the address among its notes', async () => {
    const email = 'noted@people.test';
    const migration = {
      ...{ _id: new ObjectId(), projectId: projectId(), provider: 'providerB', status: 'running' },
      attention: `${email} is not suppressed here`,
      failureReason: null,
      phases: [
        {
          ...{
            name: 'contacts',
            status: 'running',
            details: {},
            errors: [{ item: 'Noted@People.test', message: 'no' }],
          },
          review: [
            { item: email, message: 'age is no number' },
            { item: 'other@people.test', message: 'age is no number' },
          ],
        },
      ],
    };
    const { _id: migrationId } = migration;
    await db().migrations.insertOne(migration as unknown as Migration);
    const read = () => db().migrations.findOne({ _id: migrationId, projectId: projectId() });
    const _id = await deleted(email);
    let tries = 0;
    await runRounds(environment.deps, [messageErasures], async () => {
      expect(await isLeft(_id), 'the migration is not over').to.equal(true);
      tries += 1;
      return tries === 2;
    });
    expect(JSON.stringify(await read())).to.contain(email);
    await db().migrations.updateOne({ _id: migrationId, projectId: projectId() }, { $set: { status: 'completed' } });
    await erased(_id);
    const { phases, attention } = (await read())!;
    expect(attention).to.equal('erased');
    expect(phases[0]?.errors).to.deep.equal([{ item: 'erased', message: 'no' }]);
    expect(phases[0]?.review).to.deep.equal([
      { item: 'erased', message: 'age is no number' },
      { item: 'other@people.test', message: 'age is no number' },
    ]);
  });

  it('takes the address out of the rows that imports refused, however the file wrote it, and leaves other rows', async () => {
    const row = (number: number, email: string, address: string) => ({
      ...{ _id: `${new ObjectId()}:${number}`, projectId: projectId(), importId: new ObjectId(), row: number },
      ...{ email, address, message: `${email} was refused`, createdAt: new Date() },
    });
    const rows = [
      row(1, 'In.File@People.test', 'in.file@people.test'),
      row(2, 'other@people.test', 'other@people.test'),
    ];
    await db().importErrors.insertMany(rows);
    await erased(await deleted('in.file@people.test'));
    const [mine, theirs] = await db().importErrors.find({ projectId: projectId() }).sort({ row: 1 }).toArray();
    expect(mine).to.deep.include({ row: 1, email: null, message: 'erased: the contact was deleted' });
    expect(mine).to.not.have.property('address');
    expect(theirs).to.deep.equal(rows[1]);
  });
});
