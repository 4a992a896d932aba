import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { EditorState } from 'prosemirror-state';
import { contentOf, docOf } from '../../../console/mail-editor/model/convert.ts';
import { freshBlock } from '../../../console/mail-editor/model/fresh.ts';
import { KINDS } from '../../../console/mail-editor/model/schema.ts';
import { checkContent } from '../../../core/templates/blocks/check.ts';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { blockTypes } from '../../../schemas/templates/blocks.ts';

const RUNS = 300;
const RUN_MS_MAX = 60_000;
const DEPTH_MAX = 3;

/** An object with its fields in any order, some of them left out, and an unknown one. */
function object(required: Record<string, fc.Arbitrary<unknown>>, optional: Record<string, fc.Arbitrary<unknown>> = {}) {
  const all = { ...required, ...optional, unknown: fc.jsonValue({ maxDepth: 1 }) };
  const left = [...Object.keys(optional), 'unknown'];
  return fc
    .tuple(
      fc.record(all, { requiredKeys: Object.keys(required) as never[] }),
      fc.shuffledSubarray(Object.keys(all), { minLength: Object.keys(all).length }),
      fc.subarray(left),
    )
    .map(([values, order, kept]) =>
      Object.fromEntries(
        order
          .filter((name) => name in values && (name in required || kept.includes(name)))
          .map((name) => [name, (values as Record<string, unknown>)[name]]),
      ),
    );
}

const words = fc.oneof(fc.constantFrom('', 'Bread', ' and ', 'ö'), fc.string({ maxLength: 6 }));
const flag = fc.boolean();
const colour = fc.constantFrom('#112233', '#AABBCC');
const look = { bold: flag, italic: flag, href: fc.constantFrom('https://a.example/', 'https://b.example/'), colour };
const span = fc.oneof(
  object({ text: words }, look),
  object({ variable: fc.constantFrom('firstName', 'order.total') }, { fallback: words, ...look }),
  object({ break: fc.constant(true) }, look),
);
const spans = fc.array(span, { maxLength: 4 });
/** A button is one link as a whole. */
const unlinked = spans.map((all) => all.map(({ href: _, ...others }) => others));
const align = fc.constantFrom('left', 'center', 'right');
const node = fc.oneof(
  object({ type: fc.constant('paragraph'), spans }, { align }),
  object(
    { type: fc.constant('list'), items: fc.array(spans, { minLength: 1, maxLength: 3 }) },
    { align, ordered: flag },
  ),
);
const links = fc.array(object({ label: words, href: words }), { minLength: 1, maxLength: 3 });
const test = object({ variable: words, is: fc.constant('equals'), value: words });

let ids = 0;
const id = fc.constant(null).map(() => {
  ids += 1;
  return `b${ids}`;
});
const of = (
  type: string,
  required: Record<string, fc.Arbitrary<unknown>> = {},
  optional: Record<string, fc.Arbitrary<unknown>> = {},
) => object({ id, type: fc.constant(type), ...required }, optional);

const flat: Record<string, fc.Arbitrary<unknown>> = {
  text: of('text', { nodes: fc.array(node, { maxLength: 3 }) }),
  heading: of('heading', { level: fc.constantFrom(1, 2, 3), spans }, { align }),
  image: of('image', { src: words, alt: words }, { title: words, href: words, width: fc.nat(), align }),
  button: of('button', { spans: unlinked, href: words }, { background: colour, colour, align }),
  divider: of('divider', {}, { colour, thickness: fc.nat() }),
  space: of('space', { height: fc.nat() }),
  social: of('social', { links }, { align }),
  menu: of('menu', { links }, { align }),
  quote: of('quote', { spans }, { by: words }),
  table: of(
    'table',
    { rows: fc.array(fc.array(spans, { minLength: 1, maxLength: 3 }), { maxLength: 3 }) },
    { head: fc.array(words), align: fc.array(align) },
  ),
  video: of('video', { href: words, src: words, alt: words }, { label: words, width: fc.nat() }),
  signature: of('signature', { name: words }, { lines: fc.array(spans, { maxLength: 3 }), src: words, alt: words }),
  header: of('header', { name: words }, { src: words, href: words, width: fc.nat(), align }),
  footer: of('footer', { unsubscribe: words }, { spans, preferences: words }),
  html: of('html', { html: words }),
  snippet: of('snippet', { name: words }),
  content: of('content'),
};

function blocks(depth: number): fc.Arbitrary<unknown[]> {
  const frames = depth >= DEPTH_MAX ? {} : framesOf(blocks(depth + 1));
  return fc.array(fc.oneof(...Object.values({ ...flat, ...frames })), { maxLength: 4 });
}

function framesOf(inside: fc.Arbitrary<unknown[]>): Record<string, fc.Arbitrary<unknown>> {
  const column = object({ share: fc.nat(), blocks: inside });
  return {
    columns: of('columns', { columns: fc.array(column, { minLength: 2, maxLength: 4 }) }),
    when: of(
      'when',
      { tests: fc.array(test, { minLength: 1, maxLength: 2 }), blocks: inside },
      { match: fc.constant('any'), otherwise: inside },
    ),
    each: of('each', { list: words, blocks: inside }, { otherwise: inside }),
  };
}

const content = object(
  { v: fc.constant(1), blocks: blocks(1) },
  { look: object({}, { width: fc.nat(), accent: colour }) },
) as fc.Arbitrary<unknown> as fc.Arbitrary<Content>;

const written = (value: unknown) => JSON.stringify(value);

describe('The document of the editor of mails', function () {
  this.timeout(RUN_MS_MAX);
  it('knows every type of content block', () => {
    expect(KINDS).to.have.members(blockTypes);
    expect(Object.keys({ ...flat, ...framesOf(fc.constant([])) })).to.have.members(blockTypes);
  });

  it('keeps content byte for byte, with fields that it does not know', () => {
    fc.assert(
      fc.property(content, (one) => {
        expect(written(contentOf(docOf(one)))).to.equal(written(one));
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps what is not edited byte for byte when one word is typed, and takes the word back', () => {
    fc.assert(
      fc.property(content, fc.nat(), (one, chosen) => {
        const state = EditorState.create({ doc: docOf(one) });
        const places: number[] = [];
        state.doc.descendants((inner, at) => {
          if (inner.inlineContent) places.push(at + 1);
        });
        const at = places[chosen % places.length];
        if (at === undefined) return;
        const typed = state.apply(state.tr.insertText('Rye', at));
        const top = typed.doc.resolve(at).index(0);
        const after = contentOf(typed.doc);
        expect(written(after)).not.to.equal(written(one));
        expect(after.blocks.filter((_, index) => index !== top).map(written)).to.deep.equal(
          one.blocks.filter((_, index) => index !== top).map(written),
        );
        const back = typed.apply(typed.tr.delete(at, at + 3));
        expect(written(contentOf(back.doc))).to.equal(written(one));
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps the examples of the documentation', () => {
    const text = readFileSync('docs/blocks.md', 'utf8');
    const examples = [...text.matchAll(/^```json\n(\{"id"[\s\S]*?)\n```$/gm)].map(([, json]) => JSON.parse(json!));
    expect(new Set(examples.map(({ type }) => type))).to.have.all.keys(blockTypes);
    const one = { v: 1, blocks: examples } as Content;
    expect(written(contentOf(docOf(one)))).to.equal(written(one));
  });

  it('makes new blocks that the interface takes', () => {
    const all: Block[] = KINDS.map((type) => freshBlock(type, `new-${type}`));
    const one = checkContent({ v: 1, blocks: all });
    expect(written(contentOf(docOf(one)))).to.equal(written(one));
  });
});
