import { expect } from 'chai';
import { fingerprintOf } from '../../api/http/fingerprint.ts';
import { validateBody } from '../../api/http/validate.ts';
import { JSON_PARTS_MAX, JSON_VALUES_MAX, parseJson } from '../../core/base/text/json.ts';
import { createWebhookBody } from '../../schemas/events/webhooks.ts';
import { searchEmailsBody } from '../../schemas/people/contacts.ts';
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

  for (const [content, text] of Object.entries({ ...bodies, ...fields }))
    it(`gets its fingerprint in less than ${HOLD_MS_MAX} ms with ${content}`, () => {
      const body = parseJson(Buffer.from(text));
      expect(leastOf(() => fingerprintOf('POST', '/v1/contacts', body))).to.be.lessThan(HOLD_MS_MAX);
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

describe('A body whose every value is a fault', () => {
  const wrong = {
    'addresses of contacts': [searchEmailsBody, (list: unknown[]) => ({ emails: list })],
    'events of a webhook': [createWebhookBody, (list: unknown[]) => ({ url: 'x', events: list })],
  } as const;
  for (const [what, [schema, bodyOf]] of Object.entries(wrong))
    for (const count of [499_990, 19_900])
      it(`is refused and holds the event loop for less than ${HOLD_MS_MAX} ms: ${count} ${what}`, () => {
        const body = bodyOf(Array(count).fill(0));
        const refuse = () => validateBody(schema as typeof searchEmailsBody, body, 999_999);
        expect(refuse).to.throw('The request is not valid: ');
        expect(leastOf(() => expect(refuse).to.throw())).to.be.lessThan(HOLD_MS_MAX);
      });

  it('that is small names each of the first faults', () => {
    const refuse = () => validateBody(createWebhookBody, { url: 'x', events: Array(500).fill(0) }, 1_000);
    expect(refuse).to.throw('events/18: ');
  });
});
