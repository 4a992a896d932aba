import { expect } from 'chai';
import fc from 'fast-check';
import { readCells, readColumns } from '../../core/people/imports/columns.ts';
import { readConsentState } from '../../core/people/imports/consent/state.ts';
import { STATE_FIELDS, STATES, statusOf } from '../../core/people/imports/consent/words.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const read = (given: Record<string, unknown>) => readConsentState(given, NOW);
const stateOf = (given: Record<string, unknown>) => {
  const result = read(given);
  if (!result.ok) throw new Error(result.message);
  return result.state;
};
const reasonsOf = (given: Record<string, unknown>) => stateOf(given)?.stops.map(({ reason }) => reason);
const problemOf = (given: Record<string, unknown>) => {
  const result = read(given);
  return result.ok ? null : result.message;
};

describe('The state of consent in a row', () => {
  it('is read from the words of other products, whatever their case and the marks between words', () => {
    const words = {
      subscribed: ['Subscribed', 'ACTIVE', 'enabled', 'Opted in'],
      unsubscribed: [
        'unsubscribed',
        'blocklisted',
        'disabled',
        'Opted-Out',
        'nonsubscribed',
        'Never Subscribed',
        'pending',
      ],
      bounced: ['bounced', 'cleaned', 'Hard bounce'],
      complained: ['complained', 'junk', 'Marked as spam', 'spam_complaint'],
    };
    for (const [status, names] of Object.entries(words))
      for (const name of names) expect(statusOf(name), name).to.equal(status);
  });

  it('stops mail by reason, and a person who is subscribed is only noted', () => {
    expect(reasonsOf({ status: 'unsubscribed' })).to.deep.equal(['UNSUBSCRIBE']);
    expect(reasonsOf({ status: 'cleaned' })).to.deep.equal(['BOUNCE']);
    expect(reasonsOf({ status: 'junk' })).to.deep.equal(['COMPLAINT']);
    expect(stateOf({ status: 'active' })).to.deep.include({ stops: [], saysSubscribed: true, groups: [] });
    expect(stateOf({ email: 'a@example.com', firstName: 'A' })).to.equal(null);
  });

  it('of a date alone is the state of its name; a later subscription makes it history', () => {
    expect(stateOf({ unsubscribedAt: '2020-01-02 03:04:05' })?.stops).to.deep.equal([
      { reason: 'UNSUBSCRIBE', status: 'unsubscribed', at: new Date('2020-01-02T03:04:05Z') },
    ]);
    expect(reasonsOf({ bouncedAt: '2020-01-02', complainedAt: '2020-01-02' })).to.deep.equal(['BOUNCE', 'COMPLAINT']);
    const dates = { subscribedAt: '2021-01-01', unsubscribedAt: '2020-01-01' };
    expect(stateOf({ status: 'subscribed', ...dates })).to.include({ saysSubscribed: true });
    expect(reasonsOf({ status: 'subscribed', ...dates, subscribedAt: '2019-01-01' })).to.deep.equal(['UNSUBSCRIBE']);
    expect(reasonsOf({ status: 'subscribed', unsubscribedAt: '2020-01-01' })).to.deep.equal(['UNSUBSCRIBE']);
  });

  it('is never guessed: an unknown word, an empty one, and dates that are none refuse the row', () => {
    expect(problemOf({ status: 'gold' })).to.contain('status: "gold" is not known');
    expect(problemOf({ status: ' ' })).to.contain('status: is empty');
    expect(problemOf({ status: '', unsubscribedAt: '2020-01-01' })).to.equal(null);
    expect(problemOf({ status: '', subscribedAt: '2021-01-01', unsubscribedAt: '2020-01-01' })).to.contain('is empty');
    expect(problemOf({ status: true })).to.equal('status: must be a string');
    for (const date of ['31/12/2020', '2020-02-30', 'yesterday', '2020'])
      expect(problemOf({ status: 'unsubscribed', unsubscribedAt: date }), date).to.contain('unsubscribedAt: must be');
    expect(problemOf({ unsubscribedAt: '2026-11-25' })).to.equal('unsubscribedAt: is in the future');
    expect(problemOf({ unsubscribedAt: '2026-11-24' })).to.equal(null);
  });

  it('names groups by ; and |, or as an array', () => {
    expect(stateOf({ status: 'unsubscribed', groups: ' News ;ABC123|| News' })?.groups).to.deep.equal([
      'News',
      'ABC123',
    ]);
    expect(stateOf({ status: 'unsubscribed', groups: ['News', 'ABC123'] })?.groups).to.deep.equal(['News', 'ABC123']);
    expect(problemOf({ status: 'unsubscribed', groups: [1] })).to.contain('groups: must be');
    expect(
      problemOf({ status: 'unsubscribed', groups: 'x;'.repeat(100) + Array.from({ length: 60 }).join('a;') }),
    ).to.equal(null);
    expect(problemOf({ groups: Array.from({ length: 60 }, (_, index) => `g${index}`) })).to.contain('50');
  });

  it('brings evidence of consent with its dates, or says what is missing', () => {
    const consent = {
      consentText: ' Yes, news. ',
      consentAskedAt: '2020-01-01T10:00:00+02:00',
      consentAddress: '2001:db8::1',
    };
    expect(stateOf(consent)?.consent).to.deep.equal({
      text: 'Yes, news.',
      askedAt: new Date('2020-01-01T08:00:00Z'),
      confirmedAt: null,
      address: '2001:db8::1',
    });
    const object = { text: 'Yes', askedAt: '2020-01-01', confirmedAt: '2020-01-02', networkAddress: '192.0.2.7' };
    expect(stateOf({ consent: object })?.consent).to.deep.equal({
      text: 'Yes',
      askedAt: new Date('2020-01-01'),
      confirmedAt: new Date('2020-01-02'),
      address: '192.0.2.7',
    });
    expect(stateOf({ consentText: 'Yes', subscribedAt: '2020-01-01' })?.consent?.askedAt).to.deep.equal(
      new Date('2020-01-01'),
    );
    expect(problemOf({ consentText: 'Yes' })).to.contain('consentAskedAt: is required');
    expect(problemOf({ consentAskedAt: '2020-01-02', consentConfirmedAt: '2020-01-01' })).to.contain('before');
    expect(problemOf({ ...consent, consentAddress: '300.1.1.1' })).to.equal('consentAddress: must be an IP address');
    expect(problemOf({ ...consent, consentText: 'x'.repeat(4_001) })).to.contain('4000 characters');
    expect(problemOf({ consent: 'yes' })).to.equal('consent: must be an object');
  });

  it('of anything at all is a state or one line with the reason', () => {
    const value = fc.oneof(
      fc.constantFrom(
        ...STATES,
        'Cleaned',
        '',
        ' ',
        '2020-01-01',
        '2020-13-01T00:00:00Z',
        '10.0.0.1',
        'a;b|c',
        '\u0000',
      ),
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.jsonValue({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...STATE_FIELDS, 'consent'), value), (given) => {
        const result = read(given);
        if (!result.ok) {
          expect(result.message).to.match(
            /^(status|groups|consent|subscribedAt|unsubscribedAt|bouncedAt|complainedAt)\w*: /,
          );
          expect(result.message).to.not.match(/[\n\0]/);
          return;
        }
        const status = typeof given.status === 'string' ? statusOf(given.status) : null;
        if (result.state?.saysSubscribed) expect(status).to.equal('subscribed');
        if (typeof given.status === 'string' && given.status.trim() !== '') expect(status).to.not.equal(null);
        for (const { at } of result.state?.stops ?? []) if (at) expect(at.getTime()).to.be.at.most(NOW + 86_400_000);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('Columns of consent state', () => {
  const columnsOf = (names: string[]) => {
    const found = readColumns(names);
    if ('problem' in found) throw new Error(found.problem);
    return found.columns;
  };
  const rowOf = (names: string[], cells: string[]) => {
    const found = readCells(columnsOf(names), cells);
    return found.ok ? found.row : found.message;
  };

  it('are known by the names that other products give them', () => {
    const names = ['Email Address', 'OPTIN_TIME', 'CONFIRM_TIME', 'CONFIRM_IP', 'UNSUB_TIME', 'Subscription status'];
    expect(columnsOf(names).flatMap((column) => (column.kind === 'state' ? [column.name] : []))).to.deep.equal([
      'consentAskedAt',
      'consentConfirmedAt',
      'consentAddress',
      'unsubscribedAt',
      'status',
    ]);
    expect(readColumns(['email', 'status', 'subscriber_status'])).to.deep.equal({
      problem: 'Two columns mean the same: status.',
    });
  });

  it('that answer yes or no become a status; a word that is neither stays for the row to refuse', () => {
    expect(rowOf(['email', 'unsubscribed'], ['a@b.test', 'TRUE'])).to.include({ status: 'unsubscribed' });
    expect(rowOf(['email', 'unsubscribed'], ['a@b.test', '0'])).to.include({ status: 'subscribed' });
    expect(rowOf(['email', 'subscribed'], ['a@b.test', 'no'])).to.include({ status: 'unsubscribed' });
    expect(rowOf(['email', 'subscribed'], ['a@b.test', '2020-01-01'])).to.include({ status: '2020-01-01' });
  });

  it('leave no row without a status, also when its cell is missing', () => {
    expect(rowOf(['email', 'status'], ['a@b.test'])).to.deep.equal({ status: '', email: 'a@b.test' });
    expect(rowOf(['email', 'plan'], ['a@b.test'])).to.deep.equal({ email: 'a@b.test' });
  });

  it('called groups or subscribedAt are properties in a file that says nothing else of consent', () => {
    expect(columnsOf(['email', 'groups', 'subscribed_at']).map(({ kind }) => kind)).to.deep.equal([
      ...['field', 'property', 'property'],
    ]);
    expect(columnsOf(['email', 'groups', 'subscribed_at', 'status']).map(({ kind }) => kind)).to.deep.equal([
      ...['field', 'state', 'state', 'state'],
    ]);
    expect(columnsOf(['email', 'contactProperties.status'])[1]).to.deep.equal({ kind: 'property', name: 'status' });
  });
});
