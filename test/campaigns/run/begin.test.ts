import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceCampaign } from '../../../core/campaigns/run/next-step.ts';
import { useHands } from '../support.ts';

describe('The begin of a campaign', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();

  it('that was held up and comes after another one replaces nothing of what is being sent', async () => {
    const name = new ObjectId().toHexString();
    const id = await stage.launch({ toLists: [await stage.list(2, (i) => `begin${i}-${name}@example.org`)] });
    const { deps, own } = stage;
    const { promise: hasRead, resolve: read } = Promise.withResolvers<void>();
    const { promise: mayContinue, resolve: release } = Promise.withResolvers<void>();
    const projects = new Proxy(deps.db.projects, {
      get(target, method) {
        const value = Reflect.get(target, method);
        if (method !== 'findOne') return typeof value === 'function' ? value.bind(target) : value;
        return async (...args: unknown[]) => {
          read();
          await mayContinue;
          return value.apply(target, args);
        };
      },
    });
    const slow = { ...hands.sending.deps, db: { ...deps.db, projects } };
    const late = advanceCampaign(slow, { projectId: own.project._id.toHexString(), campaignId: id });
    await hasRead;
    const subject = 'Changed before it began';
    expect((await own.client.patch(`/campaigns/${id}`, { subject })).status).to.equal(200);
    expect((await hands.advance(id)).kind).to.equal('freeze');
    release();
    await late;
    const content = { _id: new ObjectId(id), projectId: own.project._id };
    expect((await deps.db.campaignContents.findOne(content))?.subject).to.equal(subject);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
  });
});
