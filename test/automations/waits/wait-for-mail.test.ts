import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { messageIdOf } from '../../../core/mail/compose/links.ts';
import { type Signal, writeSignals } from '../../../core/mail/feedback/engagements.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { BROWSER, receivingDomain } from '../../feedback/support.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { type Door, openDoor } from '../../support/mail/inbound-door.ts';
import { until } from '../../support/wait.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { activeAutomation, created, email, makeSending, refusal, simple, wait } from '../support.ts';

const PREFETCHER =
  'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0 Safari/537.36 Edge/12.246 Mozilla/5.0';
const timeout = { value: 2, unit: 'days' };
const offer = 'https://example.com/offer';
const waitFor = (event: object, more: object = {}) => ({
  ...{ type: 'wait_event', stepId: 'w', nextStepId: 'thanks', timeoutStepId: 'remind' },
  waitEvent: { emailStepId: 'first', timeout, ...event },
  ...more,
});
const ends = [email('thanks', { nextStepId: 'done' }), email('remind'), { type: 'exit', stepId: 'done' }];
const beginning = [wait(0, 'days', { stepId: 'begin' }), email('first')];
const stepsWith = (...waits: object[]) => [...beginning, ...waits, ...ends];

describe('A wait for an act on a mail', () => {
  let env: Environment;
  let stage: AutomationStage;
  let door: Door;
  before(async () => {
    env = await startEnvironment({
      ENROLL_PER_SECOND: '1000',
      MAIL_HOST: 'mail.example.com',
      DNS_SERVERS: '127.0.0.1:9',
    });
    await makeSending(env.deps, env.own);
    stage = await openAutomationStage(env);
    door = await openDoor(env);
  });
  after(async () => {
    await door.server.close();
    await stage.stop();
    await env.stop();
  });
  beforeEach(() => stage.onWait(async () => 'stay'));
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: { $in: ['active', 'paused'] } }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  const stored = async (id: string, contactId: string) =>
    (await env.deps.db.enrollments.findOne({
      automationId: new ObjectId(id),
      contactId: new ObjectId(contactId),
    })) as Enrollment;
  const at = (id: string, contactId: string, stepId: string) =>
    until(
      () => stored(id, contactId),
      (one) => one?.stepId === stepId && one.waitUntil !== null && one.dueAt === undefined,
    );
  const ended = (id: string, contactId: string) =>
    until(
      () => stored(id, contactId),
      (one) => one?.endedAt != null,
    );
  const stepsOf = ({ history }: Enrollment) =>
    history.map(({ type, stepId }) => (stepId ? `${type} ${stepId}` : type)).slice(1);
  /** A new person who waits at that step, and the first mail to them, delivered. */
  async function personAt(id: string, stepId = 'w') {
    const { id: contactId } = await created(env.own.client, '/contacts', { email: `${new ObjectId()}@example.com` });
    await at(id, contactId, stepId);
    const mail = (await env.deps.db.messages.findOneAndUpdate(
      { projectId: env.own.project._id, contactId: new ObjectId(contactId), automationId: new ObjectId(id) },
      { $set: { state: 'sent', sentAt: new Date(env.clock.now().getTime() - 60_000) }, $unset: { dueAt: '' } },
      { returnDocument: 'after' },
    )) as Message;
    return { contactId, mail };
  }
  const signal = (
    { _id: messageId, projectId }: Message,
    act: { kind: 'open' | 'click'; agent?: string; url?: string },
  ) => {
    const { kind, agent = BROWSER, url = offer } = act;
    const any = { projectId, messageId, at: env.clock.now(), agent };
    const one: Signal = kind === 'open' ? { ...any, kind, purpose: '', method: 'GET' } : { ...any, kind, url };
    return writeSignals(env.deps, [one]);
  };
  const HEARD = ['heard w', 'email thanks', 'exited done'];
  const look = ({ projectId, _id: enrollmentId, waitUntil }: Enrollment) =>
    advanceEnrollment(env.deps, { projectId, enrollmentId }, Number(waitUntil));

  it('names an email step that leads to it, and is refused otherwise', async () => {
    const opened = { eventName: 'email.opened' };
    const { steps } = await created(env.own.client, '/automations', { ...simple, steps: stepsWith(waitFor(opened)) });
    expect(steps[2].waitEvent).to.deep.equal({ ...opened, emailStepId: 'first', timeout, since: 'entry' });
    const cases: Array<[object, string, string]> = [
      [{ ...opened, emailStepId: 'thanks' }, 'INVALID_STEP_SEQUENCE', 'must name an email step that leads here'],
      [{ ...opened, emailStepId: 'begin' }, 'INVALID_STEP_SEQUENCE', 'must name an email step that leads here'],
      [{ ...opened, emailStepId: 'gone' }, 'INVALID_STEP_SEQUENCE', 'must name an email step that leads here'],
      [{ ...opened, emailStepId: undefined }, 'VALIDATION_ERROR', 'emailStepId: is required for email.opened'],
      [{ ...opened, url: offer }, 'VALIDATION_ERROR', 'url: belongs to email.clicked'],
      [{ ...opened, since: 'step' }, 'VALIDATION_ERROR', 'since: must be entry'],
      [{ eventName: 'bought' }, 'VALIDATION_ERROR', 'emailStepId: belongs to email.opened'],
      [{ eventName: 'email.bounced' }, 'VALIDATION_ERROR', 'eventName: must be'],
    ];
    for (const [event, code, details] of cases) {
      const given = { ...simple, steps: stepsWith(waitFor(event)) };
      const fault = refusal(await env.own.client.post('/automations', given));
      expect([fault.status, fault.code], details).to.deep.equal([400, code]);
      expect(fault.details).to.include('steps/2/waitEvent/').and.to.include(details);
    }
  });

  it('ends when a person opens it, not a machine, and not another mail', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: stepsWith(waitFor({ eventName: 'email.opened' })) });
    const { id: other } = await activeAutomation(env.own.client, { steps: beginning });
    const [ann, bob] = [await personAt(id), await personAt(id)];
    const mails = await env.deps.db.messages.find({ automationId: new ObjectId(other) }).toArray();
    for (const mail of mails) await signal(mail, { kind: 'open' });
    await signal(bob.mail, { kind: 'open', agent: PREFETCHER });
    await signal(bob.mail, { kind: 'click' });
    await signal(ann.mail, { kind: 'open' });
    expect(stepsOf(await ended(id, ann.contactId)).slice(-3)).to.deep.equal(HEARD);
    const still = await stored(id, bob.contactId);
    expect(still).to.not.have.any.keys('heard', 'asked');
    await signal(bob.mail, { kind: 'open' });
    await ended(id, bob.contactId);
  });

  it('ends when a person clicks the link that it names, not a scanner', async () => {
    const clicked = waitFor({ eventName: 'email.clicked', url: offer });
    const { id } = await activeAutomation(env.own.client, { steps: stepsWith(clicked) });
    const { contactId, mail } = await personAt(id);
    await signal(mail, { kind: 'click', url: 'https://example.com/else' });
    await signal(mail, { kind: 'click', agent: 'Barracuda Sentinel (EE)' });
    expect(await stored(id, contactId)).to.not.have.any.keys('heard', 'asked');
    await signal(mail, { kind: 'click' });
    const person = await ended(id, contactId);
    expect(stepsOf(person).slice(-3)).to.deep.equal(HEARD);
    expect(person.history.find(({ type }) => type === 'heard')?.rule).to.equal('email.clicked of first');
  });

  it('ends when the person answers, not a program', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: stepsWith(waitFor({ eventName: 'email.replied' })),
    });
    const domainName = await receivingDomain(env, env.own);
    const [ann, bob] = [await personAt(id), await personAt(id)];
    const answer = ({ _id: messageId }: Message, more: string[]) => {
      const names = [
        `Message-ID: <${new ObjectId()}@example.net>`,
        `In-Reply-To: <${messageIdOf({ messageId }, domainName)}>`,
      ];
      const raw = ['From: ada@example.net', `To: news@${domainName}`, 'Subject: Re', ...names, ...more, '', 'Yes', ''];
      return door.send({ from: 'ada@example.net', to: `news@${domainName}`, raw: raw.join('\r\n') });
    };
    expect((await answer(bob.mail, ['Auto-Submitted: auto-replied'])).data).to.match(/^250/);
    expect((await answer(ann.mail, [])).data).to.match(/^250/);
    expect(stepsOf(await ended(id, ann.contactId)).slice(-3)).to.deep.equal(HEARD);
    expect(await stored(id, bob.contactId)).to.not.have.any.keys('heard', 'asked');
  });

  it('counts an act from before it, for each later step that asks, and none after its end', async () => {
    const before = wait(1, 'days', { stepId: 'before' });
    const first = waitFor({ eventName: 'email.opened' }, { stepId: 'w1', nextStepId: 'w', timeoutStepId: 'w' });
    const { id } = await activeAutomation(env.own.client, {
      steps: stepsWith(before, first, waitFor({ eventName: 'email.opened' })),
    });
    const [early, late] = [await personAt(id, 'before'), await personAt(id, 'before')];
    await signal(early.mail, { kind: 'open' });
    const person = await stored(id, early.contactId);
    expect(person.heard?.map(({ stepId }) => stepId)).to.deep.equal(['w1', 'w']);
    expect(person).to.not.have.any.keys('asked', 'dueAt');
    await look(person);
    expect(stepsOf(await stored(id, early.contactId)).slice(-6)).to.deep.equal([
      'wait w1',
      'heard w1',
      'wait w',
      ...HEARD,
    ]);
    for (const stepId of ['before', 'w1', 'w']) {
      const one = await stored(id, late.contactId);
      expect(one.stepId).to.equal(stepId);
      await look(one);
    }
    await signal(late.mail, { kind: 'open' });
    expect(stepsOf(await stored(id, late.contactId)).slice(-4)).to.deep.equal([
      'wait w',
      'timed_out w',
      'email remind',
      'exited done',
    ]);
  });

  it('counts an open and a click from before a version that asks for them, of people who move to it', async () => {
    const after = wait(1, 'days', { stepId: 'after', nextStepId: 'done' });
    const end = { type: 'exit', stepId: 'done' };
    const opened = waitFor({ eventName: 'email.opened' });
    const clicked = waitFor({ eventName: 'email.clicked', url: offer });
    for (const [asks, kind] of [
      [opened, 'open'],
      [clicked, 'click'],
    ] as const) {
      const { id } = await activeAutomation(env.own.client, { steps: [...beginning, after, end] });
      const [ann, bob] = [await personAt(id, 'after'), await personAt(id, 'after')];
      await signal(ann.mail, { kind });
      await signal(bob.mail, kind === 'open' ? { kind, agent: PREFETCHER } : { kind, url: 'https://example.com/else' });
      const steps = stepsWith({ ...after, nextStepId: 'w' }, asks);
      await env.own.client.patch(`/automations/${id}`, { draft: true, steps });
      const published = await env.own.client.post(`/automations/${id}/publish`, { existing: 'move' });
      expect(published.status, published.text).to.equal(200);
      for (const { contactId } of [ann, bob]) await look(await at(id, contactId, 'after'));
      expect(stepsOf(await ended(id, ann.contactId)).slice(-3)).to.deep.equal(HEARD);
      expect(await at(id, bob.contactId, 'w')).to.not.have.property('heard');
    }
  });

  it('is simulated with acts that name the mail', async () => {
    const second = [wait(1, 'hours', { stepId: 'pause' }), email('second')];
    const steps = [...beginning, ...second, waitFor({ eventName: 'email.clicked', url: offer }), ...ends];
    const { id } = await activeAutomation(env.own.client, { steps });
    const from = '2030-01-01T08:00:00.000Z';
    const run = async (acts: object[]) => {
      const { data } = (await env.own.client.post(`/automations/${id}/simulate`, { from, acts })).body;
      return data.mails.map(({ stepId }: { stepId: string }) => stepId);
    };
    const click = { at: '2030-01-01T08:30:00.000Z', kind: 'clicks', url: offer };
    expect(await run([click])).to.deep.equal(['first', 'second', 'thanks']);
    expect(await run([{ ...click, at: '2030-01-01T10:00:00.000Z' }])).to.deep.equal(['first', 'second', 'remind']);
    const named = { ...click, at: '2030-01-01T10:00:00.000Z', stepId: 'first' };
    expect(await run([named])).to.deep.equal(['first', 'second', 'thanks']);
    expect(await run([{ ...named, kind: 'replies' }])).to.deep.equal(['first', 'second', 'remind']);
    expect(await run([{ ...named, url: 'https://example.com/else' }])).to.deep.equal(['first', 'second', 'remind']);
  });
});
