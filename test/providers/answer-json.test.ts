import { expect } from 'chai';
import fc from 'fast-check';
import { parsedAnswer, parsedTexts, TooManyValues } from '../../platform/providers/answer-json.ts';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
import { leastHold } from '../linear/hold.ts';

const MIB = 1024 * 1024;

describe('The JSON of a provider', () => {
  const texts = async (bytes: Buffer) => {
    const all: unknown[] = [];
    for await (const slice of parsedTexts(bytes)) all.push(...(slice as unknown[]));
    return all;
  };

  it('is the value that JSON.parse reads, texts in slices too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.array(fc.string({ unit: 'binary' })), async (value, list) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(await parsedAnswer(bytes)).deep.equal(JSON.parse(bytes.toString()));
        expect(await texts(Buffer.from(JSON.stringify(list)))).deep.equal(JSON.parse(JSON.stringify(list)));
      }),
    );
  });

  it('is cut between two texts, whatever they contain', async () => {
    const odd = ['a",b', 'a\\",b', '\\', '",', 'ü', '"'];
    const list = Array.from({ length: 100_000 }, (_, index) => `${odd[index % odd.length]}${index}`);
    expect(await texts(Buffer.from(JSON.stringify(list)))).deep.equal(list);
  });

  /** Counts them: an array that grows by millions costs as much as the parse. */
  const count = async (bytes: Buffer) => {
    let texts = 0;
    for await (const slice of parsedTexts(bytes)) texts += (slice as unknown[]).length;
    return texts;
  };

  const cases: [string, (bytes: Buffer) => Promise<unknown>, Buffer, 'read' | 'refused'][] = [
    ['10 MiB of empty objects', parsedAnswer, Buffer.from(`[${'{},'.repeat((10 * MIB) / 3)}{}]`), 'refused'],
    ['10 MiB of numbers', parsedAnswer, Buffer.from(`[${'1,'.repeat(5 * MIB)}1]`), 'refused'],
    ['10 MiB of brackets', parsedAnswer, Buffer.from('['.repeat(10 * MIB)), 'refused'],
    ['10 MiB of one text full of commas', parsedAnswer, Buffer.from(`"${','.repeat(10 * MIB)}"`), 'read'],
    ['60 MiB of addresses', count, Buffer.from(`[${'"person12345@example.com",'.repeat(2_300_000)}""]`), 'read'],
    ['60 MiB of empty objects for addresses', count, Buffer.from(`[${'{},'.repeat(20 * MIB)}{}]`), 'refused'],
  ];
  for (const [name, parse, bytes, outcome] of cases)
    it(`holds the thread for under ${HOLD_MS_MAX} ms: ${name}`, async () => {
      const { holdMs, result } = await leastHold(() => outcomeOf(parse(bytes)));
      expect(result).equal(outcome);
      expect(holdMs).below(HOLD_MS_MAX);
    });
});

function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'read',
    (error: unknown) => (error instanceof TooManyValues ? 'refused' : error),
  );
}
