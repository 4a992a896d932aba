import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { DrillContext } from '../../lab/rig/context.ts';
import { readBlocks } from '../../lab/rig/facts/block-facts.ts';
import { untilSettled } from '../../lab/rig/facts/settled.ts';
import { useHands } from '../campaigns/support.ts';

const PEOPLE = 10;
const nothing = { openClaims: 0, claimedTwice: 0, unclaimed: 0, rowless: 0 };

describe('The facts that a drill reads of blocks', () => {
  const { stage, hands } = useHands();
  let campaignId: string;
  afterEach(() => stage.act(campaignId, 'abort'));
  const context = () => ({ deps: stage.deps, project: stage.own.project }) as DrillContext;

  /** Frozen, and sent as far as `toSeq`. */
  async function campaignSentTo(toSeq: number): Promise<string> {
    const name = new ObjectId().toHexString();
    const id = await stage.launch({ toLists: [await stage.list(PEOPLE, (i) => `${name}-${i}@example.org`)] });
    expect((await hands.advance(id)).kind).to.equal('freeze');
    await hands.freeze(id);
    await hands.page(id, { fromSeq: 1, toSeq });
    campaignId = id;
    return id;
  }

  async function factsOf(id: string, status: 'sending' | 'sent') {
    const rowIds = new Set((await stage.messages(id)).map(({ _id }) => _id.toHexString()));
    return readBlocks(context(), { ...(await stage.stored(id)), status }, rowIds);
  }

  it('are nothing when each recipient has a closed claim and a row', async () => {
    const id = await campaignSentTo(PEOPLE);
    expect(await stage.deps.db.campaignBlocks.countDocuments({ projectId: stage.own.project._id })).to.equal(1);
    expect(await factsOf(id, 'sent')).to.deep.equal(nothing);
  });

  it('are recipients of a campaign that is over, without a claim or without a row', async () => {
    const id = await campaignSentTo(4);
    expect(await factsOf(id, 'sending')).to.deep.equal(nothing);
    expect(await factsOf(id, 'sent')).to.deep.equal({ ...nothing, unclaimed: 6, rowless: 6 });
    const [row] = await stage.messages(id);
    await stage.deps.db.messages.deleteOne({ _id: row!._id, projectId: row!.projectId });
    expect(await factsOf(id, 'sent')).to.deep.equal({ ...nothing, unclaimed: 6, rowless: 7 });
  });

  it('are claims that are open or overlap; a drill waits for the open ones', async () => {
    const id = await campaignSentTo(PEOPLE);
    const { campaignClaims } = stage.deps.db;
    const claim = (await campaignClaims.findOne({ campaignId: new ObjectId(id), projectId: stage.own.project._id }))!;
    await stage.act(id, 'abort');
    await untilSettled(context(), 20_000);
    const overlapping = { ...claim, _id: new ObjectId(), from: 7, to: PEOPLE, leaseUntil: new Date() };
    await campaignClaims.insertOne(overlapping);
    expect(await factsOf(id, 'sent')).to.deep.equal({ ...nothing, openClaims: 1, claimedTwice: 3 });
    const waited = untilSettled(context(), 300).then(
      () => 'nothing',
      ({ message }: Error) => message,
    );
    expect(await waited).to.include('open claims 1');
    await campaignClaims.deleteOne({ _id: overlapping._id, projectId: overlapping.projectId });
  });
});
