// Promise: who left is not mailed.
import { expect } from 'chai';
import fc from 'fast-check';
import type { SuppressionReason } from '../../core/consent/suppressions/model.ts';
import {
  type AddressEntry,
  aboutPerson,
  afterChange,
  isMarketingSend,
  isStronger,
  type MailFacts,
  type SuppressionFact,
  stoppedBy,
} from '../../core/consent/suppressions/rules.ts';

const REASONS: SuppressionReason[] = ['COMPLAINT', 'UNSUBSCRIBE', 'BOUNCE', 'MANUAL'];
const MAILS = {
  'a receipt': { marketing: false, groupId: null, bypass: false },
  'marketing without a group': { marketing: true, groupId: null, bypass: false },
  'marketing of group NEWS01': { marketing: true, groupId: 'NEWS01', bypass: false },
  'marketing of group OTHER1': { marketing: true, groupId: 'OTHER1', bypass: false },
  'marketing of the default group': { marketing: true, groupId: 'DEFLT1', bypass: false },
} satisfies Record<string, MailFacts>;
type Mail = keyof typeof MAILS;

const entry = {
  global: (reason: SuppressionReason): SuppressionFact => ({
    groupId: 'GLOBL1',
    isGlobal: true,
    isDefault: false,
    reason,
  }),
  default: (reason: SuppressionReason): SuppressionFact => ({
    groupId: 'DEFLT1',
    isGlobal: false,
    isDefault: true,
    reason,
  }),
  marketing: (reason: SuppressionReason): SuppressionFact => ({
    groupId: 'MRKTG1',
    isGlobal: false,
    isDefault: false,
    isMarketing: true,
    reason,
  }),
  own: (reason: SuppressionReason): SuppressionFact => ({
    groupId: 'NEWS01',
    isGlobal: false,
    isDefault: false,
    reason,
  }),
};

/** The matrix: which mails an entry stops, by its reason where that matters. */
const STOPPED: [where: keyof typeof entry, reason: SuppressionReason, stopped: Mail[]][] = [
  ...REASONS.map((reason): [keyof typeof entry, SuppressionReason, Mail[]] => [
    'global',
    reason,
    Object.keys(MAILS) as Mail[],
  ]),
  ['default', 'UNSUBSCRIBE', ['marketing without a group', 'marketing of the default group']],
  ...(['COMPLAINT', 'BOUNCE', 'MANUAL'] as const).map((reason): [keyof typeof entry, SuppressionReason, Mail[]] => [
    'default',
    reason,
    ['a receipt', 'marketing without a group', 'marketing of the default group'],
  ]),
  ...REASONS.map((reason): [keyof typeof entry, SuppressionReason, Mail[]] => [
    'own',
    reason,
    ['marketing of group NEWS01'],
  ]),
  ...REASONS.map((reason): [keyof typeof entry, SuppressionReason, Mail[]] => [
    'marketing',
    reason,
    (Object.keys(MAILS) as Mail[]).filter((mail) => mail !== 'a receipt'),
  ]),
];

/** Every entry and every mail that there can be, as far as the rules know them. */
const EXCEPTIONS: Array<string | null>[] = [[], ['NEWS01'], [null, 'DEFLT1'], ['NEWS01', null, 'DEFLT1']];
const EVERY_ENTRY: SuppressionFact[] = Object.entries(entry).flatMap(([where, make]) =>
  REASONS.flatMap((reason) => {
    const plain = make(reason);
    if (reason !== 'UNSUBSCRIBE') return [plain];
    const besides = [
      plain,
      ...(['BOUNCE', 'MANUAL'] as const).map((beside) => ({ ...plain, beside: { reason: beside } })),
    ];
    if (where !== 'marketing') return besides;
    return besides.flatMap((one) =>
      EXCEPTIONS.map((exceptGroups) => (exceptGroups.length === 0 ? one : { ...one, exceptGroups })),
    );
  }),
);
const BOTH = [false, true];
const EVERY_MAIL: MailFacts[] = [null, 'NEWS01', 'OTHER1', 'DEFLT1', 'GONE01'].flatMap((groupId) =>
  BOTH.flatMap((marketing) =>
    BOTH.flatMap((bypass) =>
      BOTH.map((passesUnsubscribe) => ({
        ...{ marketing, groupId, isGroupGone: groupId === 'GONE01', bypass, passesUnsubscribe },
      })),
    ),
  ),
);

/** The table of the documents, a row after the other. */
function tableSays(given: SuppressionFact, mail: MailFacts): boolean {
  const named = mail.isGroupGone ? null : mail.groupId;
  const isTurnedOn = given.exceptGroups?.some((group) => group === named) ?? false;
  const isSaidByPerson = given.reason === 'UNSUBSCRIBE';
  const reason = isSaidByPerson && (mail.passesUnsubscribe || isTurnedOn) ? given.beside?.reason : given.reason;
  if (reason === undefined || (mail.bypass && reason !== 'COMPLAINT')) return false;
  switch (given.groupId) {
    case 'GLOBL1':
      return true;
    case 'MRKTG1':
      return mail.marketing;
    case 'DEFLT1':
      if (named === 'DEFLT1') return true;
      return named === null && (reason !== 'UNSUBSCRIBE' || mail.marketing);
    default:
      return named === given.groupId;
  }
}

