import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { eventQueue, triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import { sendEvent } from '../../../core/automations/events/send.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { messageErasures } from '../../../core/mail/erase/erase.ts';
import { SENDER, type Stage, startStage } from '../../campaigns/support.ts';
import { runRounds } from '../../personal-data/rounds.ts';
import { until } from '../../support/wait.ts';
import { committingDeps, interruptedDeps } from '../enrollments/crashing-deps.ts';
import { expectRecount } from '../people.ts';
import { activeAutomation, created, email, wait } from '../support.ts';

const mail = { htmlTemplate: '<p>Hello</p>', subject: 'Hello', senderEmail: SENDER };

/** Events are followed by the tests, and mails are sent by the product's own lanes. */
describe('A contact that is deleted while it enters an automation', function () {
  this.timeout(60_000);
  let stage: Stage;
  let id: string;
  before(async () => {
    stage = await startStage({ lanes: ['mail'] });
    await created(stage.own.client, '/events', { eventName: 'joined' });
    const steps = [wait(0), email('hello', { email: mail }), wait(1), email('later', { email: mail })];
    const entryCriteria = { type: 'event_trigger', eventName: 'joined' };
    id = (await activeAutomation(stage.own.client, { entryCriteria, steps })).id;
  });
  after(() => stage.stop());

  const own = () => stage.own.project._id;
  const mailsTo = (address: string) =>
    stage.deps.db.messages.find({ projectId: own(), contactId: { $exists: true }, email: address }).toArray();
  const joins = async (address: string) =>
    (await created(stage.own.client, '/events/send', { eventName: 'joined', email: address })).contactId as string;
  const remove = async (contactId: string) =>
    expect((await stage.own.client.delete(`/contacts/${contactId}`)).body.success).to.equal(true);
  const inside = async (contactId: string) =>
    (await stage.deps.db.enrollments.find({ projectId: own() }).toArray())
      .filter((one) => one.contactId.toHexString() === contactId)
      .map(({ status, exitReason }) => [status, exitReason]);
  const outcomes = async (contactId: string) =>
    (await stage.deps.db.events.find({ projectId: own() }).toArray())
      .filter((one) => one.contactId.toHexString() === contactId)
      .flatMap((event) => event.outcomes?.map(({ result, reason }) => [result, reason]));
  async function follow(deps: Deps) {
    for (const run of (await eventQueue(deps).take(own(), 16)).runs) await run();
  }
  /** The work after a deletion, without the minute between its two parts. */
  async function followDeletion() {
    for (let part = 0; part < 2; part += 1) {
      await stage.deps.db.triggers.updateMany({ projectId: own(), doneAt: null! }, { $set: { dueAt: new Date(0) } });
      for (const run of (await triggerQueue(stage.deps).take(own(), 16)).runs) await run();
    }
  }
  async function sends(address: string) {
    const [sent, ...others] = await until(
      () => mailsTo(address),
      ([one]) => one?.state === 'sent' || one?.state === 'failed',
    );
    expect(others).to.deep.equal([]);
    return [sent?.state, sent?.reason ?? null];
  }

  it('does not enter when it is gone before the commit; one that stays enters and gets its mail', async () => {
    const [gone, stays] = [await joins('gone@example.org'), await joins('stays@example.org')];
    await follow(interruptedDeps(stage.deps, () => remove(gone)));
    expect(await sends('stays@example.org')).to.deep.equal(['sent', null]);
    expect([await inside(stays), await outcomes(stays)]).to.deep.equal([[['active', null]], [['entered', undefined]]]);
    expect([await inside(gone), await outcomes(gone)]).to.deep.equal([[], [['skipped', 'contact_deleted']]]);
    expect(await mailsTo('gone@example.org')).to.deep.equal([]);
    await expectRecount(stage.environment, id);
  });

  it('gets no mail when both commit at once, and leaves', async () => {
    const contactId = await joins('both@example.org');
    await follow(committingDeps(stage.deps, (commit) => remove(contactId).then(commit)));
    expect(await outcomes(contactId)).to.deep.equal([['entered', undefined]]);
    expect(await sends('both@example.org')).to.deep.equal(['failed', 'The contact was deleted.']);
    expect(stage.sink.ledger.messages.flatMap(({ to }) => to)).not.to.include('both@example.org');
    await followDeletion();
    expect(await inside(contactId)).to.deep.equal([['exited', 'contact_deleted']]);
    await expectRecount(stage.environment, id);
  });

  /** As half a day later. */
  const erase = () =>
    runRounds(
      stage.deps,
      [messageErasures],
      async () => (await stage.deps.db.contactErasures.countDocuments({ projectId: own() })) === 0,
    );
  /** Commits of contacts that have neither events nor enrollments when they are deleted. */
  const deleting = (contactId: string) => committingDeps(stage.deps, (commit) => remove(contactId).then(commit));

  it('leaves nothing of itself in an event that is its first', async () => {
    const eventName = 'closed';
    await created(stage.own.client, '/events', {
      eventName,
      properties: [{ propertyName: 'reason', type: 'string' }],
    });
    const { id: contactId } = await created(stage.own.client, '/contacts', { email: 'first-event@example.org' });
    const origin = { at: new Date(), seed: new ObjectId() };
    const event = { eventName, contactId, eventProperties: { reason: 'I am Ada' } };
    const { _id } = await sendEvent(deleting(contactId), stage.own.project, event, origin);
    await erase();
    const stored = await stage.deps.db.events.findOne({ _id, projectId: own() });
    expect(stored).to.deep.include({ eventName, properties: {} });
  });

  it('leaves an automation that it entered as its first, and nothing of itself in what was posted there', async () => {
    const url = 'https://hooks.example.com/first';
    const automation = await activeAutomation(stage.own.client, {
      entryCriteria: { type: 'contact_created' },
      steps: [{ type: 'webhook', stepId: 'post', webhook: { url } }, wait(1), email('later', { email: mail })],
    });
    const { id: contactId } = await created(stage.own.client, '/contacts', { email: 'first-entry@example.org' });
    for (const run of (await triggerQueue(deleting(contactId)).take(own(), 16)).runs) await run();
    expect(await inside(contactId)).to.deep.equal([['active', null]]);
    await erase();
    expect(await inside(contactId)).to.deep.equal([['exited', 'contact_deleted']]);
    const posted = { projectId: own(), 'data.email': 'first-entry@example.org' };
    const events = await stage.deps.db.projectEvents.find(posted).toArray();
    expect(events.map(({ type }) => type)).to.deep.equal(['automation.step_webhook']);
    const later = Date.now() + 24 * 3_600_000;
    for (const { eraseAt } of events) expect(eraseAt?.getTime()).to.be.lessThan(later);
    await expectRecount(stage.environment, automation.id);
  });
});
