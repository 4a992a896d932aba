import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { startQueues } from '../../core/jobs/queue.ts';
import { carryOverMail } from '../../core/mail/carry-over.ts';
import type { Content, Message } from '../../core/mail/ledger/model.ts';
import { humanLinks } from '../../core/mail/messages/clicks.ts';
import { contentRemovals } from '../../core/mail/messages/content-retention.ts';
import type { ClickSignal } from '../../core/mail/messages/model.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const DAY_MS = 24 * 3_600_000;
const BROWSER = 'Mozilla/5.0 Firefox/140.0';

describe('Mail that an earlier version stored in another form', () => {
  const environment = useEnvironment();
  beforeEach(() => db().upkeep.deleteMany({ _id: /-dated$/ as never }));
  const db = () => environment.deps.db;
  const projectId = () => environment.own.project._id;
  const ago = (days: number) => new Date(environment.clock.now().getTime() - days * DAY_MS);

  async function message(fields: Partial<Message>): Promise<ObjectId> {
    const _id = new ObjectId();
    await db().messages.insertOne({
      ...{ _id, projectId: projectId(), lane: 'transactional', state: 'sent', email: `${_id.toHexString()}@in.test` },
      ...fields,
    });
    return _id;
  }

  it('gets a date for the removal of its contents, until a run of setup finds none', async () => {
    const { deps, clock } = environment;
    const content = async (messageId: ObjectId) => {
      const one = { _id: new ObjectId(), projectId: projectId(), messageIds: [messageId], attachments: [] as never[] };
      await db().contents.insertOne({ ...one, createdAt: ago(20) } as unknown as Content);
      return one._id;
    };
    const dated = async (_id: ObjectId) =>
      (await db().contents.findOne({ _id, projectId: projectId() }))?.removeDueAt !== undefined;
    await content(await message({ endedAt: ago(8) }));
    // Its message was removed by retention.
    await content(new ObjectId());
    const recent = await content(await message({ endedAt: clock.now() }));
    const open = await content(await message({ state: 'deferred' }));
    expect(await carryOverMail(deps)).to.include({ contents: 4 });
    const loop = startQueues(deps, [contentRemovals(deps)]);
    await until(
      () => db().contents.find({ projectId: projectId() }).toArray(),
      (left) => left.length === 2 && [recent, open].every((id) => left.some(({ _id }) => _id.equals(id))),
    );
    await loop.stop();

    // Processes of the earlier version may have been running until now.
    const late = await content(await message({ endedAt: ago(8) }));
    expect(await carryOverMail(deps)).to.include({ contents: 1 });
    expect(await dated(late)).to.equal(true);
    expect(await carryOverMail(deps)).to.include({ contents: 0 });
    const tooLate = await content(await message({ endedAt: ago(8) }));
    await carryOverMail(deps);
    expect(await dated(tooLate)).to.equal(false);
  });

  it('gets the time of delivery for its clicks; those of a person count as such, and links are counted again', async () => {
    const { deps } = environment;
    const sentAt = ago(1);
    const click = (seconds: number, link: number) => ({
      ...{ at: new Date(sentAt.getTime() + seconds * 1_000), url: `https://shop.test/${link}`, agent: BROWSER, link },
    });
    const known = { ...click(7_200, 3), deliveredAt: null };
    const engagement = async (messageId: ObjectId, fields: object) => {
      await db().engagements.insertOne({ _id: messageId, projectId: projectId(), ...fields });
      return messageId;
    };
    const countedLinks = [{ link: 1, clicks: 1, isHuman: false }];
    const old = await engagement(await message({ sentAt }), {
      ...{ clicks: [click(1, 1), click(3_600, 2), known], laterClicks: [click(5_400, 1)], countedLinks },
    });
    const unsent = await engagement(await message({ state: 'unknown' }), { clicks: [click(3_600, 1)] });
    const opened = await engagement(await message({ sentAt }), { openCount: 1 });
    const found = async (_id: ObjectId) => (await db().engagements.findOne({ _id, projectId: projectId() }))!;
    const human = async (_id: ObjectId) => [...humanLinks(await found(_id), deps.config.automatedOpenSeconds)].sort();
    const before = await found(opened);
    expect(await human(old), 'before setup').to.deep.equal([]);

    expect(await carryOverMail(deps)).to.include({ clicks: 2 });
    expect(await human(old)).to.deep.equal(['1', '2']);
    const { clicks, countDueAt } = await found(old);
    const times = (some: ClickSignal[] = []) => some.map(({ deliveredAt }) => deliveredAt?.getTime() ?? null);
    expect(times(clicks)).to.deep.equal([sentAt.getTime(), sentAt.getTime(), null]);
    expect(countDueAt).to.be.instanceOf(Date);
    expect((await found(unsent)).clicks).to.deep.equal([{ deliveredAt: null, ...click(3_600, 1) }]);
    expect(await found(unsent)).to.not.have.any.keys('laterClicks', 'countDueAt');
    expect(await found(opened)).to.deep.equal(before);
    expect(await carryOverMail(deps)).to.include({ clicks: 0 });
  });
});