describe('suppression', () => {
  for (const [where, reason, stopped] of STOPPED)
    for (const mail of Object.keys(MAILS) as Mail[])
      it(`${reason} in the ${where} group ${stopped.includes(mail) ? 'stops' : 'lets through'} ${mail}`, () => {
        const one = entry[where](reason);
        expect(stoppedBy([one], MAILS[mail])).to.equal(stopped.includes(mail) ? one : null);
      });

  it('decides as the table says, for every entry and every mail, and for any entries together', () => {
    const disagreements: unknown[] = [];
    for (const one of EVERY_ENTRY)
      for (const mail of EVERY_MAIL)
        if ((stoppedBy([one], mail) !== null) !== tableSays(one, mail)) disagreements.push({ one, mail });
    expect(disagreements).to.deep.equal([]);
    expect(EVERY_ENTRY.length * EVERY_MAIL.length).to.equal(1_320);
    fc.assert(
      fc.property(fc.subarray(EVERY_ENTRY, { maxLength: 6 }), fc.constantFrom(...EVERY_MAIL), (entries, mail) => {
        expect(stoppedBy(entries, mail) !== null).to.equal(entries.some((one) => tableSays(one, mail)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('lets mail through to an address without entries', () => {
    for (const mail of Object.values(MAILS)) expect(stoppedBy([], mail)).to.equal(null);
  });

  it('is bypassed for everything but a complaint', () => {
    for (const where of ['global', 'default'] as const)
      for (const reason of REASONS)
        expect(stoppedBy([entry[where](reason)], { marketing: false, groupId: null, bypass: true }) !== null).to.equal(
          reason === 'COMPLAINT',
        );
    expect(stoppedBy([entry.own('COMPLAINT')], { marketing: true, groupId: 'OTHER1', bypass: true })).to.equal(null);
  });

  it('with passesUnsubscribe stops for every reason but the unsubscribe of the person, which hides no other', () => {
    const mail = { marketing: false, groupId: null, bypass: false, passesUnsubscribe: true };
    for (const where of ['global', 'default'] as const)
      for (const reason of REASONS)
        expect(stoppedBy([entry[where](reason)], mail) !== null).to.equal(reason !== 'UNSUBSCRIBE');
    for (const reason of ['BOUNCE', 'MANUAL'] as const)
      expect(stoppedBy([{ ...entry.global('UNSUBSCRIBE'), beside: { reason } }], mail)?.reason).to.equal(reason);
  });

  it('names the strongest of the entries that stop a mail, in whatever order they are found', () => {
    const entries = [
      entry.own('COMPLAINT'),
      entry.default('UNSUBSCRIBE'),
      entry.global('MANUAL'),
      entry.global('BOUNCE'),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
        expect(stoppedBy(shuffled, MAILS['a receipt'])?.reason).to.equal('BOUNCE');
        expect(stoppedBy(shuffled, MAILS['marketing without a group'])?.reason).to.equal('UNSUBSCRIBE');
        expect(stoppedBy(shuffled, MAILS['marketing of group NEWS01'])?.reason).to.equal('COMPLAINT');
      }),
    );
  });

  it('orders reasons COMPLAINT, UNSUBSCRIBE, BOUNCE, MANUAL', () => {
    for (const [stronger, one] of REASONS.entries())
      for (const [weaker, other] of REASONS.entries()) expect(isStronger(one, other)).to.equal(stronger < weaker);
  });

  it('counts a send as marketing when it names a group or uses a marketing template', () => {
    expect(isMarketingSend({ groupId: null, templateType: null })).to.equal(false);
    expect(isMarketingSend({ groupId: null, templateType: 'transactional' })).to.equal(false);
    expect(isMarketingSend({ groupId: 'NEWS01', templateType: null })).to.equal(true);
    expect(isMarketingSend({ groupId: null, templateType: 'marketing' })).to.equal(true);
  });

  const held = (...reasons: SuppressionReason[]) =>
    reasons.reduce<AddressEntry | null>(
      (entry, reason) => afterChange(entry, { reason, evidence: reason }).entry,
      null,
    );
  const subscribe = (entry: AddressEntry | null) => afterChange(entry, { reason: 'subscribe', evidence: null });

  it('is strengthened by a stronger reason, and kept by a weaker or the same one', () => {
    for (const [first, one] of REASONS.entries())
      for (const [second, other] of REASONS.entries()) {
        const { outcome, entry } = afterChange(held(one), { reason: other, evidence: other });
        expect(outcome, `${one}, ${other}`).to.equal(second < first ? 'strengthened' : 'kept');
        expect(entry?.reason).to.equal(second < first ? other : one);
      }
  });

  const sequences = fc.array(fc.constantFrom(...REASONS), { maxLength: 6 });

  it('has each weaker reason beneath the stronger ones, in whatever order they came; a complaint covers all', () => {
    const reasonsOf = (entry: AddressEntry | null): string[] =>
      entry ? [entry.reason, ...reasonsOf(entry.beside ?? null)] : [];
    fc.assert(
      fc.property(sequences, (reasons) => {
        const known = REASONS.filter((reason) => reasons.includes(reason));
        expect(reasonsOf(held(...reasons))).to.deep.equal(known[0] === 'COMPLAINT' ? ['COMPLAINT'] : known);
      }),
    );
  });

  it('counts at another address of the person as if it had never bounced', () => {
    fc.assert(
      fc.property(sequences, (reasons) => {
        const there = aboutPerson([held(...reasons) ?? []].flat())[0] ?? null;
        const expected = held(...reasons.filter((reason) => reason !== 'BOUNCE'));
        expect(JSON.stringify(there)).to.equal(JSON.stringify(expected));
      }),
    );
  });

  it('is lifted by who unsubscribed only so far as they said it: the strongest of the weaker ones holds again', () => {
    expect(subscribe(held('UNSUBSCRIBE'))).to.deep.equal({ outcome: 'removed', entry: null });
    for (const before of [held('MANUAL', 'UNSUBSCRIBE'), held('UNSUBSCRIBE', 'MANUAL')])
      expect(subscribe(before)).to.deep.equal({
        outcome: 'removed',
        entry: { reason: 'MANUAL', evidence: 'MANUAL' },
      });
    expect(subscribe(held('MANUAL', 'UNSUBSCRIBE', 'BOUNCE', 'MANUAL')).entry?.reason).to.equal('BOUNCE');
    for (const before of [null, held('MANUAL'), held('BOUNCE'), held('UNSUBSCRIBE', 'COMPLAINT')])
      expect(subscribe(before)).to.deep.equal({ outcome: 'absent', entry: before });
  });

  it('of all marketing mail is excepted by what the person turns on, until they turn everything off again', () => {
    const except = (entry: AddressEntry | null, exceptGroupId: string) =>
      afterChange(entry, { reason: 'except', exceptGroupId });
    const news = except(held('UNSUBSCRIBE'), 'NEWS01');
    expect([news.outcome, news.entry?.exceptGroupIds]).to.deep.equal(['removed', ['NEWS01']]);
    expect(except(news.entry, 'NEWS01')).to.deep.equal({ outcome: 'absent', entry: news.entry });
    expect(except(news.entry, 'OTHER1').entry?.exceptGroupIds).to.deep.equal(['NEWS01', 'OTHER1']);
    for (const reason of ['BOUNCE', 'MANUAL'] as const) {
      const { entry } = afterChange(news.entry, { reason, evidence: null });
      expect([entry?.exceptGroupIds, entry?.beside?.reason]).to.deep.equal([['NEWS01'], reason]);
    }
    for (const reason of ['UNSUBSCRIBE', 'COMPLAINT'] as const)
      expect(afterChange(news.entry, { reason, evidence: null }).entry).to.not.have.property('exceptGroupIds');
    for (const before of [null, held('MANUAL'), held('BOUNCE'), held('UNSUBSCRIBE', 'COMPLAINT')])
      expect(except(before, 'NEWS01')).to.deep.equal({ outcome: 'absent', entry: before });
  });

  it('stays excepted when an older unsubscribe of the same person arrives, and not when a newer one does', () => {
    const updatedAt = new Date('2026-03-01T00:00:00Z');
    const entry: AddressEntry = { reason: 'UNSUBSCRIBE', evidence: null, exceptGroupIds: ['NEWS01'], updatedAt };
    const again = (saidAt: Date) => afterChange(entry, { reason: 'UNSUBSCRIBE', evidence: null, saidAt });
    expect(again(new Date('2026-02-28T00:00:00Z'))).to.deep.equal({ outcome: 'kept', entry });
    expect(again(new Date('2026-03-02T00:00:00Z')).entry).to.not.have.property('exceptGroupIds');
  });

  it('begins with exceptions where the person turned groups on before it was written, and keeps those of an entry', () => {
    const saidAt = new Date('2026-02-28T00:00:00Z');
    const left = { reason: 'UNSUBSCRIBE' as const, evidence: null, saidAt, exceptGroupIds: ['NEWS01'] };
    expect(afterChange(null, left).entry?.exceptGroupIds).to.deep.equal(['NEWS01']);
    const stronger = afterChange(held('MANUAL'), left).entry;
    expect([stronger?.exceptGroupIds, stronger?.beside?.reason]).to.deep.equal([['NEWS01'], 'MANUAL']);
    const own: AddressEntry = { reason: 'UNSUBSCRIBE', evidence: null, updatedAt: new Date('2026-03-01T00:00:00Z') };
    for (const entry of [own, { ...own, exceptGroupIds: ['OTHER1'] }])
      expect(afterChange(entry, left)).to.deep.equal({ outcome: 'kept', entry });
  });

  it('is gone whole when it is released', () => {
    const release = { reason: null, evidence: null };
    expect(afterChange(held('MANUAL', 'UNSUBSCRIBE'), release)).to.deep.equal({ outcome: 'removed', entry: null });
    expect(afterChange(null, release)).to.deep.equal({ outcome: 'absent', entry: null });
  });
});
