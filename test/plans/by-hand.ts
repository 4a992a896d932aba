import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { IdSet } from '../../core/base/work/id-set.ts';
import { leaveOut } from '../../core/campaigns/audience/leave-out.ts';
import { freezeAudience } from '../../core/campaigns/run/freeze.ts';
import { settleCampaignOrphans } from '../../core/campaigns/run/orphans.ts';
import { MailQueue } from '../../core/mail/deliver/mail-queue.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import { findMail } from '../../core/mail/ledger/blocks/find-mail.ts';
import { recipientId } from '../../core/mail/ledger/blocks/recipient-id.ts';
import { claimMessages } from '../../core/mail/ledger/claim.ts';
import type { Claimed } from '../../core/mail/ledger/ledger.ts';
import { renewLeases } from '../../core/mail/ledger/renew.ts';
import { HTML, openHands, SENDER, type Stage } from '../campaigns/support.ts';
import { BROWSER } from '../feedback/support.ts';
import { until } from '../support/wait.ts';
import { type Aside, openAside } from './aside.ts';
import { make } from './lanes.ts';

type Hands = ReturnType<typeof openHands>;

interface Scene {
  stage: Stage;
  aside: Aside;
  projectId: ObjectId;
  /** A process that loses its claims while the relay has their mail. */
  dying: Hands;
  /** A process that settles them. */
  other: Hands;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERYTHING = { fromSeq: 0, toSeq: Number.MAX_SAFE_INTEGER };
/** The sink answers when it is let, after the process has lost its claim. */
const LATE = 'answer-later';
const CONTENT = { from: { email: SENDER }, subject: 'Hi', html: HTML };

/**
 * Events that are rare or take days, step by step and without Temporal: the clock is set forward, and a process counts as dead when its
 * leases are ended.
 */
export async function runByHand(stage: Stage): Promise<Array<Record<string, string>>> {
  const aside = await openAside(stage.deps);
  const [dying, other] = [openHands(stage), openHands(stage, { smtpEvidenceDelaySeconds: 0 })];
  const scene = { stage, aside, dying, other, projectId: stage.own.project._id };
  try {
    await releaseGradually(scene);
    await releaseByZone(scene);
    await interrupt(scene);
    await takeOverMails(scene);
    await takeOverRows(scene);
    await schedule(scene);
    const campaignId = await takeOverBlocks(scene);
    await sendAgain(scene, campaignId);
    return [{ campaignId }, await sendHalf(scene)];
  } finally {
    await Promise.all([dying.stop(), other.stop(), aside.close()]);
  }
}

/** A campaign with its audience: two recipients are answered late, and the connection of a third one is lost after the dot. */
async function frozen({ stage, other }: Scene, name: string, fields: object = {}): Promise<string> {
  const kinds = [LATE, LATE, 'drop-after-dot'];
  const toLists = [await stage.list(12, (n) => `${kinds[n] ?? 'quick'}+${name}${n}@in.test`)];
  const id = await stage.launch({ toLists, ...fields });
  expect((await other.advance(id)).kind).to.equal('freeze');
  await other.freeze(id);
  return id;
}

async function releaseGradually({ stage, other }: Scene): Promise<void> {
  const { clock } = stage.environment;
  const gradual = { emailsPerDay: 24, growth: '1.5x', timezone: 'Europe/Berlin' };
  // More than three days release, so that it waits at every hour of the day.
  const toLists = [await stage.list(120, (n) => `g${n}@in.test`)];
  const { body } = await stage.create({ publish: true, gradual, toLists });
  const id = body.data.id as string;
  for (const hours of [0, 4, 24]) {
    clock.advance(hours * HOUR_MS);
    expect((await other.drive(id)).kind).to.equal('wait');
  }
  clock.set(new Date());
  expect((await stage.act(id, 'abort')).status).to.equal(200);
  await other.drive(id);
}

/** Three zones, one after the other; people who wait are looked for by address and by contact, and one is deleted. */
async function releaseByZone({ stage, other, aside, projectId }: Scene): Promise<void> {
  const { environment, own, deps } = stage;
  const { clock } = environment;
  await environment.client(own.adminKey).patch(`/account/projects/${projectId}`, { timezoneProperty: 'home' });
  const toLists = [await stage.list(12, (n) => `z${n}@in.test`)];
  const homes = ['Asia/Tokyo', 'Europe/Berlin', 'Mars/Crater'];
  for (const [at, home] of homes.entries())
    await aside.db.contacts.updateMany(
      { projectId, email: { $in: Array.from({ length: 4 }, (_, n) => `z${at * 4 + n}@in.test`) } },
      { $set: { contactProperties: { home } } },
    );
  const noonMs = Math.ceil(Date.now() / DAY_MS + 1) * DAY_MS + DAY_MS / 2;
  const date = new Date(noonMs).toISOString().slice(0, 10);
  const localTime = { date, time: '12:00', fallbackTimezone: 'America/New_York', late: 'now' };
  const { body } = await stage.create({ toLists, localTime });
  const id = body.data.id as string;
  await own.client.post('/campaigns/audience', { toLists, localTime });
  clock.set(new Date(noonMs - 14 * HOUR_MS));
  expect((await other.advance(id)).kind).to.equal('freeze');
  await other.freeze(id);
  const { _id, freeze } = await stage.stored(id);
  expect(freeze?.releases).to.have.length(3);
  clock.set(new Date(noonMs - 9 * HOUR_MS));
  expect((await other.drive(id)).kind).to.equal('wait');
  const contactId = (await aside.db.contacts.findOne({ projectId, email: 'z8@in.test' }))!._id;
  await own.client.get(`/emails?campaignId=${id}&email=${encodeURIComponent('z5@in.test')}`);
  await own.client.get(`/campaigns/${id}/recipients`);
  await findMail(deps, { projectId, messageId: recipientId(freeze!.at, _id, contactId) });
  await own.client.delete(`/contacts/${contactId}`);
  expect((await stage.progress(id)).zones).to.have.length(3);
  clock.set(new Date());
  expect((await stage.act(id, 'abort')).status).to.equal(200);
  await other.drive(id);
}

/** A freeze that is stopped, a relay that is down, a contact that is deleted before its mail, a pause while mail is in flight. */
async function interrupt(scene: Scene): Promise<void> {
  const { stage, other, aside, projectId } = scene;
  const toLists = [await stage.list(80, (n) => `s${n}@in.test`)];
  const excludeLists = [await stage.list(1, () => 's1@in.test')];
  await make(stage, '/suppression-groups/emails/suppress', { emails: ['s2@in.test'], isGlobal: true });
  const id = await stage.launch({ toLists, excludeLists });
  await other.advance(id);
  const stop = new AbortController();
  await freezeAudience(stage.deps, await stage.stored(id), { signal: stop.signal, onProgress: () => stop.abort() });
  await leaveOutSuppressed(scene, id);
  await other.freeze(id);
  await stage.sink.refuse();
  await other.page(id, EVERYTHING, 300).finally(() => stage.sink.listen());
  const contact = await aside.db.contacts.findOne({ projectId, email: 's79@in.test' });
  await stage.own.client.delete(`/contacts/${contact?._id}`);
  stage.sink.modes.ackDelayMs = 50;
  const page = other.page(id, { ...EVERYTHING, toSeq: 70 });
  await stage.untilSent(id, 1);
  expect((await stage.act(id, 'pause')).status).to.equal(200);
  await page;
  stage.sink.modes.ackDelayMs = 0;
  await stage.act(id, 'resume');
  await other.drive(id);
}

/** A suppressed contact joined an excluded list while the audience was written. */
async function leaveOutSuppressed({ stage, aside, projectId }: Scene, id: string): Promise<void> {
  const { _id, freeze } = await stage.stored(id);
  const contact = await aside.db.contacts.findOne({ projectId, email: 's2@in.test' });
  const leaving = new IdSet();
  leaving.add(contact!._id);
  const attempt = { campaign: { _id, projectId }, at: freeze!.at, run: freeze!.run! };
  await leaveOut(stage.deps, { attempt, read: { releases: null, holdOut: 0 } }, leaving, () => {});
}

/** Mail of the transactional lane: the relay answers after another process has settled it. */
async function takeOverMails(scene: Scene): Promise<void> {
  const { stage, dying, other, aside, projectId } = scene;
  const send = (name: string) => make(stage, '/mails/send', { ...CONTENT, to: { email: `${LATE}+${name}@in.test` } });
  const settled = [
    { evidence: { isKnown: true, accepted: async () => true } },
    { evidence: { isKnown: false, accepted: async () => false } },
    // The journal is on another machine, and is waited for.
    { dots: { ...stage.deps.dots, read: async () => null }, endedMs: 1_000 },
  ];
  for (const [n, { endedMs, ...parts }] of settled.entries()) {
    await send(`m${n}`);
    const answer = holdAnswers(stage);
    const taken = await new MailQueue(dying.sending, 'transactional').take(projectId, 10);
    const running = Promise.all(taken.runs.map((run) => run()));
    await dotWritten(() => [...dying.sending.ledger.held.values()]);
    await renewLeases(dying.sending.deps, dying.sending.ledger);
    await aside.endLeases(projectId, endedMs);
    const living = { ...other.sending, deps: { ...other.sending.deps, ...parts } };
    const { runs } = await new MailQueue(living, 'transactional').take(projectId, 10);
    await Promise.all(runs.map((run) => run()));
    await renewLeases(dying.sending.deps, dying.sending.ledger);
    answer();
    await running;
  }
  await claimInPart(scene);
}

/** One of two mails cannot be claimed, so the claim is read back. */
async function claimInPart({ stage, dying, aside, projectId }: Scene): Promise<void> {
  const { emailId } = await make(stage, '/mails/send', { ...CONTENT, to: { email: 'part@in.test' } });
  const ids = [new ObjectId(emailId as string), new ObjectId()];
  const { held } = await claimMessages(dying.sending.deps, dying.sending.ledger, { projectId, ids, due: true });
  expect(held).to.have.length(1);
  dying.sending.ledger.held.clear();
  await aside.endLeases(projectId);
}

/** Scheduled mail: given another time, cancelled, and to contacts that are deleted. */
async function schedule({ stage }: Scene): Promise<void> {
  const scheduledAt = new Date(Date.now() + HOUR_MS).toISOString();
  const { client } = stage.own;
  const people: string[] = [];
  for (const name of ['to', 'copy']) people.push((await make(stage, '/contacts', { email: `${name}@later.test` })).id);
  const cc = [{ email: 'copy@later.test' }, { email: 'other@later.test' }];
  const mail = { ...CONTENT, cc, scheduledAt };
  const single = await make(stage, '/mails/send', { ...mail, to: { email: 'to@later.test' } });
  await make(stage, '/mails/send', { ...mail, to: { email: 'stays@later.test' } });
  const { groupId } = await make(stage, '/suppression-groups', { name: 'Later' });
  const copies = await make(stage, '/mails/send', {
    ...mail,
    unsubscribeGroupId: groupId,
    to: { email: 'stays@later.test' },
  });
  await client.patch(`/emails/${copies.emailId}`, { scheduledAt: new Date(Date.now() + 2 * HOUR_MS).toISOString() });
  await client.patch(`/emails/${single.emailId}`, { scheduledAt: new Date(Date.now() + 2 * HOUR_MS).toISOString() });
  for (const id of people) expect((await client.delete(`/contacts/${id}`)).status).to.equal(200);
  await client.post(`/emails/${copies.emailId}/cancel`);
}

/** Deferred recipients of a campaign, which are in rows. */
async function takeOverRows(scene: Scene): Promise<void> {
  const { stage, dying, other, aside, projectId } = scene;
  const id = await frozen(scene, 'r');
  stage.sink.modes.mailReply = '451 4.7.1 later\r\n';
  expect((await other.drive(id)).kind).to.equal('wait');
  stage.sink.modes.mailReply = null;
  await aside.makeDue(projectId);
  const answer = holdAnswers(stage);
  const range = dying.page(id, { ...EVERYTHING, isDeferred: true });
  await dotWritten(() => [...dying.sending.ledger.held.values()]);
  await aside.endLeases(projectId);
  const evidence = { isKnown: true, accepted: async () => true };
  await settleCampaignOrphans({ ...other.sending.deps, evidence }, await stage.stored(id));
  await other.advance(id);
  answer();
  await range;
  await other.drive(id);
}

/** Recipients of a campaign in blocks. Returns the campaign; some of its mail is `unknown`. */
async function takeOverBlocks(scene: Scene): Promise<string> {
  const { stage, dying, other, aside, projectId } = scene;
  const id = await frozen(scene, 'b', { htmlTemplate: `${HTML}<p>{{lastName}}</p>` });
  const answer = holdAnswers(stage);
  const range = dying.page(id, EVERYTHING);
  const held = () => [...dying.sending.ledger.blocks.values()].flatMap(({ recipients }) => recipients);
  await dotWritten(held);
  for (const { _id } of held()) await findMail(stage.deps, { projectId, messageId: _id });
  const email = encodeURIComponent(`${LATE}+b0@in.test`);
  for (const path of [`/campaigns/${id}/recipients`, `/emails?campaignId=${id}&email=${email}`])
    await stage.own.client.get(path);
  await renewLeases(dying.sending.deps, dying.sending.ledger);
  await aside.endLeases(projectId);
  await other.advance(id);
  await renewLeases(dying.sending.deps, dying.sending.ledger);
  answer();
  await range;
  await other.drive(id);
  return id;
}

function dotWritten(held: () => Claimed[]): Promise<unknown> {
  return until(
    async () => held().some((one) => one.dotWritten),
    (isWritten) => isWritten,
    { everyMs: 5 },
  );
}

/** Of the sink, to mail for `LATE`, until the returned function is called. */
function holdAnswers({ sink }: Stage): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  sink.modes.later = promise;
  return resolve;
}

