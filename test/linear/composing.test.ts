import { expect } from 'chai';
import { compileMessage, composeMessage } from '../../core/mail/compose/mime/compose.ts';
import { decorateHtml, htmlToText } from '../../core/templates/html/links.ts';
import { LINE_ENDS_MAX } from '../../core/templates/language/syntax.ts';
import { compileTemplate, renderTemplate, TAGS_IN_HTML_MAX } from '../../core/templates/language/templates.ts';
import { HOLD_MS_MAX, leastOf } from './cpu.ts';

const LENGTH = 1024 * 1024;
const RUNS = [
  ...['<', '<a ', '<b>', '<div>', '<ul><li>', '<table><tr><td>', '<blockquote>', '<p>a', '<h1>a</h1>', '<br>', '</b>'],
  ...[
    '<a href=http://a.b>',
    '<a b="',
    '<a href="a>',
    '<!--',
    '<!---->',
    '<script>',
    '<style>',
    '<svg><title>',
    '</head',
  ],
  ...['word and words ', 'a', ' ', '\n', '\r\n', '\t', '&amp;', '&', '&#', '😀', '=', '.', '?', 'x '],
];
const ENDINGS = ['', 'x{{x}}', 'x</pre>', '{{x}}">x</a>'];
const BEGINNINGS = ['', '<pre>', '<a href="', '<a ', '<!-- '];

describe('Composing', () => {
  it(`holds the event loop for less than ${HOLD_MS_MAX} ms in each step, with HTML of 1 MiB made of any run`, () => {
    expect(sources().flatMap(slowSteps)).to.deep.equal([]);
  }).timeout(180_000);

  it('refuses HTML of too many tags by their number, in a source and in what is rendered', () => {
    const tags = (count: number) => '<b>'.repeat(count);
    expect(compileTemplate(tags(TAGS_IN_HTML_MAX), 'html').ok).to.equal(true);
    expect(compileTemplate(tags(TAGS_IN_HTML_MAX + 1), 'html')).to.include({
      ok: false,
      message: `The HTML has more than ${TAGS_IN_HTML_MAX} tags.`,
    });
    expect(compileTemplate(tags(TAGS_IN_HTML_MAX + 1), 'text').ok).to.equal(true);
    const template = compileTemplate('{{#each items}}<b>{{/each}}', 'html');
    if (!template.ok) throw new Error(template.message);
    const items = (count: number) => ({ items: Array.from({ length: count }, () => '') });
    expect(renderTemplate(template.template, items(TAGS_IN_HTML_MAX))).to.have.length(3 * TAGS_IN_HTML_MAX);
    expect(() => renderTemplate(template.template, items(TAGS_IN_HTML_MAX + 1))).to.throw('more than 50000 tags');
  });

  it('refuses a template of too many line ends by their number', () => {
    for (const end of ['\n', '\r']) {
      expect(compileTemplate(end.repeat(LINE_ENDS_MAX), 'html').ok).to.equal(true);
      expect(compileTemplate(end.repeat(LINE_ENDS_MAX + 1), 'text')).to.include({
        ok: false,
        message: `The template has more than ${LINE_ENDS_MAX} line ends.`,
      });
    }
  });

  it('ends the text part of HTML that is too deep, and leaves the links behind the first 2,000 as they are', () => {
    expect(htmlToText(`begin ${'<div>'.repeat(900)}`)).to.include('begin');
    expect(htmlToText(`begin ${'<b>'.repeat(1_001)}end`)).not.to.include('end');
    const links = '<a href="https://a.test">a</a>'.repeat(2_100);
    const tracked = decorateHtml(links, { rewriteLink: () => 'https://t.test' });
    expect([tracked.split('https://t.test').length, tracked.split('https://a.test').length]).to.deep.equal([
      2_001, 101,
    ]);
  });
});

interface Source {
  text: string;
  /** To encode HTML one only looks at its characters, so it makes no difference what the run follows. */
  isEncoded: boolean;
}

/** A template of 1 MiB, and as many tags as one may have. */
function sources(): Source[] {
  return RUNS.flatMap((run) => {
    const most = run.includes('<') ? Math.floor((TAGS_IN_HTML_MAX - 10) / run.split('<').length) : LENGTH;
    const body = run.repeat(Math.min(most, Math.floor((LENGTH - 100) / run.length)));
    return BEGINNINGS.flatMap((beginning) =>
      ENDINGS.map((ending) => ({ text: `${beginning}${body}${ending}`, isEncoded: beginning === '' })),
    );
  });
}

function slowSteps({ text, isEncoded }: Source): string[] {
  const slow: string[] = [];
  const run = <T>(step: string, work: () => T): T => {
    let result: T | undefined;
    const ms = leastOf(() => {
      result = work();
    });
    const named = JSON.stringify(`${text.slice(0, 30)}...${text.slice(-10)}`);
    if (ms >= HOLD_MS_MAX) slow.push(`${step} ${ms.toFixed(0)} ms: ${named}`);
    return result as T;
  };
  const read = run('compile', () => compileTemplate(text, 'html'));
  const html = read.ok ? run('render', () => renderTemplate(read.template, { x: 'v' })) : text;
  run('decorate', () =>
    decorateHtml(html, { previewText: 'p', pixelUrl: 'https://p.test', rewriteLink: (url) => url }),
  );
  run('text', () => htmlToText(html));
  if (!isEncoded) return slow;
  // Two steps: the event loop is let go between them.
  const skeleton = run('encode', () => encoded(html));
  run('compose', () => composed(skeleton));
  return slow;
}

function encoded(html: string) {
  return compileMessage({
    from: { email: 'a@b.test', name: null },
    replyTo: null,
    subject: ['s'],
    html: [html],
    text: null,
    boundary: 'b',
  } as Parameters<typeof compileMessage>[0]);
}

function composed(skeleton: ReturnType<typeof encoded>): string {
  return composeMessage(skeleton, {
    to: [{ email: 'a@b.test', name: null }],
    messageId: 'a@b.test',
    date: new Date(0),
    unsubscribe: null,
  });
}
