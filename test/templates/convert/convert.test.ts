import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Client, Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const page = join(import.meta.dirname, '../../../docs/blocks.md');
const examples = Array.from(readFileSync(page, 'utf8').matchAll(/```json\n([\s\S]*?)```/g), ([, json]) =>
  JSON.parse(json!),
).filter((one) => 'type' in one);

/** Not compiled alone: a snippet that is published, and the place of the mail in a layout. */
const PARTS = ['snippet', 'content'];

const MAIL = `<!doctype html>
<html lang="de"><head><title>Spring &amp; news</title><style>p{color:red}</style></head>
<body bgcolor="#EEE"><div style="display:none">Preheader</div>
<table><tr><td align="center"><img src="https://x.example/logo.png" width="120" alt="Shop"></td></tr>
<tr><td><h1>Hello   {{firstName default="you"}}</h1>
<p>The <b>rye</b> &amp; <a href="https://x.example/?a=1&amp;b=2">wheat</a>.<br>Come &#123;&#123;soon}}!</p><ol><li>One</li></ol>
<script>alert(1)</script><a href="javascript:alert(1)">bad</a></td></tr>
<tr><td width="200">Left</td><td width="400">Right</td></tr>
<tr><td bgcolor="#aa0000"><a href="https://x.example/buy" style="padding:12px"><b>Buy</b></a></td></tr>
<tr><td><table><tr><th>Item</th></tr><tr><td>Rye</td></tr></table></td></tr>
<tr><td><p>Market 1, <a href="{{unsubscribe}}">Leave</a></p><img src="https://t.example/p.gif" width="1"></td></tr>
</table></body></html>`;

const MJML = `<mjml><mj-head><mj-title>News</mj-title></mj-head>
<mj-body background-color="#fafafa" width="640px">
<mj-section><mj-column><mj-image src="https://x.example/logo.png" alt="Shop" width="100px" />
<mj-text align="center"><h1>Hello</h1><p>Dear {{firstName}}</p></mj-text>
<mj-button href="https://x.example/buy" background-color="#112233">Buy</mj-button>
<mj-divider border-color="#cccccc" /><mj-spacer height="30px" /></mj-column></mj-section>
<mj-section><mj-column width="33%"><mj-text>L</mj-text></mj-column><mj-column width="67%"><mj-text>R</mj-text></mj-column></mj-section>
<mj-section><mj-column><mj-table><tr><td>a</td><td>b</td></tr></mj-table>
<mj-social><mj-social-element href="https://m.example/@a">Mastodon</mj-social-element></mj-social>
<mj-text><a href="{{unsubscribe}}">Leave</a></mj-text></mj-column></mj-section></mj-body></mjml>`;

