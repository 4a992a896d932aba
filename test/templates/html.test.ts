import { expect } from 'chai';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { decorateHtml, htmlToText } from '../../core/templates/html/links.ts';
import { leastOf } from '../linear/cpu.ts';

/** CPU time. */
const MS_MAX = 1_500;

const track = (url: string): string => `https://t.test/?u=${encodeURIComponent(url)}&n=1`;

/** The target that the click leads to, for every link of the source. */
const LINKS: [source: string, targets: string[]][] = [
  ['<a href="https://x.test/">x</a>', ['https://x.test/']],
  ['<a href="https://x.test/?a=1&amp;b=2#top">x</a>', ['https://x.test/?a=1&b=2#top']],
  ['<a href="https://x.test/?a=1&b=2">x</a>', ['https://x.test/?a=1&b=2']],
  ['<a href="https://x.test/a%2Fb?c=%20+d">x</a>', ['https://x.test/a%2Fb?c=%20+d']],
  ['<a href="https://x.test/ü/例え?ö=ß">x</a>', ['https://x.test/ü/例え?ö=ß']],
  ['<a href="&#104;ttps://x.test/">x</a>', ['https://x.test/']],
  ['<a href=" https://x.test/\n">x</a>', ['https://x.test/']],
  ['<A CLASS=b HREF=\'HTTP://X.test\' id="c">x</A>', ['HTTP://X.test']],
  ['<a href=https://x.test/a?b=c/>x</a>', ['https://x.test/a?b=c/']],
  ['<a href = "https://x.test">x</a>', ['https://x.test']],
  ['<area href="https://x.test">', ['https://x.test']],
  ['<a href="https://x.test" href="https://y.test">x</a>', ['https://x.test']],
  ['<p><a href="https://x.test"><b>x</p><a href="https://y.test"', ['https://x.test']],
  ['<a title="a > b" href="https://x.test">x</a>', ['https://x.test']],
];

const UNTOUCHED = [
  '<a href="mailto:a@b.test">x</a>',
  '<a href="tel:+1202">x</a>',
  '<a href="#top">x</a>',
  '<a href="/path">x</a>',
  '<a href="//x.test">x</a>',
  '<a href="">x</a><a href>y</a><a>z</a>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="https://">x</a>',
  '<a href="https://a\\@b.test">x</a>',
  '<a href="https://x.test/a b">x</a>',
  '<a href="https://x.test/{{left}}">x</a>',
  '<a href="https://x.test" data-no-track>x</a>',
  '<a data-no-track="" href="https://x.test">x</a>',
  '<a href="https://x.test/unsubscribe?t=1&amp;u=2">x</a>',
  '<a href="https://x.test/unsubscribe?t=1&amp;u=2#groups">x</a>',
  '<link href="https://x.test/a.css"><img src="https://x.test/a.png"><form action="https://x.test">',
  '<!-- <a href="https://x.test">x</a> -->',
  '<!--[if mso]><a href="https://x.test">x</a><![endif]-->',
  '<script>var a = \'<a href="https://x.test">\';</script>',
  '<style><a href="https://x.test"></style>',
  '<textarea><a href="https://x.test"></textarea>',
  '<ahref="https://x.test"> <a data-href="https://x.test">',
];

const PIXEL =
  '<img src="https://t.test/o.gif?a=1&amp;b=2" width="1" height="1" alt="" style="border:0;width:1px;height:1px">';
const HIDDEN = /^<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Look &amp; &lt;see&gt;<\/div>$/;

/** `*` is where the preview text goes and `@` where the pixel goes. */
const PLACES = [
  '<!DOCTYPE html><html><head><title>x</title></head><body class="a > b">*<p>x</p>@</body></html>',
  '<!doctype html>*<p>x</p>@',
  '<HTML><HEAD></HEAD>*<p>x</p>@</HTML>',
  '<html>*<p>x@</html>',
  '*<p>x</p>@',
  '*text@',
  '*@',
  '<body>*<!-- </body> --><p>x@</body>',
  '<body>*<p>one</body><p>two@</body>',
  '<body>*<script>"</body>"</script>@',
  '</body>x<body>*y@',
];

