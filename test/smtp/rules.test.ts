import { expect } from 'chai';
import fc from 'fast-check';
import type { Reply } from '../../core/mail/ledger/relay.ts';
import { freeFor, LANES, reservedShares } from '../../core/mail/ledger/rules/lane-shares.ts';
import {
  nextByWeight,
  type Part,
  preferredRelays,
  type Ranked,
  roomOf,
} from '../../core/mail/ledger/rules/relay-choice.ts';
import { isThrottle } from '../../core/mail/ledger/rules/relay-replies.ts';
import { wireBytes } from '../../platform/smtp/message-bytes.ts';
import { parseRelayUrls } from '../../platform/smtp/relay-url.ts';
import { createReplyReader } from '../../platform/smtp/replies.ts';

describe('replies of a relay', () => {
  const replies = [
    ['250 2.1.0 ok\r\n', { code: 250, enhanced: '2.1.0', text: 'ok' }],
    ['250-first\r\n250-second\r\n250 third\r\n', { code: 250, enhanced: null, text: 'first second third' }],
    ['550-5.1.1 no\r\n550 5.1.1 user\r\n', { code: 550, enhanced: '5.1.1', text: 'no user' }],
    ['354\r\n', { code: 354, enhanced: null, text: '' }],
    ['450 4.2.0\n', { code: 450, enhanced: '4.2.0', text: '' }],
    ['250 a\rb\r\n', { code: 250, enhanced: null, text: 'a b' }],
  ] as const;

  it('are the same however the bytes are cut', () => {
    const text = replies.map(([bytes]) => bytes).join('');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (cuts) => {
        const seen: Reply[] = [];
        const reader = createReplyReader((reply) => seen.push(reply) > 0);
        for (let from = 0, turn = 0; from < text.length; turn++) {
          const length = cuts[turn % cuts.length]!;
          expect(reader.push(text.slice(from, from + length))).to.equal(true);
          from += length;
        }
        expect(seen).to.deep.equal(replies.map(([, reply]) => reply));
        expect(reader.hasRest()).to.equal(false);
      }),
    );
  });

  it('that are none are refused', () => {
    for (const bytes of ['hello\r\n', '99 x\r\n', '600 x\r\n', '25 x\r\n', '250x\r\n', '\r\n', '250-a\r\n251 b\r\n'])
      expect(createReplyReader(() => true).push(bytes), bytes).to.equal(false);
  });

  it('distinguish a relay that slows us down from a mailbox that does', () => {
    const reply = (code: number, enhanced: string | null, text: string): Reply => ({ code, enhanced, text });
    const throttles = [
      reply(421, null, 'bye'),
      reply(450, '4.7.1', 'Too many messages, slow down'),
      reply(451, '4.7.0', 'Message rate exceeded: sending rate too high'),
      reply(452, null, 'rate limit reached'),
      reply(454, '4.7.0', 'throttled'),
    ];
    const others = [
      reply(450, '4.2.1', 'The user is receiving mail at a rate that is too high: rate limited'),
      reply(452, '4.5.3', 'Too many recipients'),
      reply(450, '4.7.1', 'Greylisted, try again later'),
      reply(550, '5.7.1', 'rate limit'),
      reply(250, null, 'too many'),
    ];
    for (const one of throttles) expect(isThrottle(one), one.text).to.equal(true);
    for (const one of others) expect(isThrottle(one), one.text).to.equal(false);
  });
});

describe('the bytes of a message', () => {
  it('come back by unstuffing, end with CRLF and hold no bare line end', () => {
    const piece = fc.constantFrom('.', '\r\n', '\r\n.\r\n', '\n', '\r', 'a', '..', ' ', 'ü');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const message = pieces.join('');
        const bytes = wireBytes(message);
        expect(bytes === '' || bytes.endsWith('\r\n')).to.equal(true);
        expect(bytes).not.to.match(/\r(?!\n)|(?<!\r)\n|(^|\n)\.\r\n|[^\0-\xff]/);
        const back = Buffer.from(bytes.replace(/(^|\n)\./g, '$1'), 'latin1').toString('utf8');
        const normal = message.replace(/\r\n|\r|\n/g, '\r\n');
        expect(back).to.equal(normal === '' || normal.endsWith('\r\n') ? normal : `${normal}\r\n`);
      }),
    );
  });
});

