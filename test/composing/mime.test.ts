import { expect } from 'chai';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import {
  compileMessage,
  composeMessage,
  type MessageParts,
  type RecipientParts,
} from '../../core/mail/compose/mime/compose.ts';
import { chooseEncoding, normalizeLines } from '../../core/mail/compose/mime/encodings.ts';
import { leastOf } from '../linear/cpu.ts';

const BASE: MessageParts = {
  from: { email: 'news@out.test', name: 'News' },
  subject: ['Hello'],
  html: ['<p>Hello</p>'],
  text: ['Hello'],
  boundary: '64f0c0ffee',
};

const ANNA: RecipientParts = {
  to: [{ email: 'anna@in.test', name: 'Anna' }],
  messageId: '64f0c0ffee@out.test',
  date: new Date('2026-11-21T12:00:00Z'),
};

function compose(parts: Partial<MessageParts> = {}, recipient: Partial<RecipientParts> = {}): string {
  return composeMessage(compileMessage({ ...BASE, ...parts }), { ...ANNA, ...recipient });
}

const parse = (message: string) => PostalMime.parse(message);

/** Rules that hold for every message. */
function expectSound(message: string): void {
  expect(message).to.match(/^[\t\r\n -~]*$/);
  expect(message).not.to.match(/\r(?!\n)|(?<!\r)\n/);
  expect(message.endsWith('\r\n')).to.equal(true);
  for (const line of message.split('\r\n')) expect(line.length, line).to.be.at.most(998);
  const names = headerNames(message);
  expect(names.length, names.join()).to.equal(new Set(names).size);
}

function headerNames(message: string): string[] {
  const head = message.slice(0, message.indexOf('\r\n\r\n'));
  return head.split(/\r\n(?![ \t])/).map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
}

const texts = fc.string({
  unit: fc.constantFrom(
    'a',
    'Z',
    ' ',
    '\t',
    '=',
    '.',
    '\n',
    '\r\n',
    'From ',
    'é',
    '中',
    '🎉',
    '"',
    '<',
    '--',
    ' \n',
    '_',
  ),
  maxLength: 400,
});
const visible = (text: string) => text.replace(/\r\n|\r|\n/g, '\n').replace(/[ \t]*\n*$/, '');

