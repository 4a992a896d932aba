import { expect } from 'chai';
import fc from 'fast-check';
import {
  compileTemplate,
  renderTemplate,
  type Template,
  TemplateRenderError,
  templateParts,
  variablesProblem,
} from '../../core/templates/language/templates.ts';
import { leastOf } from '../linear/cpu.ts';

/** CPU time. */
const MS_MAX = 1_500;

type Kind = 'html' | 'text' | 'subject';
type Row = [source: string, variables: Record<string, unknown>, rendered: string, kind?: Kind];

const VARIABLES: Row[] = [
  ['Hello {{name}}', { name: 'Ann' }, 'Hello Ann'],
  ['{{ name }}{{name}}', { name: 'A' }, 'AA'],
  ['{{missing}}|{{a.b.c}}', { a: {} }, '|'],
  ['{{a.b.c}}', { a: { b: { c: 1 } } }, '1'],
  ['{{list.[1]}}{{list.[0]}}{{list.length}}{{name.length}}', { list: ['x', 'y'], name: 'Ann' }, 'yx23'],
  ['{{n}} {{t}} {{f}} {{z}} {{e}}', { n: 1.5, t: true, f: false, z: 0, e: null }, '1.5 true false 0 '],
  ['{{list}}|{{object}}', { list: ['a', 1, null], object: { a: 1 } }, 'a,1,|'],
  ['{{[first name]}}', { 'first name': 'Ann' }, 'Ann'],
  ['{{contactProperties.plan}}', { contactProperties: { plan: 'Gold' } }, 'Gold'],
  ['{{length}}{{default}}', { length: 5, default: 'd' }, '5d'],
  ['a {{! gone }}b{{!-- {{gone}} --}}c', {}, 'a bc'],
  ['\\{{name}}', { name: 'Ann' }, '{{name}}'],
  ['a {{~name~}} b', { name: 'X' }, 'aXb'],
];

const DEFAULTS: Row[] = [
  ['{{name default="there"}}', {}, 'there'],
  ['{{name default="there"}}', { name: '' }, 'there'],
  ['{{name default="there"}}', { name: null }, 'there'],
  ['{{name default="there"}}', { name: 'Ann' }, 'Ann'],
  ['{{name default=nick}}', { nick: 'Annie' }, 'Annie'],
  ['{{n default="x"}}', { n: 0 }, '0'],
  ['{{a.b default="x"}}', {}, 'x'],
  ['{{default name "there"}}', {}, 'there'],
  ['{{default name "there"}}', { name: 'Ann' }, 'Ann'],
  ['{{insert name "default=there"}}', {}, 'there'],
  ['{{insert name "default=there"}}', { name: 'Ann' }, 'Ann'],
  ['{{insert name}}', {}, ''],
];