describe('the shares of the lanes', () => {
  it('leave transactional a fifth, 4 at least, and never more than half of few', () => {
    const transactional = [1, 2, 4, 8, 20, 64, 100].map((max) => reservedShares(max).transactional);
    expect(transactional).to.deep.equal([0, 1, 2, 4, 4, 12, 20]);
  });

  it('add up: a lane that takes only free connections never exceeds the limit, nor takes those another lane keeps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.constantFrom(...LANES), { maxLength: 300 }),
        (max, takers) => {
          const inUse = { transactional: 0, automation: 0, campaign: 0 };
          const reserved = reservedShares(max);
          for (const lane of takers) if (freeFor(lane, max, inUse) > 0) inUse[lane]++;
          expect(inUse.transactional + inUse.automation + inUse.campaign).to.be.at.most(max);
          for (const lane of LANES)
            if (inUse[lane] < reserved[lane])
              expect(freeFor(lane, max, inUse)).to.be.at.least(reserved[lane] - inUse[lane]);
        },
      ),
    );
  });
});

describe('the choice between relays', () => {
  const relay = (fields: Partial<Ranked & Part> = {}): Ranked & Part => ({
    ...{ priority: 0, weight: 1, isAnswering: true, limit: 64, used: 0, credit: 0 },
    ...fields,
  });

  it('is for the first priority with a relay that answers', () => {
    const [a, b, c] = [relay({ priority: 0 }), relay({ priority: 1 }), relay({ priority: 1 })];
    expect(preferredRelays([a, b, c])).to.deep.equal([a]);
    const down = { ...a, isAnswering: false };
    expect(preferredRelays([down, b, c])).to.deep.equal([b, c]);
    expect(preferredRelays([down])).to.deep.equal([]);
  });

  it('takes turns by weight, mixed evenly', () => {
    const [a, b] = [relay({ weight: 3 }), relay({ weight: 1 })];
    const turns = Array.from({ length: 8 }, () => (nextByWeight([a, b]) === a ? 'a' : 'b'));
    expect(turns.join('')).to.equal('aabaaaba');
    const weight = fc.integer({ min: 1, max: 1_000 });
    fc.assert(
      fc.property(fc.array(weight, { minLength: 1, maxLength: 5 }), (weights) => {
        const relays = weights.map((one) => relay({ weight: one }));
        const rounds = weights.reduce((sum, one) => sum + one, 0);
        const taken = new Map(relays.map((one) => [one, 0]));
        for (let round = 0; round < rounds; round++) {
          const next = nextByWeight(relays)!;
          taken.set(next, taken.get(next)! + 1);
        }
        expect([...taken.values()]).to.deep.equal(weights);
      }),
      { numRuns: 50 },
    );
    expect(nextByWeight([])).to.equal(null);
  });

  it('gives each its share of the connections, and what others do not take', () => {
    const all = [relay({ weight: 3 }), relay({ weight: 1 })];
    expect(all.map((one) => roomOf(one, all, 20))).to.deep.equal([15, 5]);
    const small = [relay({ weight: 3, limit: 2 }), relay({ weight: 1, used: 4 })];
    expect(small.map((one) => roomOf(one, small, 20))).to.deep.equal([2, 14]);
    const over = [relay({ used: 12 }), relay({ used: 3 })];
    expect(over.map((one) => roomOf(one, over, 20))).to.deep.equal([-2, 7]);
    const limits = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 64 }), (of, connectionsMax) => {
        const relays = of.map((limit, index) => relay({ limit, weight: index + 1 }));
        const rooms = relays.map((one) => roomOf(one, relays, connectionsMax));
        const possible = of.reduce((sum, limit) => sum + limit, 0);
        expect(rooms.reduce((sum, room) => sum + room, 0)).to.be.at.least(Math.min(connectionsMax, possible));
      }),
    );
  });
});

