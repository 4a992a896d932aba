import { expect } from 'chai';
import { JSON_PARTS_MAX, JSON_VALUES_MAX, parseJson } from '../../core/base/text/json.ts';
import { HOLD_MS_MAX, leastOf } from './cpu.ts';

const LENGTH = 1_048_576;
const listOf = (entry: string) => `[${Array(Math.floor((LENGTH - 1) / (entry.length + 1))).fill(entry)}]`;
const numbered = (count: number, one: (name: string) => string) =>
  Array.from({ length: count }, (_, index) => one(index.toString(36))).join(',');
const bodies = {
  numbers: listOf('1'),
  'empty texts': listOf('""'),
  'texts of escapes': listOf(`"${'\\"'.repeat(50)}"`),
  'one text': `["${'\u00fc'.repeat(LENGTH / 2 - 2)}"]`,
  'one text of backslashes': `["${'\\\\'.repeat(LENGTH / 2 - 2)}"]`,
};
const fields = {
  'different fields': `{${numbered(JSON_PARTS_MAX - 1, (name) => `"${name}":0`)}}`,
  'different objects': `[${numbered(JSON_PARTS_MAX / 2 - 1, (name) => `{"${name}":1}`)}]`,
  'empty arrays': `[${numbered(JSON_PARTS_MAX - 1, () => '[]')}]`,
  'deep arrays': `[${numbered(JSON_PARTS_MAX / 31 - 1, () => `${'['.repeat(31)}${']'.repeat(31)}`)}]`,
  'empty objects': `[${numbered(JSON_PARTS_MAX - 1, () => '{}')}]`,
};

describe('A JSON body that is parsed inline', () => {
  for (const [content, text] of Object.entries(bodies))
    it(`of 1 MiB holds the event loop for less than ${HOLD_MS_MAX} ms with ${content}`, () => {
      const bytes = Buffer.from(text);
      expect(bytes.length).to.be.within(LENGTH - 128, LENGTH);
      expect(leastOf(() => parseJson(bytes))).to.be.lessThan(HOLD_MS_MAX);
    });

  for (const [content, text] of Object.entries(fields))
    it(`holds the event loop for less than ${HOLD_MS_MAX} ms with as many ${content} as one may have`, () => {
      expect(leastOf(() => parseJson(Buffer.from(text)))).to.be.lessThan(HOLD_MS_MAX);
    });

  it('is refused by the number of its fields, objects and values before it is parsed', () => {
    const refused = (text: string) => () => parseJson(Buffer.from(text));
    expect(refused(`{${numbered(JSON_PARTS_MAX, (name) => `"${name}":0`)}}`)).to.throw(
      '40000 objects, arrays and fields',
    );
    expect(refused(`[${numbered(JSON_PARTS_MAX, () => '[]')}]`)).to.throw('40000 objects, arrays and fields');
    expect(refused(`[${numbered(JSON_VALUES_MAX + 1, () => '1')}]`)).to.throw('600000 values');
    expect(refused(`["${'{:,'.repeat(200_000)}\\"${':{,'.repeat(200_000)}"]`)).not.to.throw();
  });
});
