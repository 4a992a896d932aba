import { expect } from 'chai';
import { analyse } from 'scslre';
import { type Attack, attacksOn, textOf } from './attacks.ts';
import { HOLD_MS_MAX, leastOf } from './cpu.ts';
import { type FoundPattern, findPatterns } from './find-patterns.ts';

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

  it('are known before the program runs: none is made of what a caller gave', () => {
    expect(unresolved).to.deep.equal([]);
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