describe('A mail of other programs', () => {
  const environment = useEnvironment();
  let key: Client;
  before(() => {
    key = environment.own.client;
  });

  const post = (from: string, source: unknown) => key.post('/templates/convert', { from, source });
  async function converted(from: string, source: string): Promise<Reply['body']> {
    const { status, body, text } = await post(from, source);
    expect(status, text).to.equal(200);
    return body.data;
  }
  /** Its blocks without their ids. */
  const blocksOf = ({ content }: Reply['body']) => content.blocks.map(({ id: _, ...block }: { id: string }) => block);
  const words = (text: string) => [{ type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] }];
  const strip = (blocks: { id?: string }[]) => blocks.map(({ id: _, ...block }) => block);

  it('in HTML becomes blocks, with a note for each line that they do not have', async () => {
    const answer = await converted('html', MAIL);
    expect(answer).to.include({ emailTemplate: null, title: 'Spring & news' });
    expect(answer.content.look).to.deep.equal({ language: 'de', background: '#eeeeee' });
    const blocks = blocksOf(answer);
    const [logo, title, text, columns, button, table, footer] = blocks;
    expect(blocks).to.have.length(7);
    expect(logo).to.deep.equal({
      type: 'image',
      src: 'https://x.example/logo.png',
      alt: 'Shop',
      width: 120,
      align: 'center',
    });
    expect(title.spans).to.deep.equal([{ text: 'Hello ' }, { variable: 'firstName', fallback: 'you' }]);
    expect(text.nodes).to.deep.equal([
      {
        type: 'paragraph',
        spans: [
          { text: 'The ' },
          { text: 'rye', bold: true },
          { text: ' & ' },
          { text: 'wheat', href: 'https://x.example/?a=1&b=2' },
          { text: '.' },
          { break: true },
          { text: 'Come {' },
          { text: '{soon}}!' },
        ],
      },
      { type: 'list', ordered: true, items: [[{ text: 'One' }]] },
      { type: 'paragraph', spans: [{ text: 'bad' }] },
    ]);
    expect(columns.columns.map(({ share }: { share: number }) => share)).to.deep.equal([4, 8]);
    expect(columns.columns.map(({ blocks }: { blocks: object[] }) => strip(blocks))).to.deep.equal([
      words('Left'),
      words('Right'),
    ]);
    expect(button).to.deep.equal({
      type: 'button',
      spans: [{ text: 'Buy' }],
      href: 'https://x.example/buy',
      background: '#aa0000',
    });
    expect(table).to.deep.equal({ type: 'table', head: ['Item'], rows: [[[{ text: 'Rye' }]]] });
    expect(footer).to.deep.equal({ type: 'footer', spans: [{ text: 'Market 1,' }], unsubscribe: 'Leave' });
    expect(answer.notes).to.deep.equal([
      { line: 2, text: 'left out: the styles of the head; look has the colours and the font of all blocks' },
      { line: 3, text: 'left out: hidden text; the words behind the subject are the previewText' },
      { line: 7, text: 'left out: <script>, which mail programs do not show' },
      {
        line: 7,
        text: 'left out: the href javascript:alert(1), which must be an address of http, https, mailto, tel or sms',
      },
      { line: 11, text: 'left out: a picture of one pixel' },
    ]);
    const made = await key.post('/templates', { templateName: 'Converted', content: answer.content });
    expect(made.status, made.text).to.equal(201);
  });

  it('in MJML becomes blocks as well', async () => {
    const answer = await converted('mjml', MJML);
    expect(answer).to.deep.include({ emailTemplate: null, title: 'News', notes: [] });
    expect(answer.content.look).to.deep.equal({ background: '#fafafa', width: 640 });
    const blocks = blocksOf(answer);
    expect(blocks.map(({ type }: { type: string }) => type)).to.deep.equal(
      'image heading text button divider space columns table social footer'.split(' '),
    );
    expect(blocks[3]).to.deep.equal({
      ...{ type: 'button', spans: [{ text: 'Buy' }], href: 'https://x.example/buy' },
      ...{ background: '#112233', align: 'center' },
    });
    expect(blocks[6].columns.map(({ share }: { share: number }) => share)).to.deep.equal([4, 8]);
  });

  it('made of blocks has the same words, links and pictures again', async () => {
    const partsOf = async (content: object) => {
      const { html, text } = (await key.post('/templates/render', { content })).body.data;
      const found = (pattern: RegExp) => Array.from((html as string).matchAll(pattern), ([, value]) => value);
      const plain = (text as string)
        .replaceAll(/^[-*\d.| ]+|[|]/gm, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
      return { links: found(/href="([^"]*)"/g), pictures: found(/src="([^"]*)"/g), plain };
    };
    // Code of an author comes out as what it shows, conditions stay code, and a film is a picture above a link.
    for (const example of examples.filter(
      ({ type }) => !['html', 'when', 'each', 'video', 'signature', ...PARTS].includes(type),
    )) {
      const heading = { id: 'words', type: 'heading', level: 1, spans: [{ text: 'Words' }] };
      const content = { v: 1, blocks: [heading, example] };
      const { html } = (await key.post('/templates/render', { content })).body.data;
      const answer = await converted('html', html);
      expect(await partsOf(answer.content), example.type).to.deep.equal(await partsOf(content));
    }
  });

  it('stays code where no blocks can be made of it, and says at which line; MJML is refused there', async () => {
    const deep = `<p>x</p>\n${'<div>'.repeat(101)}x`;
    const cases: [string, number, RegExp][] = [
      ['<p>Hello</p>\n<p>{{#if plan}}Pro{{/if}}</p>', 2, /^stays code: conditions, loops and helpers/],
      ['<p>{{encode name}}</p>', 1, /^stays code: conditions, loops and helpers/],
      [deep, 2, /^stays code: elements are more than 100 deep$/],
      ['<i></i>'.repeat(10_001), 1, /^stays code: there are more than 10000/],
      ['<p>x</p><hr>'.repeat(400), 1, /^stays code: content\/blocks: must hold 500/],
      ['<!-- nothing -->', 1, /^stays code: there are no words/],
    ];
    for (const [source, line, text] of cases) {
      const answer = await converted('html', source);
      expect(answer).to.deep.include({ content: null, emailTemplate: source });
      expect(answer.notes).to.have.length(1);
      expect(answer.notes[0].line).to.equal(line);
      expect(answer.notes[0].text).to.match(text);
      const refused = await post('mjml', source);
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(refused.body.error.details).to.match(new RegExp(`^source: line ${line}: `));
    }
    const include = await post('mjml', '<mjml>\n<mj-include path="/etc/passwd" /></mjml>');
    expect(include.body.error.details).to.equal('source: line 2: mj-include names a file, and files are not read');
  });

  it('is refused with its line when its template language has a fault, and when it is too long', async () => {
    const { status, body } = await post('html', '<p>a</p>\n<p>{{#if}</p>');
    expect([status, body.error.details]).to.match(/^400,source: line 2, column/);
    for (const [from, source] of [
      ['html', ''],
      ['html', 'x'.repeat(262_145)],
      ['html', 5],
      ['docx', 'x'],
    ])
      expect((await key.post('/templates/convert', { from, source })).status).to.equal(400);
  });

  it('brings nothing that runs, loads or leaves its cell, whatever it has', async () => {
    const hostile = `<p onclick="x()" style="position:fixed">a</p><svg onload=x()><circle/></svg>
      <a href="data:text/html,x">b</a><img src="data:image/png;base64,x" alt="c"><iframe src="https://x.example"></iframe>
      <a href="java&#10;script:x">d</a><math><mi//xlink:href="data:x,y">e</math><base href="https://evil.example">
      <form action="https://x.example"><input value="f"></form></table></div>g<![CDATA[h]]><?php i ?>`;
    const { content, notes } = await converted('html', hostile);
    const { html } = (await key.post('/templates/render', { content })).body.data;
    expect(html).to.not.match(
      /onclick|onload|position|javascript|java\s*script|data:|<svg|<iframe|<form|<input|<base|evil/i,
    );
    expect(html).to.match(/>a</).and.match(/g/);
    expect(notes.length).to.be.above(4);
  });
});
