// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { freezeAudience } from '../../../core/campaigns/run/freeze.ts';
import { recomputeSegment } from '../../../core/people/lists/recompute.ts';
import type { StoredList } from '../../../core/people/model.ts';
import { useHands } from '../support.ts';

describe('The contacts that a campaign leaves out', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();

  /** People of a new list, and a segment of those that are given the first name; addresses are new for each try. */
  const cast = async (count: number) => {
    const name = new ObjectId().toHexString();
    const email = (index: number) => `${name}-${String(index).padStart(5, '0')}@example.org`;
    const people = await stage.list(count, email);
    const { body } = await stage.own.client.post('/contact-lists', { name: `Segment ${name}`, ...filterOf(name) });
    const join = (index: number) => stage.own.client.post('/contacts/email', { email: email(index), firstName: name });
    return { name, email, people, segment: body.data.id as string, join };
  };
  const filterOf = (firstName: string) => ({
    type: 'segment',
    filterCriteria: { groups: [{ field: 'firstName', operator: 'equals', value: firstName }] },
  });
  const segmentKey = (id: string) => ({ _id: new ObjectId(id), projectId: stage.own.project._id });
  /** As after a change of the filter in a project that takes longer than the call waits. */
  const asRunning = (id: string) =>
    stage.deps.db.contactLists.updateOne(segmentKey(id), [
      {
        $set: {
          'recompute.status': 'running',
          'recompute.processed': 0,
          'recompute.generation': { $add: ['$recompute.generation', 1] },
        },
      },
    ]);
  const compute = (id: string) =>
    recomputeSegment(stage.deps, stage.own.project._id, new ObjectId(id), { timeMs: 10_000 });
  const addresses = async (id: string) => (await stage.audience(id)).map(({ email }) => email);

  for (const field of ['toLists', 'excludeLists'] as const)
    it(`a campaign stays scheduled while a segment in ${field} is computed, and /progress names the segment`, async () => {
      const { name, people, segment } = await cast(2);
      await asRunning(segment);
      const lists =
        field === 'toLists' ? { toLists: [segment, people] } : { toLists: [people], excludeLists: [segment] };
      const id = await stage.launch(lists);
      const step = await hands.advance(id);
      expect(step).to.include({ kind: 'wait', status: 'scheduled' });
      expect(step.summary).to.contain(`Segment ${name}`);
      const { status, waitingFor } = await stage.progress(id);
      expect(status).to.equal('scheduled');
      expect(waitingFor).to.deep.equal([
        { id: segment, name: `Segment ${name}`, type: 'segment', processed: 0, total: waitingFor[0].total },
      ]);
      await compute(segment);
      expect((await stage.progress(id)).waitingFor).to.deep.equal([]);
      expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    });

  it('after maxLatenessMinutes it is paused with the segment as the reason; resume waits again', async () => {
    const { name, people, segment } = await cast(1);
    await asRunning(segment);
    const id = await stage.launch({ toLists: [people], excludeLists: [segment], maxLatenessMinutes: 5 });
    expect(await hands.advance(id)).to.include({ kind: 'wait', status: 'scheduled' });
    stage.environment.clock.advance(6 * 60_000);
    try {
      expect((await hands.advance(id)).kind).to.equal('park');
      expect((await stage.get(id)).pausedReason).to.equal(
        `It could not start on time: the segment "Segment ${name}" is still being computed after 6 minutes, and maxLatenessMinutes is 5. Resume waits for it again.`,
      );
      await stage.act(id, 'resume');
      expect(await hands.advance(id)).to.include({ kind: 'wait', status: 'scheduled' });
      await compute(segment);
      expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    } finally {
      stage.environment.clock.advance(-6 * 60_000);
    }
  });

  for (const kind of ['list', 'segment'] as const)
    it(`a contact in an excluded ${kind} is not in the audience`, async () => {
      const { email, people, segment, join } = await cast(4);
      const list = await stage.list(2, (index) => email(index * 2 + 1));
      await Promise.all([join(1), join(3)]);
      const id = await stage.launch({ toLists: [people], excludeLists: [kind === 'list' ? list : segment] });
      await hands.advance(id);
      const progress: number[] = [];
      const control = { signal: new AbortController().signal, onProgress: (written: number) => progress.push(written) };
      await freezeAudience(stage.deps, await stage.stored(id), control);
      expect(await addresses(id)).to.deep.equal([email(0), email(2)]);
      expect(Math.max(...progress), 'nobody was written and left out afterwards').to.equal(2);
      expect((await stage.get(id)).metrics).to.include({ totalContacts: 2 });
    });

  it('a contact in an excluded segment and in an excluded list is left out of a campaign to everybody', async () => {
    const { email, people, segment, join } = await cast(4);
    const list = await stage.list(1, () => email(2));
    await join(1);
    const id = await stage.launch({ sendToGlobalList: true, excludeLists: [segment, list] });
    await hands.advance(id);
    await hands.freeze(id);
    const own = (await addresses(id)).filter((address) => [0, 1, 2, 3].map(email).includes(address));
    expect(own).to.deep.equal([email(0), email(3)]);
    expect(people).to.be.a('string');
    await stage.act(id, 'abort');
  });

  it('a filter that is changed between publication and freeze holds', async () => {
    const { name, email, people, segment } = await cast(3);
    const id = await stage.launch({ toLists: [people], excludeLists: [segment] });
    await stage.own.client.post('/contacts/email', { email: email(1), firstName: `other ${name}` });
    const { filterCriteria } = filterOf(`other ${name}`);
    await stage.own.client.patch(`/contact-lists/${segment}`, { filterCriteria });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect([...(await stage.arrived(id)).keys()].sort()).to.deep.equal([email(0), email(2)]);
  });

  it('a segment that is computed once more after the start holds up the freeze, and the audience follows it', async () => {
    const { email, people, segment, join } = await cast(3);
    await join(1);
    const id = await stage.launch({ toLists: [people], excludeLists: [segment] });
    expect((await hands.advance(id)).kind).to.equal('freeze');
    const contact = { projectId: stage.own.project._id, email: email(1) };
    await stage.deps.db.contacts.updateOne(contact, { $set: { segmentIds: [] } });
    await asRunning(segment);
    expect(await hands.advance(id)).to.include({ kind: 'wait', status: 'sending' });
    expect((await stage.progress(id)).waitingFor).to.have.length(1);
    await hands.freeze(id);
    expect((await stage.stored(id)).freeze, 'a freeze that had begun before does not end').to.include({
      isDone: false,
    });
    await compute(segment);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect([...(await stage.arrived(id)).keys()].sort()).to.deep.equal([email(0), email(2)]);
    expect((await stage.get(id)).metrics).to.include({ totalContacts: 2, sent: 2, pending: 0 });
  });

  it('a contact that a change with the former filter has left unmarked is left out before the second look', async () => {
    const { email, people, segment, join } = await cast(3);
    await join(1);
    const stored = (await stage.deps.db.contactLists.findOne(segmentKey(segment))) as StoredList;
    expect(stored.recompute?.status).to.equal('settling');
    await stage.deps.db.contacts.updateOne(
      { projectId: stage.own.project._id, email: email(1) },
      { $pull: { segmentIds: stored._id } },
    );
    const id = await stage.launch({ toLists: [people], excludeLists: [segment] });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect([...(await stage.arrived(id)).keys()].sort()).to.deep.equal([email(0), email(2)]);
  });

  for (const kind of ['list', 'segment'] as const)
    it(`people who join an excluded ${kind} while the audience is written get nothing`, async () => {
      const { email, people, segment, join } = await cast(2_500);
      const list = await stage.list(0);
      const id = await stage.launch({ toLists: [people], excludeLists: [list, segment] });
      await hands.advance(id);
      const joined = [3, 4, 2_400].map(email);
      let joining: Promise<unknown> | undefined;
      const enter = () =>
        kind === 'list'
          ? stage.own.client.post('/contact-lists/contacts/bulk-add', { contactListId: list, emails: joined })
          : Promise.all([3, 4, 2_400].map(join));
      await freezeAudience(
        holdingReads(stage.deps, () => (joining ??= enter())),
        await stage.stored(id),
        {
          signal: new AbortController().signal,
          onProgress() {},
        },
      );
      await joining;
      expect((await stage.stored(id)).freeze).to.include({ isDone: true, written: 2_497 });
      const found = await addresses(id);
      expect(found.length).to.equal(2_497);
      expect(found.filter((address) => joined.includes(address))).to.deep.equal([]);
      expect((await stage.get(id)).metrics).to.include({ totalContacts: 2_497, pending: 2_497 });
      await stage.act(id, 'abort');
    });

  it('a freeze that dies while it leaves people out starts from nothing, and they stay out', async () => {
    const { email, people } = await cast(1_500);
    const list = await stage.list(0);
    const id = await stage.launch({ toLists: [people], excludeLists: [list] });
    await hands.advance(id);
    const control = { signal: new AbortController().signal, onProgress() {} };
    const members = { contactListId: list, emails: [email(1), email(2)] };
    let joining: Promise<unknown> | undefined;
    const join = () => (joining ??= stage.own.client.post('/contact-lists/contacts/bulk-add', members));
    const joined = holdingReads(stage.deps, join);
    const campaignBlocks = new Proxy(stage.deps.db.campaignBlocks, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'deleteMany') return value.bind(target);
        return async (...args: unknown[]) => {
          await value.apply(target, args);
          throw new Error('the process died');
        };
      },
    });
    const dying = { ...joined, db: { ...joined.db, campaignBlocks } } as Deps;
    const died = await freezeAudience(dying, await stage.stored(id), control).catch((error) => error.message);
    expect(died).to.equal('the process died');
    expect((await stage.stored(id)).freeze).to.include({ isDone: false });
    await freezeAudience(stage.deps, await stage.stored(id), control);
    const { freeze } = await stage.stored(id);
    expect(freeze).to.include({ isDone: true, written: 1_498 });
    const seqs = (await stage.audience(id)).map(({ seq }) => seq);
    expect(seqs).to.deep.equal(Array.from({ length: 1_498 }, (_, index) => index + 1));
    const blocks = await stage.deps.db.campaignBlocks
      .find({ campaignId: new ObjectId(id), projectId: stage.own.project._id })
      .toArray();
    expect(
      blocks.every(({ run }) => run.equals(freeze!.run!)),
      'no block of another attempt is left',
    ).to.equal(true);
    await stage.act(id, 'abort');
  });

  it('people who join an excluded list while it is paused before its audience is written get nothing', async () => {
    const { email, people } = await cast(1_500);
    const list = await stage.list(0);
    const id = await stage.launch({ toLists: [people], excludeLists: [list] });
    await hands.advance(id);
    const stop = new AbortController();
    await freezeAudience(stage.deps, await stage.stored(id), {
      signal: stop.signal,
      onProgress: (written) => written >= 1_000 && stop.abort(),
    });
    await stage.act(id, 'pause');
    await stage.own.client.post('/contact-lists/contacts/bulk-add', {
      contactListId: list,
      emails: [email(1), email(1_200)],
    });
    await stage.act(id, 'resume');
    await hands.freeze(id);
    const found = await addresses(id);
    expect(found.length).to.equal(1_498);
    expect(found).to.not.include(email(1)).and.not.include(email(1_200));
    expect((await stage.stored(id)).freeze).to.include({ isDone: true, written: 1_498 });
    await stage.act(id, 'abort');
  });
});

/** Dependencies that do something after the audience was read and before the freeze ends. */
function holdingReads(deps: Deps, then: () => Promise<unknown>): Deps {
  const campaigns = new Proxy(deps.db.campaigns, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'updateOne') return value.bind(target);
      return async (...args: unknown[]) => {
        // The progress at the end: everybody is read and written by then.
        if ('$set' in (args[1] as object) && JSON.stringify(args[1]).includes('freeze.written')) await then();
        return value.apply(target, args);
      };
    },
  });
  return { ...deps, db: { ...deps.db, campaigns } } as Deps;
}
