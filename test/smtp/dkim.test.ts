import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { compileMessage, composeMessage } from '../../core/mail/compose/mime/compose.ts';
import type { DkimKey, Signer } from '../../core/mail/ledger/relay.ts';
import { createSigner } from '../../platform/dkim/signer.ts';

/** Everything that a mailbox provider shows or acts on. */
const SIGNED = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
  'cfbl-address',
];

/** Relays and mailing lists add these themselves, so a second one does not break the signature. */
const ADDED_ON_THE_WAY = ['list-id', 'feedback-id', 'cfbl-address'];
const ONCE_MORE = SIGNED.filter((name) => !ADDED_ON_THE_WAY.includes(name));

const AT = new Date('2026-11-21T12:00:00Z');

interface TestKey extends DkimKey {
  record: string;
}

function makeKey(type: 'rsa' | 'ed25519', selector: string): TestKey {
  const { publicKey, privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const p = (type === 'rsa' ? spki : spki.subarray(-32)).toString('base64');
  return {
    domain: 'out.test',
    selector,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=${type}; p=${p}`,
  };
}

const rsa = makeKey('rsa', 'r1');
const ed25519 = makeKey('ed25519', 'e1');

/** Every header of the list. */
function fullMessage(body = 'Hello  \t there \r\n\r\n'): string {
  const skeleton = compileMessage({
    from: { email: 'news@out.test', name: 'Jürgen Groß' },
    cc: [{ email: 'cc@in.test', name: null }],
    replyTo: { email: 'reply@out.test', name: 'x'.repeat(90) },
    subject: ['Grüße '.repeat(30)],
    html: [`<p>${body}</p>`],
    text: [body],
    listId: 'g1.p1.out.test',
    feedbackId: 'c1:p1:campaign:everpost',
    inReplyTo: '<1@x.test>',
    references: '<0@x.test> <1@x.test>',
    headers: { 'X-Unsigned': 'one' },
    boundary: 'abc',
  });
  const message = composeMessage(skeleton, {
    to: [{ email: 'anna@in.test', name: 'Anna' }],
    messageId: '1@out.test',
    date: AT,
    unsubscribe: { url: 'https://t.test/u/TOKEN', mailto: 'u+TOKEN@in.test' },
  });
  return `CFBL-Address: fbl@out.test; report=arf\r\nContent-Transfer-Encoding: 7bit\r\n${message}`;
}

async function verify(message: string): Promise<string[]> {
  const resolver = async (name: string) => {
    const key = [rsa, ed25519].find(({ selector }) => name === `${selector}._domainkey.out.test`);
    return key ? [[key.record]] : [];
  };
  const { results } = await dkimVerify(Buffer.from(message, 'latin1'), { resolver });
  return results.map(({ status }: { status: { result: string } }) => status.result);
}

/** The same message with one header's value changed. */
function alter(message: string, name: string): string {
  const altered = message.replace(new RegExp(`^(${name}: )`, 'im'), '$1x');
  expect(altered, name).not.to.equal(message);
  return altered;
}

describe('DKIM signatures', () => {
  let signer: Signer;
  before(() => {
    signer = createSigner(2);
  });
  after(() => signer.close());

  it('by RSA and by Ed25519 are valid for another implementation, one or both', async () => {
    for (const keys of [[rsa], [ed25519], [rsa, ed25519]]) {
      const signature = signer.signNow(fullMessage(), keys, AT);
      expect(await verify(signature + fullMessage())).to.deep.equal(keys.map(() => 'pass'));
      for (const line of signature.split('\r\n')) expect(line.length).to.be.at.most(90);
    }
  });

  it('hold for bodies of every shape', async () => {
    for (const body of [
      '',
      '\r\n',
      '\r\n\r\n\r\n',
      ' ',
      'a \t b\t\r\n \r\n',
      'a\t\tb  c\t \td \r\ne',
      'no line end',
      'x'.repeat(5_000),
      '.\r\n..\r\n',
    ]) {
      const message = `From: a@out.test\r\nSubject: x\r\n\r\n${body}`;
      expect(await verify(signer.signNow(message, [rsa], AT) + message), JSON.stringify(body)).to.deep.equal(['pass']);
    }
  });

  it('survive what relaxed allows: folding, case of names, white space', async () => {
    const message = fullMessage();
    const signed =
      signer.signNow(message, [rsa, ed25519], AT) +
      message.replace('Message-ID: ', 'message-id:\r\n   ').replace('Feedback-ID: ', 'FEEDBACK-ID:  \t');
    expect(await verify(signed)).to.deep.equal(['pass', 'pass']);
  });

  it('name each header once more than it is there, but those that are added on the way', () => {
    const h = /\sh=([^;]*);/
      .exec(signer.signNow(fullMessage(), [rsa], AT))![1]!
      .replace(/\s/g, '')
      .split(':');
    expect(h.toSorted()).to.deep.equal([...SIGNED, ...ONCE_MORE].toSorted());
  });

  it('are valid with several lines of one name, of which none can be taken away', async () => {
    const message = `From: a@out.test\r\nReferences: <1@x.test>\r\nReferences: <2@x.test>\r\n\r\nHello\r\n`;
    const signature = signer.signNow(message, [rsa, ed25519], AT);
    expect(await verify(signature + message)).to.deep.equal(['pass', 'pass']);
    for (const line of ['References: <1@x.test>\r\n', 'References: <2@x.test>\r\n'])
      expect(await verify(signature + message.replace(line, ''))).not.to.include('pass');
  });

  for (const name of ONCE_MORE.filter((name) => name !== 'from'))
    it(`break when a second ${name} is put above the first, or one into a message that has none`, async () => {
      const second = name === 'date' ? 'Sat, 21 Nov 2026 12:00:01 +0000' : 'multipart/mixed; boundary=evil';
      for (const message of [fullMessage(), 'From: a@out.test\r\n\r\nHello\r\n']) {
        const signature = signer.signNow(message, [rsa, ed25519], AT);
        expect(await verify(signature + message)).to.deep.equal(['pass', 'pass']);
        expect(await verify(`${name}: ${second}\r\n${signature}${message}`)).not.to.include('pass');
      }
    });

  for (const name of SIGNED)
    it(`break when ${name} is altered or added again`, async () => {
      const message = fullMessage();
      const signature = signer.signNow(message, [rsa, ed25519], AT);
      expect(await verify(signature + alter(message, name))).not.to.include('pass');
      if (name === 'from')
        expect(await verify(`${signature}From: evil@evil.test\r\n${message}`)).not.to.include('pass');
    });

  it('break with the body, and do not cover what is not in the list', async () => {
    const message = fullMessage();
    const signature = signer.signNow(message, [rsa], AT);
    expect(await verify(signature + message.replace('Hello', 'Hallo'))).not.to.include('pass');
    expect(await verify(`${signature}${message}more\r\n`)).not.to.include('pass');
    expect(await verify(signature + alter(message, 'X-Unsigned'))).to.deep.equal(['pass']);
  });

  it('are the same from the threads, for each message its own', async () => {
    const messages = Array.from({ length: 100 }, (_, index) => fullMessage(`Hello ${index}`));
    const signatures = await Promise.all(messages.map((message) => signer.sign(message, [ed25519, rsa], AT)));
    for (const [index, message] of messages.entries())
      expect(signatures[index]).to.equal(signer.signNow(message, [ed25519, rsa], AT));
    expect(await verify(signatures[99]! + messages[99])).to.deep.equal(['pass', 'pass']);
  });

  it('that cannot be made fail alone', async () => {
    const broken = { ...rsa, privateKey: 'no key' };
    const [bad, good] = await Promise.allSettled([
      signer.sign(fullMessage(), [broken], AT),
      signer.sign(fullMessage(), [rsa], AT),
    ]);
    expect(bad.status).to.equal('rejected');
    expect(good.status).to.equal('fulfilled');
    expect(await signer.sign(fullMessage(), [], AT)).to.equal('');
  });

  it('asked of a closed signer are refused, also those on their way', async () => {
    const other = createSigner(1);
    const pending = Promise.allSettled([other.sign(fullMessage(), [rsa], AT)]);
    await other.close();
    expect((await pending)[0]?.status).to.equal('rejected');
    expect((await Promise.allSettled([other.sign(fullMessage(), [rsa], AT)]))[0]?.status).to.equal('rejected');
  });
});
