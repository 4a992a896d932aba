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
  readViewToken,
  unsubscribeToken,
  viewToken,
} from '../../core/mail/compose/tokens.ts';

const key = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`;
const config = { secretKeys: [key(1)] };
const ref = { projectId: new ObjectId(), messageId: new ObjectId() };
const person = { ...ref, groupId: 'AB12CD', email: 'ada@example.com' };
const target = 'https://shop.example/a%2Fb?x=1&y=ü#part';

describe('Links and addresses in a mail', () => {
  it('say which mail they belong to', () => {
    expect(readOpenToken(config, openToken(config, ref))).to.deep.equal(ref);
    expect(readClickToken(config, clickToken(config, ref, target))).to.deep.equal({ ...ref, target });
    for (const link of [1, 65_535])
      expect(readClickToken(config, clickToken(config, ref, target, link))).to.deep.equal({ ...ref, target, link });
    expect(readViewToken(config, viewToken(config, ref))).to.deep.equal(ref);
    expect(readUnsubscribeToken(config, unsubscribeToken(config, person))).to.deep.equal(person);
    const ungrouped = { ...person, groupId: null };
    expect(readUnsubscribeToken(config, unsubscribeToken(config, ungrouped))).to.deep.equal(ungrouped);
    for (const kind of ['b', 'u'] as const)
      expect(readMailLocalPart(config, mailLocalPart(config, kind, ref))).to.deep.equal({ kind, ...ref });
    for (const groupId of ['AB12CD', '000000', 'ZZZZZZ', null]) {
      const localPart = mailLocalPart(config, 'u', { ...ref, groupId });
      expect(readMailLocalPart(config, localPart)).to.deep.equal({ kind: 'u', ...ref, groupId });
    }
  });

  it('are the same for the same mail, and fit their place', () => {
    expect(unsubscribeToken(config, person)).to.equal(unsubscribeToken(config, person));
    for (const localPart of [mailLocalPart(config, 'b', ref), mailLocalPart(config, 'u', person)]) {
      expect(localPart)
        .to.have.length.at.most(64)
        .and.match(/^[bu]\+[a-z2-7]+-[0-9a-f]+$/);
      expect(readMailLocalPart(config, localPart.toUpperCase())).to.deep.equal(readMailLocalPart(config, localPart));
    }
  });

  it('of mails that were sent by earlier versions are made and read as before', () => {
    const ref = {
      projectId: new ObjectId('68a1b2c3d4e5f60718293a4b'),
      messageId: new ObjectId('68a1b2c3d4e5f60718293a4c'),
    };
    const person = { ...ref, groupId: 'AB12CD', email: 'ada@example.com' };
    expect(openToken(config, ref)).to.equal('DZXT5tD7pa59LKquyQKPAmihssPU5fYHGCk6S2ihssPU5fYHGCk6TA');
    expect(clickToken(config, ref, target)).to.equal(
      'EFCy9Neru8NYBvp4owSQJGihssPU5fYHGCk6S2ihssPU5fYHGCk6TGh0dHBzOi8vc2hvcC5leGFtcGxlL2ElMkZiP3g9MSZ5PcO8I3BhcnQ',
    );
    const unsubscribe = '0Jm2wxLeTKvaD_m-D7QMJCE1ruxNY4tVLiG2aL2ADjo_mqCGYIOONrWlD-jeVRqOlFeHFjb2mKb7s1BL7A';
    expect(unsubscribeToken(config, person)).to.equal(unsubscribe);
    expect(readUnsubscribeToken(config, unsubscribe)).to.deep.equal(person);
    expect(mailLocalPart(config, 'b', ref)).to.equal('b+ncq3fq6u4x3aogbjhjfwrinsypkol5qhdaututa-80ff8a1a3dd5');
    const leave = 'u+ncq3fq6u4x3aogbjhjfwrinsypkol5qhdaututa-1e98e4fc5d0b';
    expect(mailLocalPart(config, 'u', ref)).to.equal(leave);
    expect(readMailLocalPart(config, leave)).to.deep.equal({ kind: 'u', ...ref });
  });

  it('hold no address that anybody could read', () => {
    const bytes = Buffer.from(unsubscribeToken(config, person), 'base64url').toString('latin1');
    expect(bytes).to.not.include('ada').and.not.include('example');
  });

  it('mean nothing when a single character is changed, cut off or added, or when they are used as another kind', () => {
    const readClick = (token: string) => readClickToken(config, token);
    const readAddress = (token: string) => readMailLocalPart(config, token);
    const kinds: Array<[string, (token: string) => unknown]> = [
      [openToken(config, ref), (token) => readOpenToken(config, token)],
      [viewToken(config, ref), (token) => readViewToken(config, token)],
      [clickToken(config, ref, target), readClick],
      [clickToken(config, ref, target, 3), readClick],
      [unsubscribeToken(config, person), (token) => readUnsubscribeToken(config, token)],
      [mailLocalPart(config, 'b', ref), readAddress],
      [mailLocalPart(config, 'u', { ...ref, groupId: 'AB12CD' }), readAddress],
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

  it('never throw, whatever the caller sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => {
        expect(readOpenToken(config, text)).to.equal(null);
        expect(readViewToken(config, text)).to.equal(null);
        expect(readClickToken(config, text)).to.equal(null);
        expect(readUnsubscribeToken(config, text)).to.equal(null);
        expect(readMailLocalPart(config, text)).to.equal(null);
      }),
    );
    expect(readClickToken(config, 'a'.repeat(10_000))).to.equal(null);
  });
});