const BLOCKS: Row[] = [
  ['{{#if a}}yes{{else}}no{{/if}}', { a: 1 }, 'yes'],
  ...[false, 0, '', null, undefined, []].map((a): Row => ['{{#if a}}yes{{else}}no{{/if}}', { a }, 'no']),
  ...[true, 'false', {}, [0], -1].map((a): Row => ['{{#if a}}yes{{else}}no{{/if}}', { a }, 'yes']),
  ['{{#if n includeZero=true}}yes{{/if}}', { n: 0 }, 'yes'],
  ['{{#if a}}1{{else if b}}2{{else if c}}3{{else}}4{{/if}}', { c: 1 }, '3'],
  ['{{#if a}}1{{else if b}}2{{else}}4{{/if}}', {}, '4'],
  ['{{#unless a}}no{{else}}yes{{/unless}}', {}, 'no'],
  ['{{#each list}}{{@index}}{{this}}{{#if @last}}.{{else}},{{/if}}{{/each}}', { list: ['a', 'b'] }, '0a,1b.'],
  ['{{#each list}}{{#if @first}}>{{/if}}{{name}}{{/each}}', { list: [{ name: 'a' }, { name: 'b' }] }, '>ab'],
  ['{{#each object}}{{@key}}={{this}};{{/each}}', { object: { a: 1, b: 2 } }, 'a=1;b=2;'],
  ['{{#each list}}x{{else}}none{{/each}}', { list: [] }, 'none'],
  ['{{#each text}}x{{else}}none{{/each}}', { text: 'abc' }, 'none'],
  [
    '{{#each rows}}{{#each cells}}{{@../index}}{{@index}}{{this}}{{../../sep}}{{@root.sep}} {{/each}}{{/each}}',
    { sep: '-', rows: [{ cells: ['a'] }, { cells: ['b'] }] },
    '00a-- 10b-- ',
  ],
  ['{{#each list}}{{../name}}{{this.x}}{{./x}}{{/each}}', { name: 'n', list: [{ x: 1 }] }, 'n11'],
  ['{{#each list}}{{#if this}}{{../name}}{{/if}}{{/each}}', { name: 'n', list: [1] }, 'n'],
  ['{{../../name}}', { name: 'n' }, ''],
  ['{{#with person}}{{name}} of {{../city}}{{else}}nobody{{/with}}', { city: 'X', person: { name: 'A' } }, 'A of X'],
  ['{{#with person}}{{name}}{{else}}nobody{{/with}}', {}, 'nobody'],
  ['{{#items}}{{name}},{{/items}}{{^items}}none{{/items}}', { items: [{ name: 'a' }] }, 'a,'],
  ['{{#items}}{{name}},{{/items}}{{^items}}none{{/items}}', {}, 'none'],
  ['{{#vip}}{{name}}{{/vip}}', { vip: true, name: 'A' }, 'A'],
  ['a\n{{#if x}}\nb\n{{/if}}\nc', { x: 1 }, 'a\nb\nc'],
];

const HELPERS: Row[] = [
  ['{{#equals a "x"}}yes{{else}}no{{/equals}}', { a: 'x' }, 'yes'],
  ['{{#if (equals a 5)}}yes{{/if}}', { a: '5' }, 'yes'],
  ['{{#notEquals a b}}yes{{/notEquals}}', { a: 1, b: 2 }, 'yes'],
  ['{{#greaterThan n 9}}more{{else}}less{{/greaterThan}}', { n: '10' }, 'more'],
  ['{{#lessThan n 9}}less{{/lessThan}}', { n: 5 }, 'less'],
  ['{{#if (greaterThan (length list) 1)}}many{{/if}}', { list: [1, 2] }, 'many'],
  ['{{#if (lessThan born "2000-01-01")}}old{{/if}}', { born: '1990-05-05' }, 'old'],
  ['{{#and a b}}both{{/and}}{{#or a b}}one{{/or}}', { a: 1, b: 0 }, 'one'],
  ['{{or nick name}}', { name: 'Ann' }, 'Ann'],
  ['{{upper a}}{{lower "ABC"}}{{capitalize "über"}}', { a: 'x' }, 'XabcÜber'],
  ['{{formatDate at "MMMM D, YYYY h:mm:ss A"}}', { at: '2026-03-05T16:07:09Z' }, 'March 5, 2026 4:07:09 PM'],
  ['{{formatDate at "ddd DD.MM.YY HH:mm [Uhr]" "+0100"}}', { at: 1772727600000 }, 'Thu 05.03.26 17:20 Uhr'],
  ['{{formatDate at "MM/DD HH:mm" "-0800"}}', { at: '2026-03-05T01:00:00Z' }, '03/04 17:00'],
  ['{{formatDate at}}|{{formatDate "soon"}}', { at: '2026-03-05' }, '2026-03-05|'],
];

const HOSTILE_PATHS: Row[] = [
  '{{constructor}}',
  '{{__proto__}}',
  '{{this.constructor.constructor}}',
  '{{o.toString}}',
  '{{o}}',
  '{{items.map}}',
  '{{name.constructor}}',
  '{{name.split}}',
  '{{@root.constructor}}',
  '{{#with o}}{{constructor.name}}{{/with}}',
  '{{#each items}}{{this.constructor}}{{/each}}',
  '{{hasOwnProperty}}',
].map((source): Row => [source, { o: { a: 1 }, items: [1, 2], name: 'x' }, '']);

