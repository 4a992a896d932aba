import { createDecipheriv, createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import {
  clickToken,
  mailLocalPart,
  openToken,
  readClickToken,
  readMailLocalPart,
  readOpenToken,
  readUnsubscribeToken,
  unsubscribeToken,
} from '../../core/composing/tokens.ts';

const key = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`;
const config = { secretKeys: [key(1)] };
const ref = { projectId: new ObjectId(), messageId: new ObjectId() };
const person = { ...ref, groupId: 'AB12CD', email: 'ada@example.com' };
const target = 'https://shop.example/a%2Fb?x=1&y=ü#part';

describe('Links and addresses in a mail', () => {
  it('say which mail they belong to', () => {
    expect(readOpenToken(config, openToken(config, ref))).to.deep.equal(ref);
    expect(readClickToken(config, clickToken(config, ref, target))).to.deep.equal({ ...ref, target });
    expect(readUnsubscribeToken(config, unsubscribeToken(config, person))).to.deep.equal(person);
    const ungrouped = { ...person, groupId: null };
    expect(readUnsubscribeToken(config, unsubscribeToken(config, ungrouped))).to.deep.equal(ungrouped);
    for (const kind of ['b', 'u'] as const)
      expect(readMailLocalPart(config, mailLocalPart(config, kind, ref))).to.deep.equal({ kind, ...ref });
  });

  it('are the same for the same mail, and fit where they stand', () => {
    expect(unsubscribeToken(config, person)).to.equal(unsubscribeToken(config, person));
    expect(mailLocalPart(config, 'b', ref))
      .to.have.length.at.most(64)
      .and.match(/^b\+[a-z2-7]+-[0-9a-f]+$/);
    expect(readMailLocalPart(config, mailLocalPart(config, 'b', ref).toUpperCase())).to.not.equal(null);
  });

  it('are enciphered with AES-256-CTR, as any other library does it, where the counter overflows too', () => {
    const secret = Buffer.alloc(32, 1);
    const encryption = createHmac('sha256', secret).update('everpost unsubscribe encryption').digest();
    const links = createHmac('sha256', secret).update('everpost links').digest();
    let overflows = 0;
    for (let number = 0; number < 1_000; number++) {
      const one = { ...person, messageId: new ObjectId(), email: `${'a'.repeat(number % 300)}@example.com` };
      const token = Buffer.from(unsubscribeToken(config, one), 'base64url');
      const mac = token.subarray(0, 16);
      if ((mac[15] ?? 0) + Math.ceil((token.length - 16) / 16) > 256) overflows += 1;
      const plain = createDecipheriv('aes-256-ctr', encryption, mac).update(token.subarray(16));
      expect(plain.toString('utf8', 24)).to.equal(`AB12CD${one.email}`);
      const right = createHmac('sha256', links).update('unsubscribe\u0000').update(plain).digest();
      expect(mac.equals(right.subarray(0, 16))).to.equal(true);
    }
    expect(overflows).to.be.greaterThan(0);
  });

  it('hold no address that anybody could read', () => {
    const bytes = Buffer.from(unsubscribeToken(config, person), 'base64url').toString('latin1');
    expect(bytes).to.not.include('ada').and.not.include('example');
  });

  it('mean nothing when a single character is changed, cut off or added, or when they are used as another kind', () => {
    const kinds: Array<[string, (token: string) => unknown]> = [
      [openToken(config, ref), (token) => readOpenToken(config, token)],
      [clickToken(config, ref, target), (token) => readClickToken(config, token)],
      [unsubscribeToken(config, person), (token) => readUnsubscribeToken(config, token)],
      [mailLocalPart(config, 'b', ref), (token) => readMailLocalPart(config, token)],
    ];
    for (const [token, read] of kinds) {
      for (let at = 0; at < token.length; at++) {
        const other = token[at] === 'a' ? 'b' : 'a';
        expect(read(token.slice(0, at) + other + token.slice(at + 1)), `${token} at ${at}`).to.equal(null);
      }
      expect(read(token.slice(0, -1))).to.equal(null);
      expect(read(`${token}a`)).to.equal(null);
      for (const [, another] of kinds) if (another !== read) expect(another(token)).to.equal(null);
    }
  });

  it('survive a change of keys while the old one is named, and not longer', () => {
    const token = unsubscribeToken(config, person);
    expect(readUnsubscribeToken({ secretKeys: [key(2), key(1)] }, token)).to.deep.equal(person);
    expect(readUnsubscribeToken({ secretKeys: [key(2)] }, token)).to.equal(null);
    expect(readOpenToken({ secretKeys: [key(2)] }, openToken(config, ref))).to.equal(null);
  });

  it('never throw, whatever somebody asks with', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => {
        expect(readOpenToken(config, text)).to.equal(null);
        expect(readClickToken(config, text)).to.equal(null);
        expect(readUnsubscribeToken(config, text)).to.equal(null);
        expect(readMailLocalPart(config, text)).to.equal(null);
      }),
    );
    expect(readClickToken(config, 'a'.repeat(10_000))).to.equal(null);
  });
});
