import { expect } from 'chai';
import fc from 'fast-check';
import type { SuppressionReason } from '../../core/suppressions/model.ts';
import {
  type AddressEntry,
  afterChange,
  isMarketingSend,
  isStronger,
  type MailFacts,
  type SuppressionFact,
  stoppedBy,
} from '../../core/suppressions/rules.ts';

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
];

describe('suppression', () => {
  for (const [where, reason, stopped] of STOPPED)
    for (const mail of Object.keys(MAILS) as Mail[])
      it(`${reason} in the ${where} group ${stopped.includes(mail) ? 'stops' : 'lets through'} ${mail}`, () => {
        const one = entry[where](reason);
        expect(stoppedBy([one], MAILS[mail])).to.equal(stopped.includes(mail) ? one : null);
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

  it('is gone whole when it is released', () => {
    const release = { reason: null, evidence: null };
    expect(afterChange(held('MANUAL', 'UNSUBSCRIBE'), release)).to.deep.equal({ outcome: 'removed', entry: null });
    expect(afterChange(null, release)).to.deep.equal({ outcome: 'absent', entry: null });
  });
});
