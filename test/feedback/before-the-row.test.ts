// Promise: nothing is lost.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { clickToken, mailLocalPart, openToken, unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { BUFFERED_MAX, bufferedSignals, bufferSignal, drainSignals } from '../../core/mail/feedback/buffer.ts';
import { findMail } from '../../core/mail/ledger/blocks/find-mail.ts';
import { classifyReply } from '../../core/mail/ledger/rules/bounces.ts';
import { followBounce } from '../../core/mail/messages/after-outcomes.ts';
import { returnedMails } from '../fixtures/inbound/mails.ts';
import { type ClaimedBlock, claimedBlock, closeClaim } from '../outbox/blocks.ts';
import type { Client } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';
import { BROWSER } from './support.ts';

const HOST = 'mail.example.com';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('Feedback before the recipient has a row', () => {
  const environment = useEnvironment({ MAIL_HOST: HOST, PUBLIC_RATE_LIMIT: '100000' });
  let door: Door;
  let visitor: Client;
  before(async () => {
    door = await openDoor(environment);
    visitor = environment.client(null, { 'User-Agent': BROWSER });
  });
  after(async () => {
    await door.server.close();
  });

  const config = () => environment.deps.config;
  const projectId = () => environment.own.project._id;
  const messages = () => environment.deps.db.messages;
  const fixture = (name: string) => returnedMails.find((mail) => mail.name === name)!.raw;
  const refOf = ({ ids }: ClaimedBlock, position: number) => ({
    projectId: projectId(),
    messageId: ids[position]!,
  });
  const addressOf = (block: ClaimedBlock, position: number, kind: 'b' | 'u') =>
    `${mailLocalPart(config(), kind, refOf(block, position))}@${HOST}`;
  const bounce = async (block: ClaimedBlock, position: number) =>
    (await door.send({ to: addressOf(block, position, 'b'), raw: fixture('Postfix, no such user') })).data;
  const entries = (email: string) => environment.deps.db.suppressions.find({ projectId: projectId(), email }).toArray();
  const engagement = (block: ClaimedBlock, position: number) =>
    environment.deps.db.engagements.findOne({ _id: block.ids[position]!, projectId: projectId() });
  const linkOf = (block: ClaimedBlock, position: number) =>
    unsubscribeToken(config(), {
      ...refOf(block, position),
      groupId: null,
      email: block.block.recipients[position]!.email,
    });

  it('A bounce is asked to come again, and counts when it does.', async () => {
    const block = await claimedBlock(environment);
    expect(await bounce(block, 2)).to.match(/^451/);
    await messages().insertOne(block.row(2));
    expect(await bounce(block, 2)).to.match(/^250/);
    expect((await messages().findOne({ _id: block.ids[2]!, projectId: projectId() }))?.state).to.equal('bounced');
  });

  it('In flight is only a recipient of an open claim of the project.', async () => {
    const block = await claimedBlock(environment, { from: 2, to: 5 });
    const at = (position: number) => findMail(environment.deps, refOf(block, position));
    for (const position of [2, 4]) expect(await at(position), `${position}`).to.equal('inFlight');
    for (const position of [1, 5]) expect(await at(position), `${position}`).to.equal('gone');
    const messageId = block.ids[3]!;
    const foreign = { projectId: environment.other.project._id, messageId };
    expect(await findMail(environment.deps, foreign)).to.equal('gone');
    await closeClaim(environment, block.claim);
    expect(await at(3)).to.equal('gone');
    expect(await bounce(block, 3)).to.match(/^250/);
  });

  it('A row that is written, and its claim closed, while the claims are read is found all the same.', async () => {
    const block = await claimedBlock(environment);
    const { db } = environment.deps;
    const late = async () => {
      await messages().insertOne(block.row(0));
      await closeClaim(environment, block.claim);
    };
    const slow = new Proxy(db, {
      get(target, name) {
        if (name !== 'campaignClaims') return Reflect.get(target, name);
        const find = (...given: Parameters<typeof db.campaignClaims.find>) => ({
          project: (fields: object) => ({
            toArray: async () => {
              await late();
              return db.campaignClaims
                .find(...given)
                .project(fields)
                .toArray();
            },
          }),
        });
        return { find };
      },
    });
    const found = await findMail({ db: slow }, refOf(block, 0));
    expect(found).to.have.property('state', 'sent');
  });

  it('A complaint whose link names the address suppresses it at once, and is counted when it comes again.', async () => {
    const block = await claimedBlock(environment);
    const { email } = block.block.recipients[1]!;
    const raw = fixture('a complaint, abuse').replace(
      'Subject: Our news of this week\r\n',
      `List-Unsubscribe: <https://t.example.com/u/${linkOf(block, 1)}>\r\nSubject: Our news\r\n`,
    );
    const complain = async () =>
      (await door.send({ from: 'abuse@isp.example.net', to: addressOf(block, 1, 'b'), raw })).data;
    expect(await complain()).to.match(/^451/);
    expect((await entries(email)).map(({ reason }) => reason)).to.deep.equal(['COMPLAINT']);
    await messages().insertOne(block.row(1));
    expect(await complain()).to.match(/^250/);
    expect((await engagement(block, 1))?.complainedAt).to.be.instanceOf(Date);
  });

  it('A complaint at the return path alone is asked to come again.', async () => {
    const block = await claimedBlock(environment);
    const { email } = block.block.recipients[1]!;
    const complain = async () =>
      (await door.send({ to: addressOf(block, 1, 'b'), raw: fixture('a complaint, abuse') })).data;
    expect(await complain()).to.match(/^451/);
    expect(await entries(email)).to.deep.equal([]);
    await messages().insertOne(block.row(1));
    expect(await complain()).to.match(/^250/);
    expect((await entries(email)).map(({ reason }) => reason)).to.deep.equal(['COMPLAINT']);
  });

  it('A mail to the address of List-Unsubscribe is asked to come again, and then unsubscribes.', async () => {
    const block = await claimedBlock(environment);
    const { email } = block.block.recipients[3]!;
    const to = addressOf(block, 3, 'u');
    const write = async () =>
      (await door.send({ from: email, to, raw: `From: ${email}\nTo: ${to}\nSubject: unsubscribe\n\n` })).data;
    expect(await write()).to.match(/^451/);
    expect(await entries(email)).to.deep.equal([]);
    await messages().insertOne(block.row(3));
    expect(await write()).to.match(/^250/);
    expect((await entries(email)).map(({ reason }) => reason)).to.deep.equal(['UNSUBSCRIBE']);
  });

  it('Opens, clicks and One-Click wait until the row is there, and an unsubscribe stops mail at once.', async () => {
    const block = await claimedBlock(environment);
    const { email } = block.block.recipients[4]!;
    const ref = refOf(block, 4);
    expect((await visitor.get(`/t/o/${openToken(config(), ref)}.gif`)).status).to.equal(200);
    expect((await visitor.get(`/t/c/${clickToken(config(), ref, 'https://shop.example.com/')}`)).status).to.equal(302);
    const body = 'List-Unsubscribe=One-Click';
    const left = await visitor.send('POST', `/u/${linkOf(block, 4)}`, { body, headers: FORM });
    expect(left.status).to.equal(200);
    expect((await entries(email)).map(({ reason }) => reason)).to.deep.equal(['UNSUBSCRIBE']);
    await until(
      async () => bufferedSignals(environment.deps).waiting,
      (waiting) => waiting === 3,
    );
    expect(await engagement(block, 4)).to.equal(null);
    await messages().insertOne(block.row(4));
    const found = await until(
      () => engagement(block, 4),
      (one) => one?.openCount === 1 && one.clickCount === 1 && one.unsubscribedAt !== undefined,
    );
    expect(found?.openCount).to.equal(1);
    await until(
      async () => bufferedSignals(environment.deps).waiting,
      (waiting) => waiting === 0,
    );
  });

  it('Signals of a mail that never gets a row leave the buffer when its claim is closed.', async () => {
    const block = await claimedBlock(environment);
    let looks = 0;
    const db = new Proxy(environment.deps.db, {
      get(target, name) {
        if (name === 'campaignClaims') looks += 1;
        return Reflect.get(target, name);
      },
    });
    const deps = { ...environment.deps, db };
    const signal = {
      kind: 'click' as const,
      ...refOf(block, 5),
      at: new Date(),
      url: 'https://a.example/',
      agent: 'a',
    };
    bufferSignal(deps, signal);
    await until(
      async () => looks,
      (count) => count === 2,
    );
    expect(bufferedSignals(deps).waiting).to.equal(1);
    await closeClaim(environment, block.claim);
    await until(
      async () => bufferedSignals(deps).waiting,
      (waiting) => waiting === 0,
    );
    expect(await engagement(block, 5)).to.equal(null);
  });

  it('Signals of mails in flight count towards the bound of the buffer.', async () => {
    const deps = { ...environment.deps, db: { ...environment.deps.db }, log: { ...environment.deps.log, warn() {} } };
    const block = await claimedBlock(environment);
    const click = { kind: 'click' as const, ...refOf(block, 6), at: new Date(), url: 'https://a.example/', agent: 'a' };
    for (let i = 0; i < BUFFERED_MAX + 5; i += 1) bufferSignal(deps, click);
    await until(
      async () => bufferedSignals(deps),
      ({ dropped }) => dropped === 0,
    );
    for (let i = 0; i < 5; i += 1) bufferSignal(deps, click);
    expect(bufferedSignals(deps)).to.deep.equal({ waiting: BUFFERED_MAX, dropped: 5 });
    await drainSignals(deps, 0);
  });

  it('The row of a bounce that is repeated does not count as a second bounce.', async () => {
    const block = await claimedBlock(environment);
    const email = `full-${new ObjectId()}@example.com`;
    const reply = { code: 550, enhanced: '5.2.2', text: 'mailbox full' };
    const classification = classifyReply({ ...reply, phase: 'dsn' });
    const bounced = { state: 'bounced' as const, email, reply, reason: classification.reason };
    await messages().insertMany([block.row(0, bounced), block.row(1, bounced)]);
    const again = (position: number) =>
      followBounce(environment.deps, block.row(position), { email, reply, classification });
    await again(1);
    expect(await entries(email)).to.deep.equal([]);
    await again(2);
    expect(await entries(email)).to.have.length(1);
  });
});
