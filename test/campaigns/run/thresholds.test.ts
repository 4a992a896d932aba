import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { useHands } from '../support.ts';

const FIGURES = /^(\d+) of (\d+) sent were bounced \(([\d.]+) %\), above the 5 % of the balanced preset$/;

describe('Thresholds', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands({ perTest: { ackDelayMs: 5 } });

  /** In the order of sending; every so many bounces, from one place to another. */
  const audience = (name: string, count: number, isBad: (index: number) => boolean) =>
    stage.list(count, (i) => {
      const place = String(i).padStart(5, '0');
      return isBad(i) ? `perm-rcpt-550-5.1.1+${place}${name}@a.example.org` : `perm-rcpu+${place}${name}@a.example.org`;
    });
  const inOrder = async (id: string) => {
    // Addresses that bounce sort before the others, so the places are mixed by hand.
    const place = ({ email }: { email: string }) => Number(/\+(\d{5})/.exec(email)?.[1]);
    const { campaignBlocks } = stage.deps.db;
    const of = { projectId: stage.own.project._id, campaignId: new ObjectId(id) };
    const blocks = await campaignBlocks.find(of).sort({ n: 1 }).toArray();
    const people = blocks.flatMap(({ recipients }) => recipients).toSorted((a, b) => place(a) - place(b));
    for (const { _id, projectId, fromSeq, count } of blocks)
      await campaignBlocks.updateOne(
        { _id, projectId },
        { $set: { recipients: people.slice(fromSeq - 1, fromSeq - 1 + count) } },
      );
  };
  const begin = async (fields: object) => {
    const id = await stage.launch(fields);
    await hands.advance(id);
    await hands.freeze(id);
    await inOrder(id);
    return id;
  };

  it('6 % of bounces pause a balanced campaign with the figures; the next stretch continues while it is clean', async () => {
    const list = await audience('clean', 1_500, (i) => i < 900 && i % 100 < 6);
    const id = await begin({ toLists: [list], thresholdPreset: 'balanced' });
    // Slow enough to be paused on the way.
    stage.sink.modes.ackDelayMs = 40;
    expect((await hands.drive(id)).kind).to.equal('park');
    stage.sink.modes.ackDelayMs = 5;
    const paused = await stage.get(id);
    const [, bounced, sent, percent] = (FIGURES.exec(paused.pausedReason) ?? []).map(Number);
    expect(paused.pausedReason).to.match(FIGURES);
    expect(sent).to.be.within(100, 1_400);
    expect((bounced as number) / (sent as number)).to.be.greaterThan(0.05);
    expect(percent).to.be.closeTo((100 * (bounced as number)) / (sent as number), 0.01);
    expect(paused.metrics.pending).to.be.greaterThan(0);
    const left = paused.metrics.pending;
    await stage.act(id, 'resume');
    // The remaining bad addresses are less than 5 % of this stretch, or it pauses once more.
    for (let again = 0; again < 10 && (await hands.drive(id)).kind === 'park'; again += 1) {
      const { pausedReason, metrics } = await stage.get(id);
      expect(pausedReason).to.match(FIGURES);
      expect(metrics.pending).to.be.below(left);
      await stage.act(id, 'resume');
    }
    expect(await stage.get(id)).to.include({ status: 'sent' });
    expect((await stage.get(id)).metrics).to.include({ totalContacts: 1_500, sent: 1_500, bounced: 54, pending: 0 });
  });

  it('a stretch that is as bad pauses again, with the figures of that stretch alone', async () => {
    const list = await audience('bad', 1_200, (i) => i % 10 === 0);
    const id = await begin({ toLists: [list], thresholdPreset: 'balanced' });
    const reasons: string[] = [];
    let sentBefore = 0;
    let bouncedBefore = 0;
    while ((await hands.drive(id)).kind === 'park') {
      const { pausedReason, metrics } = await stage.get(id);
      reasons.push(pausedReason);
      const [bounced, sent] = (FIGURES.exec(pausedReason) ?? []).slice(1).map(Number);
      expect(bounced).to.be.at.most(metrics.bounced - bouncedBefore);
      bouncedBefore = metrics.bounced;
      expect(sent).to.be.at.least(100);
      expect(sent).to.be.at.most(metrics.sent - sentBefore);
      sentBefore = metrics.sent;
      await stage.act(id, 'resume');
    }
    expect(reasons.length).to.be.within(1, 12);
    expect((await stage.get(id)).metrics).to.include({ sent: 1_200, bounced: 120, pending: 0 });
  });

  it('a more patient preset continues', async () => {
    const list = await audience('patient', 300, (i) => i % 16 === 8);
    const id = await begin({ toLists: [list], thresholdPreset: 'aggressive' });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
  });

  it('complaints count too, and those of the stretch before do not count again', async () => {
    const list = await audience(`spam${new ObjectId()}`, 600, () => false);
    const id = await begin({ toLists: [list], thresholdPreset: 'balanced' });
    const { _id, projectId } = (await stage.audience(id))[0]!;
    const campaignId = (await stage.stored(id))._id;
    await stage.deps.db.engagements.insertOne({ _id, projectId, campaignId, complainedAt: new Date() });
    // Slow enough to be paused on the way: a stretch is judged from 100 sent.
    stage.sink.modes.ackDelayMs = 250;
    expect((await hands.drive(id)).kind).to.equal('park');
    expect((await stage.get(id)).pausedReason).to.match(
      /^1 of \d+ sent were reported as spam \([\d.]+ %\), above the 0.1 %/,
    );
    expect((await stage.progress(id)).pending).to.be.at.least(100);
    await stage.act(id, 'resume');
    stage.sink.modes.ackDelayMs = 5;
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
  });
});
