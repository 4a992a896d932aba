import { expect } from 'chai';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { checkContent } from '../../../core/templates/blocks/check.ts';
import { compileContent } from '../../../core/templates/blocks/content.ts';
import { compileTemplate, renderTemplate } from '../../../core/templates/language/templates.ts';
import type { Block, Span } from '../../../schemas/templates/block-types.ts';

const word = fc
  .string({ unit: fc.constantFrom(...'ab<>&"\'{}\\ /=;:#-é'), minLength: 1, maxLength: 8 })
  .filter((text) => !text.includes('{{'));
const address = fc.integer({ min: 0, max: 9_999 }).map((number) => `https://a.example/${number}?x=1&y=2`);
const span: fc.Arbitrary<Span> = fc.record(
  {
    text: word,
    href: address,
    bold: fc.boolean(),
    italic: fc.boolean(),
    colour: fc.constantFrom('#123456', '#ABCDEF'),
  },
  { requiredKeys: ['text'] },
);
const variable: fc.Arbitrary<Span> = fc.record({ variable: fc.constantFrom('name', 'a.b'), bold: fc.boolean() });
const spans = fc.array(fc.oneof(span, variable), { minLength: 1, maxLength: 5 });
const own = spans.map((all) => all.map(({ href: _, ...rest }) => rest));
const link = fc.record({ label: word, href: address });

