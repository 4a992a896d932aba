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
} from '../../core/mail/compose/tokens.ts';
import { leastOf } from '../linear/cpu.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from './run.ts';

const config = { secretKeys: [`test:${Buffer.alloc(32, 7).toString('base64')}`] };
const strangers = { secretKeys: [`other:${Buffer.alloc(32, 8).toString('base64')}`] };
const readers = [readOpenToken, readClickToken, readUnsubscribeToken, readMailLocalPart] as const;

type Change = { kind: 'flip' | 'cut' | 'insert' | 'case'; at: number; letter: string };

/** Any text, text of the alphabet of tokens, and one far above their length. */
export const guesses = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.stringMatching(/^[\w-]{0,400}$/),
  fc.stringMatching(/^[bu]\+([a-z2-7]{39}|[a-z2-7]{48})-[0-9a-f]{12}$/),
  fc
    .tuple(fc.stringMatching(/^[\w+-]$/), fc.integer({ max: 100_000, min: 1 }))
    .map(([one, times]) => one.repeat(times)),
);

export const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'insert', 'case'),
  at: fc.nat(1_000),
  letter: fc.stringMatching(/^[\w+-]$/),
});

const refs = fc.record({
  email: fc.emailAddress(),
  target: fc.webUrl({ withQueryParameters: true }),
  group: fc.constantFrom(null, 'ABC123'),
});

/** Never the same text again. */
export function changed(token: string, { kind, at, letter }: Change): string {
  const index = at % token.length;
  const [head, one, tail] = [token.slice(0, index), token[index] ?? '', token.slice(index + 1)];
  if (kind === 'cut') return head;
  if (kind === 'insert') return head + letter + one + tail;
  const other = kind === 'case' && one.toLowerCase() !== one.toUpperCase() ? swapCase(one) : letter;
  return head + (other === one ? (one === 'x' ? 'y' : 'x') : other) + tail;
}

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

/** Reads only what was signed, for what it was signed, and with our key. */
export function fuzzTokens(options: FuzzOptions): Promise<FuzzResult> {
  return fuzz(
    'tracking and unsubscribe tokens',
    fc.record({ guess: guesses, change: changes, of: refs }),
    ({ guess, change, of: { email, target, group } }) => {
      const ref = { projectId: new ObjectId(), messageId: new ObjectId() };
      const unsubscribing = { ...ref, groupId: group, email };
      const made = [
        openToken(config, ref),
        clickToken(config, ref, target),
        unsubscribeToken(config, unsubscribing),
        mailLocalPart(config, 'u', { ...ref, groupId: group }),
      ];
      const work = () => {
        for (const [index, read] of readers.entries()) {
          expect(read(config, guess)).to.equal(null);
          expect(read(strangers, made[index] ?? '')).to.equal(null);
          for (const [other, token] of made.entries()) {
            if (other !== index) expect(read(config, token)).to.equal(null);
            // Mail servers change the case of local parts, so it does not count there.
            const isSame = index === 3 && changed(token, change).toLowerCase() === token;
            if (!isSame) expect(read(config, changed(token, change))).to.equal(null);
          }
        }
        expect(readOpenToken(config, made[0] ?? '')).to.deep.equal(ref);
        expect(readClickToken(config, made[1] ?? '')).to.deep.equal({ ...ref, target });
        const numbered = clickToken(config, ref, target, 7);
        expect(readClickToken(config, numbered)).to.deep.equal({ ...ref, target, link: 7 });
        expect(readClickToken(config, changed(numbered, change))).to.equal(null);
        expect(readUnsubscribeToken(config, made[2] ?? '')).to.deep.equal(unsubscribing);
        expect(readMailLocalPart(config, made[3] ?? '')).to.deep.equal({ kind: 'u', ...ref, groupId: group });
      };
      return leastOf(work);
    },
    options,
  );
}