describe('a composed message', () => {
  it('has the headers of its kind, each once', async () => {
    const message = compose(
      {
        replyTo: { email: 'help@out.test', name: null },
        cc: [{ email: 'cc@in.test', name: 'C. C.' }],
        listId: 'g1.p1.out.test',
        feedbackId: 'c1:p1:campaign:everpost',
        bulk: true,
        automatic: true,
        inReplyTo: '<1@x.test>',
        references: '<0@x.test> <1@x.test>',
        headers: { 'X-Own': 'yes', precedence: 'list' },
      },
      { unsubscribe: { url: 'https://t.test/u/TOKEN', mailto: 'u+TOKEN@in.test?subject=unsubscribe' } },
    );
    expectSound(message);
    const head = message.slice(0, message.indexOf('\r\n\r\n')).split('\r\n');
    for (const line of [
      'From: News <news@out.test>',
      'To: Anna <anna@in.test>',
      'Message-ID: <64f0c0ffee@out.test>',
      'Date: Sat, 21 Nov 2026 12:00:00 +0000',
      'Subject: Hello',
      'List-Unsubscribe: <https://t.test/u/TOKEN>, <mailto:u+TOKEN@in.test?subject=unsubscribe>',
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      'Reply-To: help@out.test',
      'Cc: "C. C." <cc@in.test>',
      'In-Reply-To: <1@x.test>',
      'List-Id: <g1.p1.out.test>',
      'Feedback-ID: c1:p1:campaign:everpost',
      'Precedence: bulk',
      'Auto-Submitted: auto-generated',
      'X-Own: yes',
      'MIME-Version: 1.0',
    ])
      expect(head).to.include(line);
    expect(head.join('\n')).not.to.match(/bcc/i);
  });

  it('names no way to unsubscribe when there is none, and no empty header', () => {
    const names = headerNames(compose());
    expect(names).to.deep.equal(['from', 'to', 'message-id', 'date', 'subject', 'mime-version', 'content-type']);
  });

  it('is the same for the same input', () => {
    expect(compose()).to.equal(compose());
  });

  it('is parsed back as text and HTML, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(texts, texts, texts, async (html, text, subject) => {
        const message = compose({ html: [html], text: [text], subject: [subject] });
        expectSound(message);
        const parsed = await parse(message);
        if (html) expect(visible(parsed.html ?? '')).to.equal(visible(html));
        expect(visible(parsed.text ?? '')).to.equal(visible(text));
        expect(parsed.subject ?? '').to.equal(subject.replace(/[\r\n\t]+/g, ' ').trim());
      }),
      { numRuns: 300 },
    );
  });

  it('with holes is what the filled template would be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { maxLength: 5 }),
        fc.array(texts, { minLength: 5, maxLength: 5 }),
        async (fixed, values) => {
          const pieces = fixed.flatMap((text, index) => [text, index]);
          const filled = fixed.map((text, index) => text + values[index]).join('');
          const message = compose(
            { html: ['<html>', ...pieces, '</html>'], text: pieces, subject: pieces },
            { values },
          );
          expectSound(message);
          const parsed = await parse(message);
          expect(visible(parsed.html ?? '')).to.equal(visible(`<html>${filled}</html>`));
          expect(visible(parsed.text ?? '')).to.equal(visible(filled));
          expect(parsed.subject ?? '').to.equal(filled.replace(/[\r\n\t]+/g, ' ').trim());
        },
      ),
      { numRuns: 300 },
    );
  });

  it('mixes nothing between recipients', async () => {
    const skeleton = compileMessage({
      ...BASE,
      html: ['<p>Hi ', 0, ', ', 1, '</p>'],
      text: null,
      subject: ['For ', 0],
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(texts, texts), { maxLength: 10 }), async (people) => {
        const messages = people.map((values) => composeMessage(skeleton, { ...ANNA, values }));
        for (const [index, message] of messages.entries())
          expect(message).to.equal(composeMessage(skeleton, { ...ANNA, values: people[index] }));
      }),
      { numRuns: 50 },
    );
  });

  it('refuses to leave a hole empty', () => {
    const skeleton = compileMessage({ ...BASE, html: ['Hi ', 0] });
    expect(() => composeMessage(skeleton, ANNA)).to.throw('no value number 0');
  });

  it('is 7bit, quoted-printable or base64, whichever survives and is short', () => {
    const encodingOf = (text: string) => /Transfer-Encoding: (.*)\r/.exec(compose({ html: null, text: [text] }))?.[1];
    expect(encodingOf('Hello\nworld')).to.equal('7bit');
    expect(encodingOf('Grüße aus Köln, und noch viel mehr Text')).to.equal('quoted-printable');
    expect(encodingOf('中文'.repeat(30))).to.equal('base64');
    for (const text of [
      'x'.repeat(1_000),
      'trailing \nspace',
      '.dot',
      'a\n.\nb',
      'From here',
      '\u0007',
      '--=_64f0c0ffee_alternative',
    ])
      expect(encodingOf(text), text).to.equal('quoted-printable');
  });

  it('is 7bit for just the texts that a pattern finds plain, whatever their line ends are', () => {
    const altered = /[^\t\r\n -~]|[ \t]\r\n|[ \t]$|^\.|\n\.|^From |\nFrom /;
    const isPlain = (text: string) => !altered.test(text) && text.split('\r\n').every(({ length }) => length <= 900);
    const unit = fc.constantFrom('\r', '\n', '\r\n', 'a', ' ', '\t', '.', 'From ', 'é', '😀', '\u0001', '\u007f', '~');
    const text = fc.array(fc.oneof({ weight: 20, arbitrary: unit }, fc.constant('x'.repeat(450))), { maxLength: 12 });
    fc.assert(
      fc.property(text, (units) => {
        const given = units.join('');
        const lines = given.replace(/\r\n|\r|\n/g, '\r\n');
        expect(normalizeLines(given)).to.equal(lines);
        expect(chooseEncoding(lines, false, '--=_none') === '7bit', JSON.stringify(lines)).to.equal(isPlain(lines));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never needs dot stuffing, nor a line that a mailbox would alter', () => {
    const body = compose(
      { html: ['.\n..a\nFrom me\n', 0, '.\n', 1, 'From x'], text: null },
      { values: ['.', 'From '] },
    ).split('\r\n\r\n')[1]!;
    expect(body).not.to.match(/^\.|^From /m);
  });
});

describe('headers cannot be injected', () => {
  const EVIL = [
    'a\r\nBcc: x@y.test',
    'a\nBcc: x@y.test',
    'a\rBcc: x',
    'a\u2028Bcc: x',
    'a\0b',
    'a\u0085Bcc: x',
    '\r\n\r\nbody',
    '=?utf-8?q?=0d=0aBcc:..?=',
  ];

  for (const evil of EVIL)
    it(`by ${JSON.stringify(evil)} in any text`, async () => {
      const message = compose(
        {
          from: { email: 'news@out.test', name: evil },
          replyTo: { email: 'r@out.test', name: evil },
          cc: [{ email: 'cc@in.test', name: evil }],
          subject: [evil, 0],
          inReplyTo: evil,
          references: `<1@x.test> ${evil} <2@x.test>`,
          headers: { 'X-Own': evil },
          attachments: [
            { fileName: evil, contentType: evil, contentId: evil, description: evil, bytes: Buffer.from('x') },
          ],
        },
        { to: [{ email: 'anna@in.test', name: evil }], values: [evil] },
      );
      expectSound(message);
      expect(headerNames(message)).not.to.include('bcc');
      const parsed = await parse(message);
      expect(parsed.bcc ?? []).to.deep.equal([]);
      expect(parsed.html).to.match(/^<p>Hello<\/p>/);
      expect(parsed.attachments).to.have.lengthOf(1);
      expect(parsed.from?.address).to.equal('news@out.test');
      expect(parsed.to?.map(({ address }) => address)).to.deep.equal(['anna@in.test']);
      if (evil.startsWith('=?')) expect(parsed.subject).to.equal(evil + evil);
    });

  it('nor by what our own code hands over', () => {
    expect(() => compose({ boundary: 'a"\r\nX: y' })).to.throw('boundary');
    expect(() => compose({ listId: 'a\r\nX: y' })).to.throw('List-Id');
    expect(() => compose({}, { messageId: 'a@b\r\nX: y' })).to.throw('Message-ID');
    expect(() => compose({}, { unsubscribe: { url: 'https://t.test/\r\nX: y' } })).to.throw('unsubscribe');
  });
});

describe('names and long texts in headers', () => {
  it('come back as they were, in lines that fit', async () => {
    const names = [
      'Anna',
      'A. B.',
      'say "hi" \\ bye',
      'Jürgen Groß',
      '中文名字'.repeat(20),
      'x'.repeat(300),
      'a, b <c@d.test>',
      '🎉'.repeat(50),
      "O'Neil (work)",
      'word '.repeat(60).trim(),
    ];
    for (const name of names) {
      const message = compose(
        { from: { email: 'news@out.test', name }, subject: [name.repeat(3)] },
        { to: names.map((to) => ({ email: 'anna@in.test', name: to })) },
      );
      expectSound(message);
      const parsed = await parse(message);
      expect(parsed.from?.name).to.equal(name);
      expect(parsed.subject).to.equal(name.repeat(3));
      expect(parsed.to?.map((to) => to.name)).to.deep.equal(names);
      for (const line of message.slice(0, message.indexOf('\r\n\r\n')).split('\r\n'))
        expect(line.length).to.be.at.most(320);
    }
  });

  it('998 times é is folded at 76', () => {
    const message = compose({ subject: ['é'.repeat(998)] });
    const subject = /Subject: [^\r]*(\r\n [^\r]*)*/.exec(message)![0];
    for (const line of subject.split('\r\n')) expect(line.length).to.be.at.most(76);
  });

  it('References keep the first and the last that fit', () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => `<${index}@x.test>`);
    const message = compose({ references: ids.join(' '), inReplyTo: 'no id at all' });
    const references = /References: [^\r]*(\r\n [^\r]*)*/.exec(message)![0];
    expect(references.length).to.be.within(900, 1_300);
    expect(references).to.include('<0@x.test>').and.to.include('<1999@x.test>').and.not.to.include('<1000@x.test>');
    expect(message).not.to.include('In-Reply-To');
  });
});