const PLACES: Row[] = [
  ['<p>{{x}}</p>', { x: '<script>"&\'' }, '<p>&lt;script&gt;&quot;&amp;&#39;</p>'],
  ['<p title="{{x}}">', { x: '"><img onerror=1>' }, '<p title="&quot;&gt;&lt;img onerror=1&gt;">'],
  ['<td width={{x}}>', { x: '1 onload=alert(1)' }, '<td width=1&#32;onload&#61;alert(1)>'],
  ['<td {{x}}>', { x: 'onload=a b' }, '<td onload&#61;a&#32;b>'],
  ['{{{x}}}', { x: '<b>&amp;</b>' }, '<b>&amp;</b>'],
  ['{{&x}}', { x: '<b>' }, '<b>'],
  ['<p title="{{{x}}}">', { x: '&amp; b' }, '<p title="&amp; b">'],
  ['{{x}}', { x: '{{y}}', y: 'no' }, '{{y}}'],
  ['{{{x}}}', { x: '{{y}}', y: 'no' }, '{{y}}'],
  ['<a href="{{u}}">', { u: 'https://x.test/a?b=1&c=2#d' }, '<a href="https://x.test/a?b=1&amp;c=2#d">'],
  ['<a href="{{{u}}}">', { u: 'https://x.test/?b=1&c=2' }, '<a href="https://x.test/?b=1&c=2">'],
  ['<a href="{{u}}">', { u: 'https://x.test/ä b%20%' }, '<a href="https://x.test/%C3%A4%20b%20%25">'],
  ...['mailto:a@b.test', 'tel:+1202', 'sms:+1202', '/path', '#top', 'page.html', '//cdn.test/x', ' http://x.test '].map(
    (u): Row => ['<a href="{{u}}">', { u }, `<a href="${u.trim()}">`],
  ),
  ...[
    'javascript:alert(1)',
    'JaVaScript:alert(1)',
    ' javascript:x',
    'java\nscript:x',
    '\u0001javascript:x',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'javascript&colon;x',
    'java&#115;cript:x',
  ].flatMap((u): Row[] => [
    ['<a href="{{u}}">', { u }, '<a href="#">'],
    ['<a href="{{{u}}}">', { u }, '<a href="#">'],
    ["<img SRC = '{{u}}'>", { u }, "<img SRC = '#'>"],
    ['<a href={{u}}>', { u }, '<a href=#>'],
  ]),
  ['<a href="{{a}}{{b}}">', { a: 'java', b: 'script:x' }, '<a href="#">'],
  ['<a href="javas{{a}}">', { a: 'cript:x' }, '<a href="#">'],
  ['<a href="{{#if a}}{{a}}{{else}}https://x.test{{/if}}">', { a: 'javascript:x' }, '<a href="#">'],
  ['<a href="{{#if a}}{{a}}{{else}}https://x.test{{/if}}">', {}, '<a href="https://x.test">'],
  ['{{#if a}}<a href="{{a}}">{{/if}}<a href="{{a}}">', { a: 'javascript:x' }, '<a href="#"><a href="#">'],
  [
    '<!--[if mso]><v:rect href="{{u}}"><![endif]-->',
    { u: 'javascript:x' },
    '<!--[if mso]><v:rect href="#"><![endif]-->',
  ],
  ['<!-- href="{{u}}" -->', { u: '--><b>' }, '<!-- href="--&gt;&lt;b&gt;" -->'],
  ['<a href="https://x.test/{{p}}">', { p: '"><b>/ä?x=1' }, '<a href="https://x.test/%22%3E%3Cb%3E/%C3%A4?x=1">'],
  [
    '<a href="https://x.test/?a={{v}}&amp;b={{w}}">',
    { v: 'x&y=z #', w: 'a+b@c.test' },
    '<a href="https://x.test/?a=x%26y%3Dz%20%23&amp;b=a%2Bb%40c.test">',
  ],
  ['<a href="https://x.test/?a={{v}}">', { v: 'x%20y' }, '<a href="https://x.test/?a=x%20y">'],
  ['<img src="cid:{{v}}">', { v: 'logo@x' }, '<img src="cid:logo@x">'],
  ['<script>var a = "{{x}}";</script>', { x: '</script>"' }, '<script>var a = "&lt;/script&gt;&quot;";</script>'],
  [
    '<style>a { color: {{x}} }</style><b>{{x}}</b>',
    { x: '</style>' },
    '<style>a { color: &lt;/style&gt; }</style><b>&lt;/style&gt;</b>',
  ],
  ['<p>{{x}}</p>', { x: 'a\0\u0007b\nc' }, '<p>ab\nc</p>'],
  ['{{x}} {{{x}}}', { x: '<b> & "q"' }, '<b> & "q" <b> & "q"', 'text'],
  ['{{x}}', { x: 'a\r\nb\u0007\0c' }, 'a\nbc', 'text'],
  ['{{x}} {{{x}}}', { x: "<b> & O'Neil" }, "<b> & O'Neil <b> & O'Neil", 'subject'],
  ['{{x}}', { x: 'a\r\nBcc: b@c.test\0\u000b\u2028\u0085' }, 'aBcc: b@c.test', 'subject'],
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: it must stay as it is.
const LITERAL = ['<%= 7*7 %>', '${7*7}', '#{7*7}', '{%raw%}', '[[x]]', '{ {x} }', '}}', '{name}', '%recipient%'];

const REFUSED: [source: string, line: number, message: RegExp][] = [
  ['{{lookup this "constructor"}}', 1, /lookup/],
  ['a\nb {{log x}}', 2, /log/],
  ['{{> x}}', 1, /Partials/],
  ['{{> (lookup . "x")}}', 1, /Partials/],
  ['\n\n{{#> x}}y{{/x}}', 3, /Partials/],
  ['{{#*inline "x"}}y{{/inline}}', 1, /Decorators/],
  ['{{* d}}', 1, /Decorators/],
  ['{{{{raw}}}}{{x}}{{{{/raw}}}}', 1, /Raw blocks/],
  ['{{#with split as |x|}}y{{/with}}', 1, /Block parameters/],
  ['{{#each list as |x i|}}y{{/each}}', 1, /Block parameters/],
  ['{{helperMissing}}', 1, /helperMissing/],
  ['{{#blockHelperMissing}}x{{/blockHelperMissing}}', 1, /no block/],
  [
    '{{#with "s" as |string|}}{{#with "e"}}{{lookup string.sub "constructor"}}{{/with}}{{/with}}',
    1,
    /Block parameters/,
  ],
  ['{{#with (string.sub.apply 0 codelist)}}{{this}}{{/with}}', 1, /no helper "string.sub.apply"/],
  ['{{env "HOME"}}', 1, /no helper "env"/],
  ['{{expandenv "HOME"}}', 1, /no helper/],
  ['{{getHostByName "x"}}', 1, /no helper/],
  ['{{#getHostByName "x"}}y{{/getHostByName}}', 1, /no block/],
  ['{{name "x"}}', 1, /no helper "name"/],
  ['{{a.b "x"}}', 1, /no helper "a.b"/],
  ['{{upper}} {{upper a b}}', 1, /"upper" takes 1 values/],
  ['{{name other="x"}}', 1, /only default/],
  ['{{name default="x" a="y"}}', 1, /only default/],
  ['{{"name"}} {{"x" y}}', 1, /begins with a variable/],
  ['{{if x}}', 1, /"if" cannot be used here/],
  ['{{#if}}x{{/if}}', 1, /exactly one value/],
  ['{{#if a b}}x{{/if}}', 1, /exactly one value/],
  ['{{@level}}', 1, /@root, @index/],
  ['{{@root.a}}{{@index.a}}', 1, /@root, @index/],
  ['{{(upper a).b}}', 1, /path cannot go on/],
  ['{{a=b}}', 1, /Lists and objects/],
  ['line\n{{#if a}}x', 2, /cannot be read/],
  ['{{#if a}}x{{/each}}', 1, /doesn't match each/],
  ['{{a', 1, /not closed/],
  ['{{}}', 1, /cannot be read/],
  ['{{/if}}', 1, /cannot be read/],
  ['a\n\0', 2, /NUL/],
];

const COSTLY: [what: string, source: string, message: RegExp][] = [
  ['more than 1 MiB', 'x'.repeat(1024 * 1024 + 1), /1 MiB/],
  ['20,001 tags', '{{a}}'.repeat(20_001), /more than 5000 tags/],
  ['51 nested blocks', '{{#if a}}'.repeat(51) + '{{/if}}'.repeat(51), /50 deep/],
  ['10,000 nested blocks', '{{#if a}}'.repeat(10_000) + '{{/if}}'.repeat(10_000), /50 deep/],
  ['2,400 nested inverse blocks', '{{^a}}'.repeat(2_400) + '{{/a}}'.repeat(2_400), /50 deep/],
  ['200,000 braces', '{{'.repeat(200_000), /./],
  ['200,000 open tags', '{{ '.repeat(200_000), /./],
  ['a path of 50,000 parts', `{{${'a.'.repeat(50_000)}a}}`, /longer than 2000/],
  ['a path of 100 parts', `{{${'a.'.repeat(100)}a}}`, /20 parts/],
  ['5,000 nested helpers', `{{upper ${'(upper '.repeat(5_000)}a${')'.repeat(5_000)}}}`, /longer than 2000/],
  ['100 nested helpers', `{{upper ${'(upper '.repeat(100)}a${')'.repeat(100)}}}`, /10 deep/],
  ['a chain of 4,000 else ifs', `{{#if a}}${'{{else if b}}'.repeat(4_000)}{{/if}}`, /longer than 250/],
  ['60 tags of 1,900 characters', `{{and ${'a '.repeat(940)}}}`.repeat(60), /100000 characters together/],
  ['an endless comment', '{{!-- '.repeat(100_000), /./],
];

const LIST = Array.from({ length: 300 }, (_, index) => index);
const SLOW: [what: string, source: string, variables: Record<string, unknown>, message: RegExp][] = [
  [
    'three nested loops over 300',
    '{{#each a}}{{#each @root.a}}{{#each @root.a}}x{{/each}}{{/each}}{{/each}}',
    { a: LIST },
    /steps/,
  ],
  [
    'three nested empty loops',
    '{{#each a}}{{#each @root.a}}{{#each @root.a}}{{/each}}{{/each}}{{/each}}',
    { a: LIST },
    /steps/,
  ],
  [
    'an output over 2 MB',
    '{{#each a}}{{@root.s}}{{/each}}',
    { a: LIST, s: 'x'.repeat(200_000) },
    /longer than 2000000/,
  ],
  [
    'an output over 2 MB inside a URL',
    '<a href="{{u}}{{#each a}}{{@root.s}}{{/each}}">',
    { a: LIST, s: 'x'.repeat(200_000) },
    /longer than 2000000/,
  ],
  [
    'long texts worked on in a loop',
    '{{#each a}}{{#each @root.a}}{{#if (equals (upper @root.s) "x")}}{{/if}}{{/each}}{{/each}}',
    { a: LIST, s: 'x'.repeat(200_000) },
    /steps/,
  ],
  [
    'long lists joined in a loop',
    '{{#each a}}{{#each @root.a}}{{#if (equals @root.b "")}}{{/if}}{{/each}}{{/each}}',
    { a: LIST, b: Array(5_000).fill('ab') },
    /steps/,
  ],
];

describe('templates', () => {
  for (const [about, rows] of Object.entries({ VARIABLES, DEFAULTS, BLOCKS, HELPERS, HOSTILE_PATHS, PLACES }))
    describe(about.toLowerCase().replace('_', ' '), () => {
      for (const [source, variables, rendered, kind] of rows)
        it(`${kind ? `${kind}: ` : ''}${source} with ${JSON.stringify(variables).slice(0, 80)}`, () => {
          expect(renderTemplate(compiled(source, kind), variables)).to.equal(rendered);
        });
    });

  for (const source of LITERAL)
    it(`${source} is text like any other`, () =>
      expect(renderTemplate(compiled(source), { x: 1, name: 1 })).to.equal(source));

  for (const [source, line, message] of REFUSED)
    it(`refuses ${JSON.stringify(source)} and names line ${line}`, () => {
      const result = compileTemplate(source, 'html');
      expect(result.ok).to.equal(false);
      if (!result.ok) expect(result.message).to.match(message);
      if (!result.ok) expect(result.line).to.equal(line);
    });

  for (const [what, source, message] of COSTLY)
    it(`refuses ${what} at once`, () => {
      const compile = () => compileTemplate(source, 'html');
      expect(leastOf(compile, MS_MAX)).to.be.below(MS_MAX);
      const result = compile();
      expect(result.ok).to.equal(false);
      if (!result.ok) expect(result.message).to.match(message);
    });

  for (const [what, source, variables, message] of SLOW)
    it(`stops ${what}`, () => {
      const template = compiled(source);
      const render = () => expect(() => renderTemplate(template, variables)).to.throw(TemplateRenderError, message);
      expect(leastOf(render, MS_MAX)).to.be.below(MS_MAX);
    });

  it('takes 5,000 tags, 50 nested blocks and 250 else ifs', () => {
    const blocks = `${'{{#if a}}'.repeat(50)}x${'{{/if}}'.repeat(50)}`;
    expect(renderTemplate(compiled('{{a}}'.repeat(5_000)), { a: 'x' })).to.have.length(5_000);
    expect(renderTemplate(compiled(blocks), { a: 1 })).to.equal('x');
    expect(renderTemplate(compiled(`{{#if a}}1${'{{else if b}}2'.repeat(249)}{{else}}3{{/if}}`), {})).to.equal('3');
  });

  it('reads only what the variables own, even where they carry a prototype of their own', () => {
    const variables = JSON.parse('{"__proto__": {"admin": "yes"}, "name": "Ann"}');
    expect(renderTemplate(compiled('{{admin}}|{{name}}'), variables)).to.equal('|Ann');
    expect(renderTemplate(compiled('{{inherited}}'), Object.create({ inherited: 'x' }))).to.equal('');
    expect(({} as Record<string, unknown>).admin).to.equal(undefined);
  });

  it('never calls a function that variables hold', () => {
    expect(
      renderTemplate(compiled('{{f}}{{#f}}x{{/f}}{{o.f}}'), { f: () => 'called', o: { f: () => 'called' } }),
    ).to.equal('x');
  });

  it('renders the parts of a template to the whole', () => {
    const template = compiled('<h1>{{name}}</h1>{{#if vip}}<a href="{{u}}">{{/if}}<p>end</p><a href="{{u}}x">');
    const variables = { name: '<Ann>', vip: true, u: 'https://x.test/?a&b' };
    const parts = templateParts(template);
    expect(parts.filter((part) => typeof part === 'string')).to.deep.equal([
      '<h1>',
      '</h1>',
      '<p>end</p><a href="',
      '">',
    ]);
    expect(parts.map((part) => (typeof part === 'string' ? part : part(variables))).join('')).to.equal(
      renderTemplate(template, variables),
    );
  });

  it('says which variables a template reads', () => {
    const { paths } = compiled(
      '{{a}}{{b.c}}{{#each list}}{{inner}}{{../d}}{{@root.e.f}}{{/each}}{{default g "x"}}{{#if (equals h i)}}{{/if}}',
    );
    expect(paths).to.have.members(['a', 'b.c', 'list', 'd', 'e.f', 'g', 'h', 'i']);
  });

  it('never mixes the data of two recipients', () => {
    const template = compiled('{{name}}|{{#each list}}{{this}},{{/each}}|{{o.x default="none"}}', 'text');
    const recipient = fc.record({
      name: fc.stringMatching(/^[a-z]{0,5}$/),
      list: fc.array(fc.nat(9), { maxLength: 4 }),
      o: fc.record({ x: fc.nat(9) }, { requiredKeys: [] }),
    });
    fc.assert(
      fc.property(fc.array(recipient, { minLength: 2, maxLength: 20 }), (recipients) => {
        for (const { name, list, o } of recipients)
          expect(renderTemplate(template, { name, list, o })).to.equal(
            `${name}|${list.map((n) => `${n},`).join('')}|${o.x ?? 'none'}`,
          );
      }),
    );
  });

  it('throws nothing but its own errors, for any source and any variables', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{{',
        '}}',
        '{{{',
        '}}}',
        '{{#if a}}',
        '{{/if}}',
        '{{else}}',
        '{{#each a}}',
        '{{/each}}',
        '{{a}}',
        '{{../a}}',
        '{{@index}}',
        '{{upper a}}',
        '<a href="',
        '">',
        '<script>',
        '</script>',
        '<!--',
        '-->',
        "'",
        '\\',
        '{{!',
        '--}}',
        '(',
        ')',
        '~',
        '^',
        '&',
      ),
      fc.string({ maxLength: 4 }),
    );
    const variables = fc.record({ a: fc.anything({ withNullPrototype: true, withDate: true, withBigInt: true }) });
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom<Kind>('html', 'text', 'subject'),
        variables,
        (pieces, kind, given) => {
          const result = compileTemplate(pieces.join(''), kind);
          if (!result.ok) return void expect(result.line).to.be.above(0);
          const text = renderTemplate(result.template, given);
          expect(
            templateParts(result.template)
              .map((part) => (typeof part === 'string' ? part : part(given)))
              .join(''),
          ).to.equal(text);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('keeps a value inside the place it was put in, whatever it is', () => {
    const template = compiled('<p title="{{x}}">{{x}}</p><a href="{{x}}"></a><i id={{x}}></i>');
    const value = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('"', "'", '<', '>', ' ', '=', '&', '/', ':', 'javascript', '\n', '\0', '`'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(value, (x) => {
        const [, title, text, href, id] =
          /^<p title="([^"<>]*)">([^<>]*)<\/p><a href="([^"<> ]*)"><\/a><i id=([^"'<>\s=`]*)><\/i>$/.exec(
            renderTemplate(template, { x }),
          ) ?? [];
        expect([title, text, href, id]).not.to.include(undefined);
        if (/^[^/?#]*:/.test(href!)) expect(href).to.match(/^(https?|mailto|tel|sms|cid):/i);
      }),
      { numRuns: 2_000 },
    );
  });

  it('renders a mail of 3.4 kB often enough for campaigns', () => {
    const paragraph = `<p style="margin:0 0 12px">${'Lorem ipsum dolor sit amet. '.repeat(7)}</p>\n`;
    const template = compiled(
      `<h1>Hello {{firstName default="there"}}</h1>${paragraph.repeat(15)}<a href="{{unsubscribe}}">{{email}}</a>`,
    );
    const variables = { firstName: 'Ann', email: 'a@b.test', unsubscribe: 'https://x.test/u/abc' };
    const render = () => {
      let length = 0;
      for (let count = 0; count < 5_000; count++) length += renderTemplate(template, variables).length;
      expect(length).to.be.above(5_000 * 3_000);
    };
    expect(leastOf(render, 5_000)).to.be.below(5_000);
  });

  it('bounds the variables that a caller may give', () => {
    expect(variablesProblem({ a: [{ b: 'x' }] })).to.equal(null);
    expect(variablesProblem({ a: 'x'.repeat(262_145) })).to.match(/256 kB/);
    expect(variablesProblem(Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [n, 1])))).to.match(/5000 keys/);
    let deep: unknown = 1;
    for (let depth = 0; depth < 10_000; depth++) deep = { deep };
    expect(variablesProblem(deep)).to.match(/10 levels/);
  });
});

function compiled(source: string, kind: Kind = 'html'): Template {
  const result = compileTemplate(source, kind);
  if (!result.ok) throw new Error(`${result.message} (line ${result.line})`);
  return result.template;
}
