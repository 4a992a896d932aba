// Promise: who left is not mailed.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { messageIdOf } from '../../core/mail/compose/links.ts';
import { mailLocalPart, unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { engagementOf, refOf, sentMessage, storedMessage } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';

const HOST = 'mail.example.com';

/** `names`: the report says who complained, so that of several recipients only that one is suppressed. */
const reports = [
  { loop: 'rfc5965-full', names: true },
  { loop: 'aol', names: false },
  { loop: 'yahoo', names: true },
  { loop: 'jmrp', names: true },
  { loop: 'jmrp-arf', names: true },
];

describe('Complaints as feedback loops report them', () => {
  let environment: Environment;
  let door: Door;
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: HOST });
    door = await openDoor(environment);
  });
  after(async () => {
    await door.server.close();
    await environment.stop();
  });

  const suppressionsOf = async (email: string) =>
    (await environment.deps.db.suppressions.find({ projectId: environment.own.project._id, email }).toArray()).map(
      ({ isGlobal, reason }) => ({ isGlobal, reason }),
    );

  /** `proof`: what a stranger cannot write, the signed addresses and link of the mail. A mail to several has its return path alone. */
  async function bring(
    loop: string,
    message: Message,
    { to = `fbl@${HOST}`, recipient = message.email, proof = true } = {},
  ) {
    const { config } = environment.deps;
    const link = unsubscribeToken(config, { ...refOf(message), groupId: null, email: message.email });
    const signed = (kind: 'b' | 'u') => `${mailLocalPart(config, kind, refOf(message))}@${HOST}`;
    const values: Record<string, string> = {
      ...{ to, recipient, messageId: messageIdOf({ messageId: message._id }, 'example.com') },
      ...{
        returnPath: proof ? signed('b') : 'news@example.com',
        unsubscribe: proof && !message.recipients ? signed('u') : 'u@example.com',
      },
      link: proof && !message.recipients ? `https://t.example.com/u/${link}` : 'https://t.example.com/u/x',
    };
    const raw = readFileSync(new URL(`../fixtures/inbound/complaints/${loop}.eml`, import.meta.url), 'utf8').replace(
      /\{\{(\w+)\}\}/g,
      (_, name: string) => values[name]!,
    );
    return (await door.send({ from: 'staff@isp.example.net', to, raw })).data;
  }

  async function toSeveral(): Promise<{ message: Message; second: string }> {
    const second = `second-${new ObjectId()}@example.org`;
    const open = { name: null, reply: null, reason: null, state: 'sent' as const };
    const email = `first-${new ObjectId()}@example.org`;
    const recipients = [
      { ...open, kind: 'to' as const, email },
      { ...open, kind: 'cc' as const, email: second },
    ];
    return {
      message: await sentMessage(environment, environment.own, { lane: 'transactional', email, recipients }),
      second,
    };
  }

  for (const { loop, names } of reports) {
    it(`The report of ${loop} suppresses the person everywhere in the project, and marks the mail.`, async () => {
      const message = await sentMessage(environment, environment.own);
      expect(await bring(loop, message)).to.match(/^250/);
      expect(await suppressionsOf(message.email)).to.deep.equal([{ isGlobal: true, reason: 'COMPLAINT' }]);
      expect((await engagementOf(environment, message))?.complainedAt).to.be.instanceOf(Date);
      expect((await storedMessage(environment, message))?.state).to.equal('sent');
    });

    it(`The report of ${loop} without a signed trace of its mail suppresses no address.`, async () => {
      const message = await sentMessage(environment, environment.own);
      expect(await bring(loop, message, { proof: false })).to.match(/^250/);
      expect(await suppressionsOf(message.email)).to.deep.equal([]);
    });

    it(`The report of ${loop} on a mail to several suppresses ${names ? 'the one it names' : 'no one, since it names none'}.`, async () => {
      const { message, second } = await toSeveral();
      await bring(loop, message, { recipient: second });
      expect(await suppressionsOf(message.email)).to.deep.equal([]);
      expect((await engagementOf(environment, message))?.complainedAt).to.be.instanceOf(Date);
      expect(await suppressionsOf(second)).to.have.length(names ? 1 : 0);
    });
  }

  it('The smallest report that the standard allows is proved by List-Unsubscribe in the mail it returns.', async () => {
    const message = await sentMessage(environment, environment.own);
    await bring('rfc5965-simple', message, { proof: false });
    expect(await suppressionsOf(message.email)).to.deep.equal([]);
    await bring('rfc5965-simple', message);
    expect(await suppressionsOf(message.email)).to.deep.equal([{ isGlobal: true, reason: 'COMPLAINT' }]);
  });

  it('A report on a signature that failed is no complaint.', async () => {
    const message = await sentMessage(environment, environment.own);
    expect(await bring('rfc6591-auth-failure', message)).to.match(/^250/);
    expect(await suppressionsOf(message.email)).to.deep.equal([]);
  });
});