/** A retry, and a campaign to the people who did not open the first one. */
async function sendAgain({ stage, other, aside, projectId }: Scene, campaignId: string): Promise<void> {
  await stage.act(campaignId, 'retry', { states: ['unknown', 'failed'] });
  await other.drive(campaignId);
  const message = await aside.db.messages.findOne({ projectId, email: 'quick+b3@in.test', state: 'sent' });
  if (!message) throw new Error('nothing was sent');
  const signal = { projectId, messageId: message._id, at: new Date(Date.now() + 60_000), agent: BROWSER };
  await writeSignals(stage.deps, [
    { kind: 'open', ...signal, purpose: '', method: 'GET' },
    { kind: 'click', ...signal, url: 'https://shop.example.com/sale' },
  ]);
  const { body } = await stage.act(campaignId, 'duplicate', { to: 'notOpened' });
  const id = body.data.id as string;
  await stage.own.client.patch(`/campaigns/${id}`, { publish: true, sendNow: true });
  await other.drive(id);
  await stage.own.client.delete(`/contacts/${message.contactId}`);
}

/** A paused campaign, most of whose recipients are in blocks. */
async function sendHalf(scene: Scene): Promise<Record<string, string>> {
  const { stage, other, aside, projectId } = scene;
  const id = await frozen(scene, 'h');
  await other.page(id, { ...EVERYTHING, toSeq: 5 });
  expect((await stage.act(id, 'pause')).status).to.equal(200);
  const email = 'quick+h9@in.test';
  const contact = await aside.db.contacts.findOne({ projectId, email });
  return { campaignId: id, contactId: `${contact?._id}`, email };
}
