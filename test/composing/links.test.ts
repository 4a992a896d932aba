import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import PostalMime from 'postal-mime';
import { compileForMany, compileForOne, type FillMail, type SharedMail } from '../../core/mail/compose/compile.ts';
import type { MailPages } from '../../core/mail/compose/links.ts';
import { composeMessage } from '../../core/mail/compose/mime/compose.ts';
import { readClickToken, readUnsubscribeToken, readViewToken } from '../../core/mail/compose/tokens.ts';
import { compiled } from '../../core/templates/cache.ts';

const config = { secretKeys: [`k1:${Buffer.alloc(32, 1).toString('base64')}`], publicUrl: 'https://mail.example.com' };
const projectId = new ObjectId();
const messageId = new ObjectId();

function mailOf(html: string, more: Partial<SharedMail> = {}): SharedMail {
  return {
    ...{ config, projectId, fromDomain: 'example.com', returnHost: 'mail.example.com', marketing: true, groupId: null },
    ...{ trackingClick: true, trackingOpen: false, utm: null },
    source: { subject: 'News', previewText: '', html, text: null },
    parts: {
      from: { email: 'news@example.com', name: null },
      replyTo: null,
      listId: null,
      feedbackId: 'x',
      boundary: 'b',
    },
    ...more,
  };
}

async function bytesOf(fill: FillMail, variables = {}): Promise<string> {
  const to = { email: 'ada@example.org', name: null };
  const { skeleton, recipient } = await fill({
    ...{ messageId, email: to.email, to, at: new Date('2026-11-01T00:00:00Z') },
    variables: (pages) => ({ ...pages, email: to.email, ...variables }),
  });
  return composeMessage(skeleton, recipient);
}

/** [number, target] of the tracked links. */
function linksIn(bytes: string): Array<[number | undefined, string]> {
  const html = bytes
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return [...html.matchAll(/\/t\/c\/([A-Za-z0-9_-]+)/g)].map(([, token]) => {
    const { link, target } = readClickToken(config, token!)!;
    return [link, target];
  });
}

describe('The numbers of links', () => {
  const HTML = `<p>{{firstName}}</p><a href="https://a.example.com/">a</a><!-- <a href="https://no.example.com/"> -->
<a href="{{unsubscribe}}">leave</a> <a data-no-track href=https://b.example.com/>b</a> <AREA HREF='https://a.example.com/'>`;

  it('are the same in a mail that is composed alone and with all others', async () => {
    const more = { utm: { source: 'news' } };
    for (const mail of [
      mailOf(HTML),
      mailOf(HTML, more),
      mailOf(`${HTML}<a href="https://c.example.com/{{email}}">`),
    ]) {
      const alone = linksIn(await bytesOf(compileForOne(mail)));
      expect(linksIn(await bytesOf(await compileForMany(mail)))).to.deep.equal(alone);
      expect(alone.slice(0, 2)).to.deep.equal([
        [1, `https://a.example.com/${mail.utm ? '?utm_source=news' : ''}`],
        [4, `https://a.example.com/${mail.utm ? '?utm_source=news' : ''}`],
      ]);
    }
  });

  it('do not depend on blocks: a link has its number in each round of a loop, and one that is left out keeps it', async () => {
    for (const open of ['{{#', '{{~#']) {
      const html = `${open}if vip}}<a href="https://vip.example.com/">1</a>{{/if}}${open}each items}}<a href="https://shop.example.com/{{this}}">2</a>{{/each}}<a href="https://end.example.com/">3</a>`;
      const bytes = await bytesOf(await compileForMany(mailOf(html)), { vip: false, items: ['x', 'y'] });
      expect(linksIn(bytes), open).to.deep.equal([
        [2, 'https://shop.example.com/x'],
        [2, 'https://shop.example.com/y'],
        [3, 'https://end.example.com/'],
      ]);
    }
  });

  it('are not given to links that come with the data', async () => {
    const html = '<a href="https://a.example.com/">a</a>{{{more}}}';
    const more = '<a href="https://data.example.com/">d</a>';
    expect(linksIn(await bytesOf(compileForOne(mailOf(html)), { more }))).to.deep.equal([
      [1, 'https://a.example.com/'],
      [undefined, 'https://data.example.com/'],
    ]);
  });

  it('belong to links as they are written, with their variables', () => {
    const html = `<a href="https://a.example.com/?a={{x}}&amp;b={{#if y}}{{y}}{{else}}0{{/if}}">\r\n<a\n href='{{default url "https://b.example.com"}}' data-no-track></a>`;
    expect(compiled(html, 'html', 'html').links).to.deep.equal([
      { url: 'https://a.example.com/?a={{x}}&b={{#if y}}{{y}}{{else}}0{{/if}}', isTracked: true },
      { url: '{{default url "https://b.example.com"}}', isTracked: false },
    ]);
  });
});

describe('The pages of a mail', () => {
  const HTML = `<a href="{{unsubscribe}}">1</a><a href='{{preferencesUrl}}'>2</a><a href="https://a.example.com/">4</a>`;
  const VIEW = '<a href="{{viewInBrowserUrl}}">3</a>';
  const pagesOf = async (fill: FillMail) => {
    let given = {} as MailPages;
    const to = { email: 'ada@example.org', name: null };
    const variables = (pages: MailPages) => {
      given = pages;
      return { ...pages };
    };
    await fill({ messageId, email: to.email, to, at: new Date(0), variables });
    return given;
  };
  const tokenIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);

  it('are the same in a mail that is composed alone and with all others, and no link to them is tracked', async () => {
    const mail = mailOf(HTML + VIEW, { utm: { source: 'news' } });
    const alone = await bytesOf(compileForOne(mail));
    const parsed = await PostalMime.parse(alone);
    const { html, text } = await PostalMime.parse(await bytesOf(await compileForMany(mail)));
    const words = (text = '') => text.match(/\S+/g)?.join('');
    expect([html, words(text)]).to.deep.equal([parsed.html, words(parsed.text)]);
    expect(linksIn(alone)).to.deep.equal([[3, 'https://a.example.com/?utm_source=news']]);
    const { unsubscribe, preferencesUrl, viewInBrowserUrl } = await pagesOf(compileForOne(mail));
    for (const url of [unsubscribe, preferencesUrl, viewInBrowserUrl]) expect(html).to.contain(url);
    expect(tokenIn(preferencesUrl)).to.equal(tokenIn(unsubscribe));
    expect(readUnsubscribeToken(config, tokenIn(preferencesUrl))?.email).to.equal('ada@example.org');
    expect(readViewToken(config, tokenIn(viewInBrowserUrl))).to.deep.equal({ projectId, messageId });
  });

  it('have a token for the view only where a template names it, in any of its parts', async () => {
    const source = { subject: 'News', previewText: '', html: HTML, text: null };
    for (const compile of [compileForOne, compileForMany]) {
      const viewOf = async (more: object) =>
        (await pagesOf(await compile(mailOf(HTML, { source: { ...source, ...more } })))).viewInBrowserUrl;
      expect(await viewOf({})).to.equal('');
      for (const named of [
        { html: HTML + VIEW },
        { html: '{{#if viewInBrowserUrl}}x{{/if}}' },
        { html: '{{#each this}}{{this}}{{/each}}' },
        { text: 'See {{viewInBrowserUrl}}' },
        { previewText: '{{{viewInBrowserUrl}}}' },
        { subject: '{{viewInBrowserUrl}}' },
      ])
        expect(await viewOf(named), JSON.stringify(named)).to.contain('https://mail.example.com/v/');
    }
  });
});
