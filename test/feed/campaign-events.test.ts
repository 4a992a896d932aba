// Promise: nothing is lost.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { freezeAudience } from '../../core/campaigns/run/freeze.ts';
import { suppress } from '../../core/consent/suppressions/suppressions.ts';
import { type Stage, startStage } from '../campaigns/support.ts';

/** No endpoint has to answer: the test reads rows that are written before anything is delivered. */
const HOOK = 'https://hooks.example.com/everpost';

describe('Events of campaigns', () => {
  let stage: Stage;
  let listId: string;
  before(async () => {
    stage = await startStage({ lanes: [] });
    listId = await stage.list(5);
    await stage.own.client.post('/webhooks', { url: HOOK, events: ['campaign.scheduled', 'email.suppressed'] });
  });
  after(() => stage.stop());

  const told = (type: string) =>
    stage.deps.db.projectEvents.find({ projectId: stage.own.project._id, type: type as never }).toArray();
  const scheduled = () => ({ toLists: [listId], publish: true, scheduledAt: new Date(Date.now() + 9e6).toISOString() });

  /** During this time the database refuses every event. */
  async function withoutEvents(work: () => Promise<unknown>): Promise<void> {
    const { mongo, config } = stage.deps;
    const refuse = (validator: object) =>
      mongo.db(config.mongodbDatabase).command({ collMod: 'projectEvents', validator });
    await refuse({ type: 'nothing' });
    const { error } = console;
    console.error = () => {};
    try {
      await work();
    } finally {
      console.error = error;
      await refuse({});
    }
  }

  it('A campaign is scheduled with its event or not at all, when it is created and when a draft is published.', async () => {
    const { own, deps } = stage;
    const projectId = own.project._id;
    const draft = (await stage.create({ toLists: [listId] })).body.data.id;
    // The first event makes the collection.
    const first = (await stage.create(scheduled())).body.data.id;
    const before = await deps.db.campaigns.countDocuments({ projectId });
    await withoutEvents(async () => {
      expect((await stage.create(scheduled())).status).to.be.greaterThan(499);
      expect((await own.client.patch(`/campaigns/${draft}`, scheduled())).status).to.be.greaterThan(499);
    });
    expect(await deps.db.campaigns.countDocuments({ projectId })).to.equal(before);
    expect((await stage.stored(draft)).status).to.equal('draft');
    expect((await own.client.patch(`/campaigns/${draft}`, scheduled())).body.data.status).to.equal('scheduled');
    const second = (await stage.create(scheduled())).body.data.id;
    const ids = (await told('campaign.scheduled')).map(({ data }) => data.campaignId);
    expect(ids.sort()).to.deep.equal([first, draft, second].sort());
  });

  it('Recipients that are left out when the audience is frozen are reported as email.suppressed, once each.', async () => {
    const { deps, own } = stage;
    const projectId = own.project._id;
    const emails = ['u1@example.org', 'u3@example.org'];
    await suppress(deps, projectId, { emails, isGlobal: true, reason: 'MANUAL', evidence: 'a test' });
    const campaignId = (await stage.create(scheduled())).body.data.id;
    const freeze = async () => {
      const campaign = await stage.stored(campaignId);
      await freezeAudience(deps, campaign, { signal: new AbortController().signal, onProgress() {} });
    };
    await freeze();
    // As after a crash before the end was written down.
    await deps.db.campaigns.updateOne({ _id: new ObjectId(campaignId), projectId }, [
      { $set: { freeze: { $mergeObjects: ['$freeze', { isDone: false }] } } },
    ]);
    await freeze();
    const events = (await told('email.suppressed')).filter(({ data }) => data.campaignId === campaignId);
    expect(events.map(({ data }) => data.email).sort()).to.deep.equal(emails);
    expect(events[0]?.data.suppressedBy).to.include({ reason: 'MANUAL' });
    expect(await stage.messages(campaignId, { state: 'suppressed' })).to.have.length(2);
  });
});