describe('html', () => {
  for (const [source, targets] of LINKS)
    it(`tracks ${source}`, () => {
      const seen: string[] = [];
      const result = decorateHtml(source, {
        rewriteLink: (url) => {
          seen.push(url);
          return track(url);
        },
      });
      expect(seen).to.deep.equal(targets);
      expect(events(result)).to.deep.equal(events(source, track));
      expect(result).to.include('&amp;n=1');
    });

  for (const source of UNTOUCHED)
    it(`leaves ${source} as it is`, () => {
      expect(decorateHtml(source, { rewriteLink: track, ownLinks: ['https://x.test/unsubscribe?t=1&u=2'] })).to.equal(
        source,
      );
    });

  it('quotes a tracked address that was not quoted, and keeps the quotes that were there', () => {
    const result = decorateHtml(
      `<a href=http://x.test>1</a><a href='http://x.test'>2</a><a href="http://x.test">3</a>`,
      { rewriteLink: () => `https://t.test/"'<>`, ownLinks: [''] },
    );
    expect(result).to.equal(
      [`<a href="`, `<a href='`, `<a href="`]
        .map((open, n) => `${open}https://t.test/&quot;&#39;&lt;&gt;${open.at(-1)}>${n + 1}</a>`)
        .join(''),
    );
  });

  it('leaves a link for which there is no tracked address', () => {
    expect(decorateHtml('<a href="https://x.test">', { rewriteLink: () => null })).to.equal(
      '<a href="https://x.test">',
    );
  });

  for (const place of PLACES)
    it(`puts preview text and pixel into ${place}`, () => {
      const source = place.replace(/[*@]/g, '');
      const result = decorateHtml(source, { previewText: 'Look & <see>', pixelUrl: 'https://t.test/o.gif?a=1&b=2' });
      const [before, rest] = place.split('*') as [string, string];
      const [inside, after] = rest.split('@') as [string, string];
      expect(result.slice(0, before.length)).to.equal(before);
      expect(result.slice(result.length - after.length)).to.equal(after);
      const body = result.slice(before.length, result.length - after.length);
      expect(body.endsWith(inside + PIXEL)).to.equal(true);
      expect(body.slice(0, body.length - inside.length - PIXEL.length)).to.match(HIDDEN);
    });

  it('changes nothing when nothing is asked for', () => {
    expect(decorateHtml('<a href="https://x.test">', {})).to.equal('<a href="https://x.test">');
  });

  it('changes nothing but the addresses of links, in any HTML', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<a ',
        'href=',
        '"',
        "'",
        '>',
        '</a>',
        '<area href="https://x.test/',
        '<!--',
        '-->',
        '<script>',
        '</script>',
        '<b',
        '/',
        ' ',
        '\n',
        '=',
        '&amp;',
        '&#',
        'data-no-track',
        'https://x.test/ä',
        'http://y.test?a&b',
        '<style>',
        '</style>',
        '<svg>',
        '<![CDATA[',
        ']]>',
        '<!',
        '<?',
        '<title>',
        '</title>',
      ),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const source = pieces.join('');
        expect(events(decorateHtml(source, { rewriteLink: track }))).to.deep.equal(events(source, track));
        expect(decorateHtml(source, { rewriteLink: () => null })).to.equal(source);
        const whole = decorateHtml(source, { previewText: 'p', pixelUrl: 'https://t.test/o' });
        expect(
          whole
            .replace(/<div style="display:none[^>]*>p<\/div>/, '')
            .replace(/<img src="https:\/\/t.test\/o"[^>]*>/, ''),
        ).to.equal(source);
      }),
      { numRuns: 3_000 },
    );
  });

  it('decorates a large or hostile mail at once', () => {
    const sources = [
      '<a href="https://x.test/a?b=c">x</a>'.repeat(5_000),
      '<'.repeat(500_000),
      '<a '.repeat(200_000),
      '</body'.repeat(100_000),
      `<a href="${'&'.repeat(500_000)}`,
      '<!--'.repeat(200_000),
      '</head'.repeat(100_000),
    ];
    for (const source of sources) {
      const decorate = () => decorateHtml(source, { rewriteLink: track, previewText: 'p', pixelUrl: 'https://t.test' });
      expect(leastOf(decorate, MS_MAX), source.slice(0, 20)).to.be.below(MS_MAX);
    }
  });
});

describe('the text of html', () => {
  it('keeps links and headings, drops pictures, styles and scripts, and wraps at 78 columns', () => {
    const html = `<html><head><style>p { color: red }</style></head><body><h1>Hello &amp; welcome</h1>
      <p>${'Lorem ipsum dolor sit amet. '.repeat(8)}</p><img src="https://x.test/a.png" alt="logo">
      <p><a href="https://x.test/a?b=1&amp;c=2">Go</a> or <a href="https://x.test">https://x.test</a> <a href="#top">up</a></p>
      <table><tr><td>one</td><td>two</td></tr></table><ul><li>first</li></ul><script>alert(1)</script></body></html>`;
    const text = htmlToText(html);
    expect(text.split('\n')[0]).to.equal('Hello & welcome');
    expect(text).to.include('Go (https://x.test/a?b=1&c=2) or https://x.test up');
    expect(text).to.match(/one\n+two/);
    expect(text).to.include('* first');
    expect(text).not.to.match(/logo|color|alert|a\.png/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).to.be.at.most(78);
  });

  it('does not break a long address', () => {
    const url = `https://x.test/${'a'.repeat(200)}`;
    expect(htmlToText(`<p>Go to <a href="${url}">this page</a></p>`)).to.include(`(${url})`);
  });

  it('answers for any HTML, deep or long', () => {
    for (const html of [
      '',
      'plain',
      '<div>'.repeat(5_000),
      '<p>x'.repeat(20_000),
      '<table><tr><td>'.repeat(1_000),
      '<a href="'.repeat(10_000),
    ]) {
      const read = () => expect(htmlToText(html)).to.be.a('string');
      expect(leastOf(read, MS_MAX), html.slice(0, 20)).to.be.below(MS_MAX);
    }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (html) => expect(htmlToText(html)).to.be.a('string') !== undefined),
    );
  });
});

/** The HTML as a parser reads it; `expected` rewrites the links as the test would have them. */
function events(html: string, expected?: (url: string) => string): unknown[] {
  const seen: unknown[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => seen.push(['open', name, tracked(name, attributes, expected)]),
    onclosetag: (name) => seen.push(['close', name]),
    ontext: (text) => seen.push(['text', text]),
    oncomment: (text) => seen.push(['comment', text]),
    onprocessinginstruction: (name, text) => seen.push(['instruction', name, text]),
  });
  parser.end(html);
  return seen;
}

function tracked(
  name: string,
  attributes: Record<string, string>,
  expected?: (url: string) => string,
): Record<string, string> {
  const { href } = attributes;
  if (!expected || href === undefined || (name !== 'a' && name !== 'area') || 'data-no-track' in attributes)
    return attributes;
  const url = href.replace(/[\t\n\r]/g, '').replace(/^ +| +$/g, '');
  return /^https?:\/\/[^\s\\]+$/i.test(url) && URL.canParse(url) && !url.includes('{{')
    ? { ...attributes, href: expected(url) }
    : attributes;
}
