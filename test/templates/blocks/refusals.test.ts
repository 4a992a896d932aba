import { expect } from 'chai';
import { AppError } from '../../../core/base/errors.ts';
import { checkContent } from '../../../core/templates/blocks/check.ts';

const words = (text: string, more = {}) => ({ id: 'b', type: 'heading', level: 1, spans: [{ text, ...more }] });
const space = (id: string) => ({ id, type: 'space', height: 8 });
const button = (href: string) => ({ id: 'b', type: 'button', spans: [{ text: 'Go' }], href });
const picture = (src: string) => ({ id: 'b', type: 'image', src, alt: '' });
const when = (blocks: object[], tests: object[] = [{ variable: 'plan', is: 'set' }]) => ({
  id: 'w',
  type: 'when',
  tests,
  blocks,
});
const code = (html: string) => ({ id: 'b', type: 'html', html });
const deep = (levels: number): object =>
  levels === 1 ? space('deep') : { ...when([deep(levels - 1)]), id: `w${levels}` };
const column = (blocks: object[]) => ({ share: 1, blocks });
const footer = { id: 'f', type: 'footer', unsubscribe: 'Unsubscribe' };

/** The details of the refusal; null for content that is taken. */
function detailsOf(content: unknown): string | null {
  try {
    checkContent(content);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.kind).to.equal('invalid');
    return error.details ?? '';
  }
}
const of = (...blocks: unknown[]) => detailsOf({ v: 1, blocks });

describe('Content that is refused', () => {
  it('names the path and the id of the block, and what is wrong', () => {
    expect(of(space('a'), when([{ ...button('javascript:alert(1)'), id: 'order' }]))).to.equal(
      'content/blocks/1/blocks/0/href (block "order"): must be an address of http, https, mailto, tel or sms',
    );
  });

  it('is what is no document of blocks', () => {
    for (const content of [
      null,
      5,
      'x',
      [],
      {},
      { v: 2, blocks: [] },
      { v: 1 },
      { v: 1, blocks: {} },
      { v: 1, blocks: [5] },
    ])
      expect(detailsOf(content), JSON.stringify(content)).to.match(/^content/);
    expect(detailsOf({ v: 1, blocks: [] })).to.equal(null);
  });

  it('is what names no language to write in', () => {
    const written = (language: string) => detailsOf({ v: 1, look: { language }, blocks: [] });
    for (const language of ['xx', 'xx-notatag', 'fr-notatag', 'fr-QQ', 'notatag'])
      expect(written(language), language).to.match(/^content\/look\/language: must/);
    for (const language of ['en', 'pt-BR', 'zh-Hant-TW', 'gsw', 'PT-br']) expect(written(language)).to.equal(null);
  });

  const refused: Array<[name: string, blocks: unknown[], details: RegExp]> = [
    [
      'an unknown type',
      [{ id: 'b', type: 'marquee' }],
      /^content\/blocks\/0\/type \(block "b"\): must be one of text, /,
    ],
    ['a type of the prototype', [{ id: 'b', type: 'constructor' }], /type \(block "b"\): must be one of/],
    ['a block without a type', [{ id: 'b' }], /type \(block "b"\): must be one of/],
    [
      'a field that the type does not have',
      [{ ...space('b'), onclick: 'x' }],
      /onclick \(block "b"\): is not known here/,
    ],
    ['an id twice', [space('b'), space('b')], /blocks\/1\/id \(block "b"\): is the id of another block too/],
    ['an id with markup', [{ ...space('"><b>') }], /id \(block "\?\?\?b\?"\): must be 1 to 64/],
    ['a colour that goes on as a style', [words('x', { colour: '#123456;position:fixed' })], /colour \(block "b"\)/],
    ['tags in words', [words('Hello {{name}}')], /spans\/0\/text \(block "b"\): must not have \{\{tags\}\}/],
    ['a span of nothing', [{ ...words(''), spans: [{ bold: true }] }], /spans\/0 \(block "b"\): must have one of/],
    ['a variable that is code', [{ ...words(''), spans: [{ variable: 'a}} <b>' }] }], /variable \(block "b"\)/],
    ['a fallback that leaves its tag', [{ ...words(''), spans: [{ variable: 'a', fallback: 'x\\' }] }], /fallback/],
    ['a list in a paragraph', [{ id: 'b', type: 'text', nodes: [{ type: 'paragraph', items: [[]] }] }], /nodes\/0 /],
    [
      'columns inside columns',
      [{ id: 'c', type: 'columns', columns: [column([{ id: 'd', type: 'columns', columns: [] }]), column([])] }],
      /columns \(block "c"\)/,
    ],
    ['a footer inside another block', [when([footer])], /blocks\/0\/blocks\/0 \(block "f"\): must be at the top level/],
    [
      'a test without its value',
      [when([], [{ variable: 'plan', is: 'equals' }])],
      /tests\/0\/value \(block "w"\): is required/,
    ],
    [
      'a linked picture without words',
      [{ ...picture('https://a.example/b.png'), href: 'https://a.example' }],
      /alt \(block "b"\)/,
    ],
    ['blocks too deep', [deep(6)], /deep"\): is more than 5 blocks deep/],
    ['10,000 blocks', Array.from({ length: 10_000 }, (_, index) => space(`b${index}`)), /^content/],
    [
      '501 blocks',
      Array.from({ length: 501 }, (_, index) => space(`b${index}`)),
      /^content\/blocks: must hold 500 entries/,
    ],
    [
      '501 blocks inside others',
      [when(Array.from({ length: 500 }, (_, index) => space(`b${index}`)))],
      /is one of more than 500/,
    ],
    ['5 MB of text', [words('x'.repeat(5_000_000))], /^content: must be at most 128 kB/],
  ];
  for (const [name, blocks, details] of refused)
    it(`has ${name}`, () => {
      expect(of(...blocks)).to.match(details);
    });

  it('lists 20 faults at most', () => {
    expect(of(...Array.from({ length: 50 }, () => ({ type: 'x' })))!.split('; ')).to.have.length(20);
  });

  it('has blocks five deep at most, and a footer at the top level', () => {
    expect(of(deep(5), footer)).to.equal(null);
  });
});

describe('Addresses of content blocks', () => {
  const good = [
    'https://a.example/b?c=d#e',
    'http://a.example',
    '{{url}}',
    '{{order.url default="https://a.example"}}',
    'https://a.example/?a={{a}}&b={{b}}',
  ];
  const bad = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//a.example',
    '/path',
    'a.example',
    'https://',
    'https://a.example/"onclick="x',
    '{{a}}{{b}}',
    '{{scheme}}:x',
    'https://{{host}}/',
    'https://a.example/{{path}}',
    'https://a.example/?a={{b}}{{c}}',
    'https://a.example/?{{all}}',
    '{{{url}}}',
    '{{#if a}}https://a.example{{/if}}',
    '{{upper url}}',
    '\\{{url}}',
    '{{if}}',
  ];
  it('are of the schemes of mail, or a variable in its place', () => {
    for (const href of [...good, 'mailto:a@a.example?subject={{a}}', 'tel:+12025550123'])
      expect(of(button(href)), href).to.equal(null);
    for (const src of [...good, 'cid:logo']) expect(of(picture(src)), src).to.equal(null);
  });
  it('are refused otherwise', () => {
    for (const href of bad) {
      expect(of(button(href)), href).to.match(/^content\/blocks\/0\/href \(block "b"\): /);
      expect(of(picture(href)), href).to.match(/^content\/blocks\/0\/src \(block "b"\): /);
    }
    expect(of(picture('data:image/png;base64,AAAA'))).to.match(/src/);
    expect(of(picture('mailto:a@a.example'))).to.match(/src/);
  });
});