describe('the URL of a relay', () => {
  const parseRelayUrl = (text: string) => parseRelayUrls(text)[0]!;

  it('may name several, with priorities and weights', () => {
    const ranks = (text: string) =>
      parseRelayUrls(text).map(({ host, port, priority, weight }) => [host, port, priority, weight]);
    expect(ranks('smtp://a.test')).to.deep.equal([['a.test', 25, 0, 1]]);
    expect(
      ranks(' smtp://b.test:26?priority=1 , SMTPS://u:p@a.test?weight=3&name=me.test,smtp://c.test '),
    ).to.deep.equal([
      ['a.test', 465, 0, 3],
      ['c.test', 25, 0, 1],
      ['b.test', 26, 1, 1],
    ]);
    expect(parseRelayUrls('smtp://u:a,b@a.test,smtp://b.test')[0]).to.include({ password: 'a,b', host: 'a.test' });
    for (const bad of ['smtp://a.test,', 'smtp://a.test,b.test', 'smtp://a.test,,smtp://b.test', ',smtp://a.test'])
      expect(() => parseRelayUrls(bad), bad).to.throw('must look like');
    for (const bad of ['priority=-1', 'priority=101', 'weight=0', 'weight=1001', 'weight=1.5', 'weight='])
      expect(() => parseRelayUrls(`smtp://a.test,smtp://u:secret@b.test?${bad}`), bad).to.throw(
        /^The SMTP URL needs a whole number from [01] to 1000? as its (priority|weight)\.$/,
      );
  });

  it('gives host, port, login and TLS', () => {
    expect(parseRelayUrl('smtp://127.0.0.1:1025')).to.include({
      port: 1_025,
      implicitTls: false,
      startTls: 'offered',
      user: null,
    });
    expect(parseRelayUrl('smtps://a%40b:p%3Aw@mail.test')).to.include({
      port: 465,
      implicitTls: true,
      user: 'a@b',
      password: 'p:w',
    });
    expect(parseRelayUrl('smtp://u:p@mail.test')).to.include({ port: 587 });
    expect(parseRelayUrl('smtp://[::1]:2525')).to.include({ host: '::1', port: 2_525 });
    expect(parseRelayUrl('smtp://m.test/?requireTLS=true&name=me.test')).to.include({
      startTls: 'required',
      clientName: 'me.test',
    });
  });

  it('with a user requires TLS, but on this machine and where it says otherwise', () => {
    const startTls = (url: string) => parseRelayUrl(url).startTls;
    for (const host of ['mail.test', 'mail.test:25', '192.0.2.1', '[2001:db8::1]', 'localhost.mail.test', '127.test'])
      expect(startTls(`smtp://u:p@${host}`), host).to.equal('required');
    for (const host of ['localhost', '127.0.0.1:25', '127.8.8.8', '[::1]']) {
      expect(startTls(`smtp://u:p@${host}`), host).to.equal('offered');
      expect(startTls(`smtp://u:p@${host}/?requireTLS=true`), host).to.equal('required');
    }
    expect(startTls('smtp://mail.test')).to.equal('offered');
    expect(startTls('smtp://u:p@mail.test/?requireTLS=false')).to.equal('offered');
    expect(startTls('smtp://u:p@mail.test/?ignoreTLS=true')).to.equal('never');
  });

  it('verifies the certificate of a relay elsewhere that needs TLS, and of any when it is asked to', () => {
    const verified = (url: string) => parseRelayUrl(url).verifyCertificate;
    for (const url of ['smtp://u:p@mail.test', 'smtp://u:p@mail.test/?requireTLS=false', 'smtps://mail.test'])
      expect(verified(url), url).to.equal(true);
    expect(verified('smtp://mail.test/?requireTLS=true')).to.equal(true);
    for (const host of ['localhost', '127.0.0.1:25', '[::1]', 'u:p@localhost'])
      for (const scheme of ['smtp', 'smtps']) expect(verified(`${scheme}://${host}`), host).to.equal(false);
    expect(verified('smtp://mail.test')).to.equal(false);
    for (const asked of ['tls.rejectUnauthorized=true', 'tls.servername=mail.test'])
      expect(verified(`smtp://127.0.0.1/?${asked}`), asked).to.equal(true);
    expect(verified('smtps://u:p@mail.test/?tls.rejectUnauthorized=false')).to.equal(false);
  });

  it('says what is wrong with it, and never the password', () => {
    for (const bad of ['', 'mail.test', 'http://mail.test', 'smtp://', 'smtp://u:secret@mail.test/?pool=true'])
      expect(() => parseRelayUrl(bad), bad).to.throw(
        /^The SMTP URL (must look like|has an unknown parameter "pool")(?!.*secret)/,
      );
  });
});
