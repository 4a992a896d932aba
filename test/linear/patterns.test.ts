import { expect } from 'chai';
import { analyse } from 'scslre';
import { compileFilter, parseFilter } from '../../core/contacts/filters/filters.ts';
import { PROPERTY_TEXT_MAX } from '../../schemas/contacts.ts';
import { type Attack, attacksOn, textOf } from './attacks.ts';
import { HOLD_MS_MAX, leastOf } from './cpu.ts';
import { type FoundPattern, findPatterns } from './find-patterns.ts';

/** Made of what a caller gave, when the program runs: each with why it is bounded, and held by a test of its own below. */
const MADE_AT_RUN_TIME = {
  'core/contacts/filters/value-tests.ts':
    'an escaped text of at most 1,000 characters, against stored texts of at most 4,096',
  'core/contacts/filters/queries.ts': 'the same pattern, against "true", "false" and a number',
};
const CONTAINS = { field: 'contactProperties.note', operator: 'contains' };
const VALUE_LENGTH_MAX = 1_000;
const LENGTH = 100_000;
/** A tenth of the text may take a third of the time: a quadratic pattern shows here, before it is given the whole text. */
const SHORT = { length: LENGTH / 10, msMax: HOLD_MS_MAX / 3 };

describe('Regular expressions', () => {
  const { found, unresolved } = findPatterns();

  it('are found in every folder of production code', () => {
    const folders = new Set(found.map(({ at }) => at.split('/')[0]));
    expect([...folders]).to.include.members(['api', 'core', 'platform', 'schemas', 'workers', 'stack']);
    expect(found.length).to.be.above(250);
  });

  it('are known before the program runs, but for the listed ones', () => {
    expect([...new Set(unresolved)]).to.have.members(Object.keys(MADE_AT_RUN_TIME));
  });

  it('take linear time by analysis', () => {
    const faults = found.flatMap(({ at, pattern }) => {
      const { reports } = analyse({ source: pattern.source, flags: pattern.flags });
      return reports.map(({ type, character }) => `${at} ${pattern}: ${type} on ${JSON.stringify(character.pick)}`);
    });
    expect(faults).to.deep.equal([]);
  }).timeout(120_000);

  it(`take less than ${HOLD_MS_MAX} ms for 100,000 of their own characters`, () => {
    expect(found.flatMap(slowRun)).to.deep.equal([]);
  }).timeout(300_000);

  it('that are made of a filter take less, since its value and what is stored have lengths', () => {
    const groupOf = (length: number) => ({ ...CONTAINS, value: `${'a'.repeat(length - 1)}b` });
    const read = (length: number) =>
      parseFilter({ logicalOperator: 'AND', groups: [groupOf(length)] }, { contactProperties: {} });
    expect(read(VALUE_LENGTH_MAX + 1).ok).to.equal(false);
    const made = read(VALUE_LENGTH_MAX);
    if (!made.ok) throw new Error(made.details);
    const matches = compileFilter(made.filter);
    const note = 'a'.repeat(PROPERTY_TEXT_MAX);
    expect(leastOf(() => matches({ contact: { contactProperties: { note } } }))).to.be.below(HOLD_MS_MAX);
  });

  it('would be found slow when they are', () => {
    for (const pattern of [/ +$/, /^\d+\.?\d*$/])
      expect(slowRun({ at: 'here', pattern }), String(pattern)).to.have.length(1);
  }).timeout(60_000);
});

function slowRun({ at, pattern }: FoundPattern): string[] {
  const { source, flags } = pattern;
  const { parsed } = analyse({ source, flags });
  for (const attack of attacksOn(parsed.pattern, flags)) {
    const ms = timeOf(pattern, attack);
    if (ms > HOLD_MS_MAX) return [`${at} ${pattern}: ${ms.toFixed(0)} ms for ${JSON.stringify(attack)}`];
  }
  return [];
}

function timeOf({ source, flags }: RegExp, attack: Attack): number {
  const one = new RegExp(source, flags.replace('g', ''));
  const all = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  const timeFor = (length: number, msMax: number) => {
    const text = textOf(attack, length);
    return Math.max(...[() => one.test(text), () => text.replace(all, '')].map((search) => leastOf(search, msMax)));
  };
  const short = timeFor(SHORT.length, SHORT.msMax);
  return short > SHORT.msMax ? short * (LENGTH / SHORT.length) ** 2 : timeFor(LENGTH, HOLD_MS_MAX);
}