/** Every type without other blocks inside, and `html`, whose words are not spans. */
const leaf = fc.oneof(
  fc.record({
    type: fc.constant('text'),
    nodes: fc.tuple(
      fc.record({ type: fc.constant('paragraph'), spans }),
      fc.record({
        type: fc.constant('list'),
        ordered: fc.boolean(),
        items: fc.array(spans, { minLength: 1, maxLength: 3 }),
      }),
    ),
  }),
  fc.record({ type: fc.constant('heading'), level: fc.constantFrom(1, 2, 3), spans }),
  fc.record({ type: fc.constant('quote'), spans, by: word }),
  fc.record({ type: fc.constant('signature'), name: word, lines: fc.array(spans, { maxLength: 2 }) }),
  fc.record({
    type: fc.constant('table'),
    head: fc.array(word, { minLength: 1, maxLength: 3 }),
    rows: fc.array(fc.array(spans, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  }),
  fc.record({ type: fc.constantFrom('menu', 'social'), links: fc.array(link, { minLength: 1, maxLength: 3 }) }),
  fc.record({ type: fc.constant('button'), spans: own, href: address }),
  fc.record({ type: fc.constant('image'), src: fc.constant('https://a.example/a.png'), alt: word, href: address }),
  fc.record({
    type: fc.constant('video'),
    src: fc.constant('https://a.example/a.png'),
    alt: word,
    label: word,
    href: address,
  }),
  fc.record({ type: fc.constant('header'), name: word, href: address }),
);
const leaves = fc.array(leaf, { minLength: 1, maxLength: 3 });
const some = fc.oneof(
  leaf,
  fc.record({ type: fc.constant('when'), tests: fc.constant([{ variable: 'name', is: 'set' }]), blocks: leaves }),
  fc.record({ type: fc.constant('each'), list: fc.constant('list'), blocks: leaves }),
  fc.tuple(leaves, leaves).map(([left, right]) => ({
    type: 'columns',
    columns: [
      { share: 1, blocks: left },
      { share: 2, blocks: right },
    ],
  })),
);
const content = fc
  .array(some, { minLength: 1, maxLength: 4 })
  .map((blocks) => ({ v: 1, blocks: numbered(blocks, 'b') }));

const HOSTILE = '<i>"\'&{{x}}</i>';
const DATA = { name: HOSTILE, a: { b: HOSTILE }, list: [{ name: HOSTILE, a: { b: HOSTILE } }] };

describe('Content blocks', function () {
  this.timeout(30_000);

  it('keep every word and link, from the content to the HTML and to the text', () => {
    fc.assert(
      fc.property(content, (given) => {
        const { html, text } = rendered(given);
        const page = read(html);
        const { words, links } = wordsOf(given.blocks);
        for (const one of words) {
          expect(page.words, 'HTML').to.contain(squeezed(one));
          expect(squeezed(text), 'text').to.contain(squeezed(one));
        }
        for (const one of links) {
          expect(page.links, 'HTML').to.contain(one);
          expect(text, 'text').to.contain(one);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('make the same elements whatever the words and values are: nothing leaves its place', () => {
    fc.assert(
      fc.property(content, (given) => {
        const harmless = JSON.parse(JSON.stringify(given), (key, value) =>
          WORDS.has(key) && typeof value === 'string' ? 'w' : value,
        );
        harmless.blocks = withHeads(harmless.blocks);
        const plain = { name: 'w', a: { b: 'w' }, list: [{ name: 'w', a: { b: 'w' } }] };
        expect(read(rendered(given).html).elements).to.deep.equal(read(rendered(harmless, plain).html).elements);
      }),
      { numRuns: 60 },
    );
  });

  it('are the same sources each time, and no source leaves a tag of the template language open', () => {
    fc.assert(
      fc.property(content, (given) => {
        expect(sources(given)).to.deep.equal(sources(JSON.parse(JSON.stringify(given))));
      }),
      { numRuns: 50 },
    );
  });

  it('encode the value of a query in HTML and in the text alike', () => {
    const href = 'https://a.example/?to={{to default="no one"}}';
    const button = { id: 'b', type: 'button', spans: [{ text: 'Go' }], href };
    const { html, text } = rendered({ v: 1, blocks: [button] }, { to: 'a+b@c d&e=f' });
    expect(read(html).links).to.deep.equal(['https://a.example/?to=a%2Bb%40c%20d%26e%3Df']);
    expect(text).to.equal('Go (https://a.example/?to=a%2Bb%40c%20d%26e%3Df)');
    expect(rendered({ v: 1, blocks: [button] }, {}).text).to.equal('Go (https://a.example/?to=no%20one)');
  });

  it('write a fallback with quotes and markup as the words that it is', () => {
    const spans = [{ variable: 'nobody', fallback: `"the" <b>'team'` }];
    const { html, text } = rendered({ v: 1, blocks: [{ id: 'b', type: 'heading', level: 1, spans }] });
    expect(read(html).words).to.contain(squeezed(`"the" <b>'team'`));
    expect(text).to.equal(`"the" <b>'team'`);
  });

  it('show the blocks of a condition that holds, and else the others', () => {
    const heading = (id: string, text: string) => ({ id, type: 'heading', level: 1, spans: [{ text }] });
    const shown = (test: object, data: object) =>
      rendered(
        {
          v: 1,
          blocks: [
            {
              id: 'w',
              type: 'when',
              tests: [test].flat(),
              blocks: [heading('a', 'yes')],
              otherwise: [heading('b', 'no')],
            },
          ],
        },
        data,
      ).text;
    const rows: Array<[test: object, data: object, text: string]> = [
      [{ variable: 'a', is: 'set' }, { a: 'x' }, 'yes'],
      [{ variable: 'a', is: 'set' }, { a: '' }, 'no'],
      [{ variable: 'a', is: 'set' }, { a: 0 }, 'yes'],
      [{ variable: 'a', is: 'unset' }, {}, 'yes'],
      [{ variable: 'a', is: 'equals', value: 'x "y"' }, { a: 'x "y"' }, 'yes'],
      [{ variable: 'a', is: 'notEquals', value: 'x' }, { a: 'x' }, 'no'],
      [{ variable: 'a', is: 'greaterThan', value: 9 }, { a: 10 }, 'yes'],
      [{ variable: 'a', is: 'lessThan', value: -1.5 }, { a: -2 }, 'yes'],
      [
        [
          { variable: 'a', is: 'set' },
          { variable: 'b', is: 'set' },
        ],
        { a: 1 },
        'no',
      ],
    ];
    for (const [test, data, text] of rows) expect(shown(test, data), JSON.stringify([test, data])).to.equal(text);
  });
});

function numbered(blocks: object[], at: string): object[] {
  return blocks.map((block, index) => {
    const id = `${at}-${index}`;
    const { blocks: inside, columns } = block as { blocks?: object[]; columns?: Array<{ blocks: object[] }> };
    return {
      id,
      ...block,
      ...(inside && { blocks: numbered(inside, id) }),
      ...(columns && {
        columns: columns.map((one, column) => ({ ...one, blocks: numbered(one.blocks, `${id}-${column}`) })),
      }),
    };
  });
}

function sources(given: object) {
  return compileContent(checkContent(given));
}

function rendered(given: object, data: object = DATA) {
  const { html, text } = sources(given);
  const of = (source: string, kind: 'html' | 'text') => {
    const made = compileTemplate(source, kind);
    if (!made.ok) throw new Error(`${made.message} in ${source}`);
    return renderTemplate(made.template, { ...data });
  };
  return { html: of(html, 'html'), text: of(text, 'text').trim() };
}

function read(html: string) {
  const elements: string[] = [];
  const links: string[] = [];
  let words = '';
  const parser = new Parser({
    onopentag(name, attributes) {
      elements.push(`${name} ${Object.keys(attributes).join(' ')}`);
      if (name === 'a') links.push(attributes.href!);
      if (attributes.alt) words += attributes.alt;
    },
    onclosetag(name) {
      elements.push(`/${name}`);
    },
    ontext(text) {
      words += text;
    },
  });
  parser.end(html);
  return { elements, links, words: squeezed(words) };
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}

const WORDS = new Set(['text', 'label', 'alt', 'by']);

/** Names and heads are words too, but their keys are those of other fields. */
function withHeads(blocks: Array<Record<string, unknown>>): Array<Record<string, unknown>> {
  return blocks.map((block) => ({
    ...block,
    ...(block.type === 'header' || block.type === 'signature' ? { name: 'w' } : {}),
    ...(block.head ? { head: (block.head as string[]).map(() => 'w') } : {}),
  }));
}

function wordsOf(given: unknown): { words: string[]; links: string[] } {
  const words: string[] = [];
  const links: string[] = [];
  JSON.stringify(given as Block[], (key, value) => {
    if (typeof value === 'string' && WORDS.has(key)) words.push(value);
    if (key === 'href') links.push(value);
    if (key === 'head') words.push(...value);
    return value;
  });
  return { words, links };
}