describe('attachments', () => {
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 256));
  const file = {
    fileName: 'Bericht für März 2026.pdf',
    contentType: null,
    contentId: null,
    description: 'Zahlen für März',
    bytes,
  };
  const logo = {
    fileName: 'logo.png',
    contentType: 'image/png',
    contentId: 'logo',
    description: null,
    bytes: Buffer.from('png'),
  };

  it('arrive byte for byte, with name and type', async () => {
    const message = compose({
      attachments: [
        file,
        { ...file, fileName: `${'ü'.repeat(200)}.csv`, contentType: 'application/x-table; version=2' },
      ],
    });
    expectSound(message);
    const { attachments, html, text } = await parse(message);
    expect(attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition])).to.deep.equal([
      ['Bericht für März 2026.pdf', 'application/pdf', 'attachment'],
      [`${'ü'.repeat(200)}.csv`, 'application/x-table', 'attachment'],
    ]);
    for (const { content } of attachments) expect(Buffer.from(content as ArrayBuffer).equals(bytes)).to.equal(true);
    expect([html?.trim(), text?.trim()]).to.deep.equal(['<p>Hello</p>', 'Hello']);
  });

  it('with a contentId are images of the HTML, the others files', async () => {
    const message = compose({ attachments: [logo, file], html: ['<img src="cid:logo">'] });
    const structure = [...message.matchAll(/^Content-Type: ([a-z/]+)/gm)].map(([, type]) => type);
    expect(structure).to.deep.equal([
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'multipart/related',
      'text/html',
      'image/png',
      'application/pdf',
    ]);
    const { attachments } = await parse(message);
    expect(attachments.map(({ contentId, disposition }) => [contentId, disposition])).to.deep.equal([
      ['<logo>', 'inline'],
      [undefined, 'attachment'],
    ]);
    expect((await parse(compose({ attachments: [logo], html: null }))).attachments[0]?.disposition).to.equal(
      'attachment',
    );
  });

  it('never choose a type that base64 is forbidden for', async () => {
    for (const contentType of [
      'message/rfc822',
      'multipart/mixed; boundary=x',
      '../../x',
      'text/plain\r\nX: y',
      'text/html; charset="\u0000"',
      'x',
    ])
      expect(
        compose({ attachments: [{ ...logo, contentType, contentId: null, fileName: 'a.bin' }] }),
        contentType,
      ).to.include('application/octet-stream');
  });

  it('of 20 MiB take less than a second', () => {
    const attachments = [{ ...file, bytes: Buffer.alloc(20 * 1_048_576, 7) }];
    expect(leastOf(() => compose({ attachments }), 1_000)).to.be.below(1_000);
  });
});

describe('the kinds of messages', () => {
  it('without text, without HTML, without both', async () => {
    expect(compose({ text: null }))
      .to.include('Content-Type: text/html; charset=utf-8')
      .and.not.to.include('multipart');
    expect(compose({ html: null }))
      .to.include('Content-Type: text/plain; charset=utf-8')
      .and.not.to.include('multipart');
    const empty = compose({ html: null, text: null });
    expectSound(empty);
    expect((await parse(empty)).text?.trim() ?? '').to.equal('');
  });
});