describe('HTML of an author', () => {
  const good = [
    '',
    'a < b > c &amp; {{name}}',
    '<p style="margin:0;color:red">x<br>y</p>',
    '<table><tr><td>{{#each items}}<b>{{name}}</b>{{/each}}</td></tr></table>',
    '<table><tr><td><table><tr><td>x</td></tr></table></td></tr></table>',
    '<table>{{#each items}}<tr><td>{{name}}</td></tr>{{/each}}</table>',
    '{{#if a}}<b>a</b>{{else if b}}<i>b</i>{{else}}c{{/if}}',
    '<a href="{{url}}" title="{{name}}">x</a><img src="https://a.example/?a={{b}}" alt="{{c}}">',
  ];
  const bad: Array<[html: string, why: RegExp]> = [
    ['<script>x</script>', /the element <script>/],
    ['<SCRIPT>x', /the element <script>/],
    ['<iframe src="https://a.example"></iframe>', /<iframe>/],
    ['<form></form>', /<form>/],
    ['<style>p{}</style>', /<style>/],
    ['<svg onload=x></svg>', /<svg>/],
    ['<p onclick="x">x</p>', /attribute onclick/],
    ['<a href="javascript:x">x</a>', /address in href/],
    ['<a href="&#106;avascript:x">x</a>', /address in href/],
    ['<img src="data:image/png;base64,A" alt="">', /address in src/],
    ['<img src="https://a.example/a.png">', /must have alt/],
    ['<p style="background:url(https://a.example)">x</p>', /styles that load/],
    ['<p style="position:fixed">x</p>', /styles that load/],
    ['<p style="posi\\74 ion:fixed">x</p>', /styles that load/],
    ['<p style="color:{{c}}">x</p>', /variables in style/],
    ['<p {{a}}>x</p>', /attribute/],
    ['<{{a}}>x', /name of an element/],
    ['<a href={{url}}>x</a>', /quotes/],
    ['<a href="{{#if a}}https://a.example{{/if}}">x</a>', /conditions or loops inside href/],
    ['{{{raw}}}', /without escaping/],
    ['{{&raw}}', /without escaping/],
    ['</td></tr></table>', /closes nothing/],
    ['<td>x</td>', /<td> directly inside the block/],
    ['<b><i>x</b></i>', /closes nothing/],
    ['<div>', /must close <div>/],
    ['{{#if a}}<div>{{/if}}', /must close <div>/],
    ['<div>{{#if a}}</div>{{/if}}</div>', /closes nothing/],
    ['<a href="https://a.example', /opens no element/],
    ['x </', /closes? no element|opens no element/],
    ['<table><table></table></table>', /<table> directly inside <table>/],
    ['<table><tr><div>x</div></tr></table>', /<div> directly inside <tr>/],
    ['<table><s><td>x</td></s></table>', /<s> directly inside <table>/],
    ['<table></ table>', /closes no element/],
    ['x </>', /closes no element/],
    ['<!-- x -->', /comments/],
    ['<!--[if mso]></td><![endif]-->', /comments/],
    ['<!doctype html>', /doctype/],
    ['{{#if a}}', /has a fault in line 1/],
    ['{{> file}}', /Partials/],
    ['\ue0001\ue001', /U\+E000/],
    [`${'<b>'.repeat(60)}${'</b>'.repeat(60)}`, /50 deep/],
    ['{{a}}'.repeat(301), /300 tags/],
  ];
  it('is taken when it stays inside its cell', () => {
    for (const html of good) expect(of(code(html)), html).to.equal(null);
  });
  for (const [html, why] of bad)
    it(`is refused: ${html.slice(0, 60)}`, () => {
      expect(of(code(html)))
        .to.match(/^content\/blocks\/0\/html \(block "b"\): /)
        .and.match(why);
    });
});
