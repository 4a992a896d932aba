import { expect } from 'chai';
import fc from 'fast-check';
import { validateBody } from '../../api/http/validate.ts';
import { readContactRow } from '../../core/people/contacts/parse-row.ts';
import { upsertContactBody } from '../../schemas/people/contacts.ts';

const strange = fc.constantFrom(
  ...['', 'a\nb', '\u2028', 'x'.repeat(256), 'x'.repeat(257), '😀'.repeat(256), '😀'.repeat(257), 'x'.repeat(4_097)],
);
const text = fc.string({ maxLength: 12, unit: fc.constantFrom(...'abé 😀"\'') });
const anything = fc.oneof(strange, fc.constantFrom<unknown>(null, 5, true, [], {}, ['x'], { a: 1 }));
const mostly = (usual: fc.Arbitrary<unknown>, other: fc.Arbitrary<unknown> = anything) =>
  fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: other });

const name = mostly(
  fc.constantFrom('a', 'A_1', 'constructor', 'toString'),
  fc.constantFrom('a.b', '', '$x', 'x'.repeat(65)),
);
const value = mostly(
  fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
);
const properties = mostly(
  fc.dictionary(name as fc.Arbitrary<string>, value, { maxKeys: 4 }),
  fc.oneof(anything, fc.constant(Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`p${index}`, index])))),
);
const email = mostly(
  fc.constantFrom('a@b.test', ' A@B.test', 'a@例え.jp', 'a@b.test.'),
  fc.oneof(fc.constantFrom('a@b', 'nope', `${'x'.repeat(320)}@b.test`), anything),
);
const row = fc.record(
  {
    email,
    firstName: mostly(text),
    lastName: mostly(text),
    userId: mostly(text),
    mobile: mostly(fc.constantFrom('+12025550123', '', null), fc.oneof(fc.constantFrom('123', '+0123'), anything)),
    contactProperties: properties,
    customFields: properties,
    listIds: mostly(fc.array(text, { maxLength: 3 }), fc.oneof(fc.constant(Array(101).fill('x')), anything)),
    unknown: anything,
  },
  { requiredKeys: ['email'] },
);

describe('A row of many contacts', () => {
  it('is judged as the schema of one contact judges a body', () => {
    const seen = { good: 0, bad: 0 };
    fc.assert(
      fc.property(mostly(row), (given) => {
        const read = readContactRow(given);
        seen[read.ok ? 'good' : 'bad'] += 1;
        expect(read.ok, JSON.stringify(given)).to.equal(passes(given));
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(seen.good, seen.bad)).to.be.above(500);
  });

  it('keeps the fields that it knows, in their normal form, and no others', () => {
    const given = { email: ' A@B.Test. ', firstName: '', mobile: null, contactProperties: { a: null }, role: 'admin' };
    expect(readContactRow(given)).to.deep.equal({
      ok: true,
      row: { email: 'a@b.test', firstName: '', mobile: null, contactProperties: { a: null } },
    });
  });

  it('refuses what no HTTP body can carry: numbers without end, NUL, half characters, names of prototypes', () => {
    for (const contactProperties of [{ a: Infinity }, { a: 'x\0' }, { a: '\ud800' }, JSON.parse('{"__proto__":1}')])
      expect(readContactRow({ email: 'a@b.test', contactProperties }).ok).to.equal(false);
    expect(readContactRow({ email: 'a@b.test', firstName: '\ud800' }).ok).to.equal(false);
  });
});

function passes(given: unknown): boolean {
  try {
    validateBody(upsertContactBody, structuredClone(given), 0);
    return true;
  } catch {
    return false;
  }
}
