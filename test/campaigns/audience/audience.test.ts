// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Campaign } from '../../../core/campaigns/model.ts';
import { freezeAudience } from '../../../core/campaigns/run/freeze.ts';
import { refreshMetrics } from '../../../core/campaigns/run/metrics.ts';
import { useHands } from '../support.ts';

const address = (name: string) => (i: number) => `${name}${String(i).padStart(5, '0')}@example.org`;

describe('The audience of a campaign', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();

  const begun = async (fields: object) => {
    const id = await stage.launch(fields);
    await hands.advance(id);
    return id;
  };

  it('is lists and segments less the excluded ones, one address once; suppressed people are inside, with the entry that hit', async () => {
    const [one, two] = [await stage.list(50, address('a')), await stage.list(50, (i) => address('a')(i + 25))];
    const out = await stage.list(5, address('a'));
    const { body: segment } = await stage.own.client.post('/contact-lists', {
      name: 'Adas',
      type: 'segment',
      filterCriteria: { groups: [{ field: 'firstName', operator: 'equals', value: 'Ada' }] },
    });
    await stage.own.client.post('/contacts/email', { email: 'ada@example.org', firstName: 'Ada' });
    await stage.own.client.post('/contacts/email', { email: address('a')(30), firstName: 'Ada' });
    const { body: group } = await stage.own.client.post('/suppression-groups', { name: 'News' });
    const suppress = (email: string, fields: object) =>
      stage.own.client.post('/suppression-groups/emails/suppress', { emails: [email], ...fields });
    await suppress(address('a')(40), { groupId: group.data.groupId, reason: 'UNSUBSCRIBE' });
    await suppress(address('a')(41), { isGlobal: true, reason: 'BOUNCE' });
    await suppress(address('a')(42), { reason: 'UNSUBSCRIBE' });
    const id = await begun({
      toLists: [one, two, segment.data.id],
      excludeLists: [out],
      unsubscribeGroupId: group.data.groupId,
    });
    await hands.freeze(id);
    const messages = await stage.audience(id);
    // 75 in both lists and Ada, less 5.
    expect(messages.length).to.equal(71);
    expect(new Set(messages.map(({ email }) => email)).size).to.equal(71);
    expect(messages.some(({ email }) => email === address('a')(3))).to.equal(false);
    expect(new Set(messages.map(({ seq }) => seq)).size).to.equal(71);
    const stopped = messages.filter(({ state }) => state === 'suppressed');
    expect(stopped.map(({ email, suppressedBy }) => [email, suppressedBy?.reason])).to.deep.equal([
      [address('a')(40), 'UNSUBSCRIBE'],
      [address('a')(41), 'BOUNCE'],
    ]);
    expect((await stage.stored(id)).freeze).to.include({ isDone: true, written: 71 });
    expect((await stage.get(id)).metrics).to.include({ totalContacts: 71, suppressed: 2, pending: 69 });
    await hands.drive(id);
    const story = async (email: string) => {
      const contact = await stage.deps.db.contacts.findOne({ projectId: stage.own.project._id, email });
      return (await stage.own.client.get(`/campaigns/${id}/recipients/${contact?._id}`)).body.data;
    };
    expect((await story(address('a')(3))).reason).to.contain('excluded by list');
    expect((await story(address('a')(40))).reason).to.contain(
      `suppressed in group ${group.data.groupId} (UNSUBSCRIBE)`,
    );
    expect((await story('ada@example.org')).reason)
      .to.contain('segment "Adas"')
      .and.contain('250');
    expect((await stage.own.client.get(`/campaigns/${id}/recipients/${new ObjectId()}`)).status).to.equal(404);
  });

  it('is read again from the start after it was stopped: the former blocks are gone, and each person is in it once', async () => {
    const list = await stage.list(9_000, address('b'));
    const out = (i: number) => ({ emails: [address('b')(i)], isGlobal: true, reason: 'BOUNCE' });
    await stage.own.client.post('/suppression-groups/emails/suppress', out(7));
    const id = await begun({ toLists: [list] });
    const stop = new AbortController();
    await freezeAudience(stage.deps, await stage.stored(id), {
      signal: stop.signal,
      onProgress: (written) => written >= 1 && stop.abort(),
    });
    const { freeze: half } = await stage.stored(id);
    expect(half).to.include({ isDone: false });
    await hands.freeze(id);
    const { freeze } = await stage.stored(id);
    expect(freeze?.at).to.deep.equal(half?.at);
    expect(freeze?.frozen).to.deep.equal({ total: 9_000, inBlocks: 8_999 });
    const whole = await stage.audience(id);
    expect(whole.map(({ email }) => email)).to.deep.equal(Array.from({ length: 9_000 }, (_, i) => address('b')(i)));
    const blocks = await stage.deps.db.campaignBlocks
      .find({ campaignId: new ObjectId(id), projectId: stage.own.project._id })
      .sort({ n: 1 })
      .toArray();
    expect(blocks.map(({ n, fromSeq }) => [n, fromSeq])).to.deep.equal(blocks.map((_, n) => [n, n * 256 + 1]));
    expect(blocks.every(({ run }) => run.equals(freeze!.run!))).to.equal(true);
    await hands.freeze(id);
    expect((await stage.stored(id)).freeze, 'a freeze that is done is not repeated').to.deep.equal(freeze);
    await stage.act(id, 'abort');
  });

  it('who was deleted while it was written down gets nothing', async () => {
    const list = await stage.list(3, address('c'));
    const id = await begun({ toLists: [list] });
    const html = { htmlTemplate: '<p>The same for everybody</p>' };
    const plain = await begun({ toLists: [list], ...html });
    await hands.freeze(id);
    await hands.freeze(plain);
    // As if the deletion had come between the reading and the writing.
    await stage.deps.db.contacts.deleteOne({ projectId: stage.own.project._id, email: address('c')(1) });
    for (const campaign of [id, plain]) {
      await hands.drive(campaign);
      expect((await stage.messages(campaign)).map(({ state }) => state)).to.deep.equal(['sent', 'failed', 'sent']);
      expect([...(await stage.arrived(campaign)).keys()]).to.not.include(address('c')(1));
    }
  });

  it('a recipient whose data do not render fails alone', async () => {
    const list = await stage.list(2, address('d'));
    const big = { email: address('d')(1), contactProperties: { text: 'x'.repeat(4_000) } };
    expect((await stage.own.client.post('/contacts/email', big)).status).to.equal(200);
    const htmlTemplate = '<p>{{{contactProperties.text}}}</p>'.repeat(1_500);
    const id = await begun({ toLists: [list], htmlTemplate });
    await hands.drive(id);
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    const [fine, failed] = await stage.messages(id);
    expect([fine?.state, failed?.state]).to.deep.equal(['sent', 'failed']);
    expect(failed?.reason).to.match(/^The mail cannot be made with these data: The rendered text is longer/);
  });

  it('a row that is missing from the ledger is noticed', async () => {
    const id = await begun({ toLists: [await stage.list(4, address('e'))] });
    await hands.drive(id);
    const reconcile = async () => (await stage.own.client.get(`/campaigns/${id}/reconcile`)).body.data;
    expect(await reconcile()).to.deep.include({ differences: [], isBalanced: true });
    const [first] = await stage.messages(id);
    await stage.deps.db.messages.deleteOne({ _id: first!._id, projectId: first!.projectId });
    expect(await reconcile()).to.deep.include({
      isBalanced: false,
      differences: [
        { count: 'totalContacts', ledger: 3, stored: 4 },
        { count: 'sent', ledger: 3, stored: 4 },
      ],
    });
  });

  it('stored numbers are refreshed every 10 minutes while it is sent and for a day, hourly to day 7, every six hours to day 20', async () => {
    const id = await begun({ toLists: [await stage.list(2, address('f'))] });
    const ref = { projectId: stage.own.project._id.toHexString(), campaignId: id };
    const { clock } = stage.environment;
    const minutes = async () => {
      const { nextMs } = await refreshMetrics(stage.deps, ref);
      return nextMs === null ? null : Math.round(nextMs / 60_000);
    };
    await hands.drive(id);
    const { sentAt, refreshedAt } = (await stage.stored(id)) as Campaign;
    const DAY = 24 * 60;
    const at = (minute: number) => clock.set(new Date((sentAt as Date).getTime() + minute * 60_000));
    try {
      at(4);
      expect(await minutes(), 'too early: the rest of the ten minutes').to.equal(6);
      expect((await stage.stored(id)).refreshedAt).to.deep.equal(refreshedAt);
      at(11);
      expect(await minutes()).to.equal(10);
      expect((await stage.stored(id)).refreshedAt?.getTime()).to.be.greaterThan(refreshedAt?.getTime() as number);
      const plan: Array<[number, number | null]> = [
        [DAY - 15, 10],
        [DAY + 5, 60],
        [7 * DAY - 75, 60],
        [7 * DAY + 5, 360],
        [20 * DAY - 15, 360],
        [20 * DAY + 5, null],
      ];
      for (const [minute, next] of plan) {
        at(minute);
        expect(await minutes(), `after ${minute} minutes`).to.equal(next);
      }
    } finally {
      clock.set(new Date());
    }
  });
});
