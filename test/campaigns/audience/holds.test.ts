import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { updateCampaign } from '../../../core/campaigns/definition/update.ts';
import { deleteList } from '../../../core/people/lists/lists.ts';
import { useHands } from '../support.ts';

/** Time for a call to reach a document that another transaction holds. */
const REACH_MS = 300;

describe('Lists and segments that a campaign names', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();

  const segment = async (firstName: string): Promise<string> => {
    const filterCriteria = { groups: [{ field: 'firstName', operator: 'equals', value: firstName }] };
    const { body } = await stage.own.client.post('/contact-lists', {
      name: firstName,
      type: 'segment',
      filterCriteria,
    });
    return body.data.id;
  };
  const remove = (id: string) => stage.own.client.delete(`/contact-lists/${id}`);
  const publish = (id: string) => stage.own.client.patch(`/campaigns/${id}`, { publish: true, sendNow: true });
  const draft = async (fields: object) => (await stage.create(fields)).body.data.id as string;
  const tag = () => new ObjectId().toHexString().slice(-8);

  for (const kind of ['list', 'segment'] as const)
    for (const field of ['toLists', 'excludeLists'] as const)
      it(`a ${kind} in ${field} cannot be removed before the audience is written: 409 names the campaign`, async () => {
        const name = tag();
        const people = await stage.list(3, (i) => `${name}-${i}@example.org`);
        await stage.own.client.post('/contacts/email', { email: `${name}-0@example.org`, firstName: name });
        const named = kind === 'list' ? await stage.list(1, () => `${name}-0@example.org`) : await segment(name);
        const lists = field === 'toLists' ? { toLists: [named] } : { toLists: [people], excludeLists: [named] };
        const id = await stage.launch({ ...lists, name: `Names ${name}` });
        const refuses = async (when: string) => {
          const { status, body } = await remove(named);
          expect([status, body.error?.code], when).to.deep.equal([409, 'INVALID_STATE']);
          expect(body.error.message, when).to.contain(`Names ${name}`);
        };
        await refuses('scheduled');
        await stage.act(id, 'pause');
        await refuses('paused before its time');
        await stage.act(id, 'resume');
        expect((await hands.advance(id)).kind).to.equal('freeze');
        await refuses('sending');
        await stage.act(id, 'pause');
        await refuses('paused before its audience is written');
        await stage.act(id, 'resume');
        await hands.freeze(id);
        const { status, text } = await remove(named);
        expect(status, text).to.equal(200);
        expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
        const expected =
          field === 'toLists' ? [`${name}-0@example.org`] : [1, 2].map((i) => `${name}-${i}@example.org`);
        expect([...(await stage.arrived(id)).keys()].sort()).to.deep.equal(expected);
      });

  it('are free again when the campaign is aborted, deleted, a draft, or names others', async () => {
    const people = await stage.list(1, () => `${tag()}@example.org`);
    const releases: Array<(id: string) => Promise<unknown>> = [
      (id) => stage.act(id, 'abort'),
      (id) => stage.own.client.delete(`/campaigns/${id}`),
      (id) => stage.own.client.patch(`/campaigns/${id}`, { publish: false }),
      (id) => stage.own.client.patch(`/campaigns/${id}`, { excludeLists: [] }),
    ];
    for (const release of releases) {
      const excluded = await stage.list(0);
      const id = await stage.launch({ toLists: [people], excludeLists: [excluded] });
      expect((await remove(excluded)).status).to.equal(409);
      await release(id);
      expect((await remove(excluded)).status).to.equal(200);
    }
  });

  for (const field of ['toLists', 'excludeLists'] as const)
    it(`a draft holds none: publishing it without its list in ${field} is 404 with the field`, async () => {
      const people = await stage.list(1, () => `${tag()}@example.org`);
      const named = await stage.list(0);
      const id = await draft(
        field === 'toLists' ? { toLists: [people, named] } : { toLists: [people], excludeLists: [named] },
      );
      expect((await remove(named)).status).to.equal(200);
      const { status, body } = await publish(id);
      expect([status, body.error.code]).to.deep.equal([404, 'CONTACT_LIST_NOT_FOUND']);
      expect(body.error.details).to.match(new RegExp(`^${field}:`));
      expect(await stage.get(id)).to.include({ status: 'draft' });
      expect((await stage.own.client.patch(`/campaigns/${id}`, { [field]: [people], publish: false })).status).to.equal(
        200,
      );
    });

  it('a list that is named by a change of a scheduled campaign is held from then on', async () => {
    const [people, later] = [await stage.list(1, () => `${tag()}@example.org`), await stage.list(0)];
    const id = await stage.launch({ toLists: [people] });
    await stage.own.client.patch(`/campaigns/${id}`, { excludeLists: [later] });
    expect((await remove(later)).status).to.equal(409);
  });

  it('removing a list while a campaign is published: the later of the two is refused', async () => {
    const people = await stage.list(1, () => `${tag()}@example.org`);
    const outcomes = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const named = await stage.list(0);
      const id = await draft({ toLists: [people], excludeLists: [named] });
      const calls = [() => publish(id), () => remove(named)];
      const [published, removed] = await Promise.all(
        round % 2
          ? calls.map((call) => call())
          : calls
              .toReversed()
              .map((call) => call())
              .reverse(),
      );
      outcomes.add(`${published?.status} ${removed?.status}`);
    }
    expect(
      [...outcomes].every((outcome) => ['200 409', '404 200'].includes(outcome)),
      [...outcomes].join(),
    ).to.equal(true);
  });

  it('a removal that meets a publication in its transaction waits for it and is refused', async () => {
    const people = await stage.list(1, () => `${tag()}@example.org`);
    const named = await stage.list(0);
    const id = await draft({ toLists: [people], excludeLists: [named] });
    const gate = gated(stage.deps, 'contactLists', 'updateMany');
    const seed = { at: new Date(), seed: new ObjectId() };
    const publishing = updateCampaign(gate.deps, stage.own.project, id, { publish: true, sendNow: true }, seed);
    await gate.reached;
    const removing = remove(named);
    await pause(REACH_MS);
    gate.open();
    expect((await publishing).campaign).to.include({ status: 'scheduled' });
    expect((await removing).status).to.equal(409);
  });

  it('a publication that meets a removal in its transaction waits for it and is refused', async () => {
    const people = await stage.list(1, () => `${tag()}@example.org`);
    const named = await stage.list(0);
    const id = await draft({ toLists: [people], excludeLists: [named] });
    const gate = gated(stage.deps, 'contactLists', 'deleteOne');
    const removing = deleteList(gate.deps, stage.own.project, named);
    await gate.reached;
    const publishing = publish(id);
    await pause(REACH_MS);
    gate.open();
    await removing;
    expect((await publishing).status).to.equal(404);
    expect(await stage.get(id)).to.include({ status: 'draft' });
  });

  it('a campaign whose list was removed behind its back does not begin', async () => {
    const [people, named] = [await stage.list(1, () => `${tag()}@example.org`), await stage.list(0)];
    const id = await stage.launch({ toLists: [people], excludeLists: [named] });
    await stage.deps.db.contactLists.deleteOne({ _id: new ObjectId(named), projectId: stage.own.project._id });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'failed' });
    expect((await stage.get(id)).failureReason).to.match(/which it excludes, was deleted/);
  });

  it('a PATCH that ends with 409 has not changed the template', async () => {
    const people = await stage.list(1, () => `${tag()}@example.org`);
    const { body } = await stage.create({ toLists: [people] });
    const { id, templateId } = body.data;
    const own = { _id: new ObjectId(id as string), projectId: stage.own.project._id };
    const session = stage.deps.mongo.startSession();
    try {
      session.startTransaction();
      await stage.deps.db.campaigns.updateOne(own, { $set: { status: 'sent', updatedAt: new Date() } }, { session });
      const patching = stage.own.client.patch(`/campaigns/${id}`, { templateId, htmlTemplate: '<p>Other</p>' });
      await pause(REACH_MS);
      await session.commitTransaction();
      expect((await patching).status).to.equal(409);
    } finally {
      await session.endSession();
    }
    expect((await stage.own.client.get(`/templates/${templateId}`)).body.data.emailTemplate).to.not.contain('Other');
  });
});

/** Dependencies whose first call of one method of one collection is made, and answered when the gate opens. */
function gated(deps: Deps, collection: 'contactLists', method: string) {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const gate = new Proxy(deps.db[collection], {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target);
      return async (...args: unknown[]) => {
        const answer = await value.apply(target, args);
        reached.resolve();
        await opened.promise;
        return answer;
      };
    },
  });
  return {
    deps: { ...deps, db: { ...deps.db, [collection]: gate } } as Deps,
    reached: reached.promise,
    open: opened.resolve,
  };
}
