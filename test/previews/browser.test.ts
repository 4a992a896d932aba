import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { BrowserContext } from 'playwright-core';
import { openPixelUrl } from '../../core/mail/compose/links.ts';
import { clickToken } from '../../core/mail/compose/tokens.ts';
import { makers } from '../edge/makers.ts';
import { png } from '../providers/images.ts';
import { browser, SKIP_BROWSER } from '../support/browser/chromium.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { payloads, RAN } from './payloads.ts';
import { shownFields } from './shown-fields.ts';

const HOST = '/a-page-of-the-console';

describe('In a real browser', () => {
  const environment = useEnvironment();
  let context: BrowserContext;
  /** Of scripts that ran and dialogs that opened. */
  const ran: string[] = [];
  /** Addresses that were asked for, or would have been. */
  const asked: string[] = [];
  let host = '';

  before(async function () {
    if (process.env[SKIP_BROWSER]) this.skip();
    this.timeout(120_000);
    context = await (await browser()).newContext();
    context.on('console', (message) => {
      if (message.text() === RAN) ran.push(message.text());
    });
    context.on('dialog', (dialog) => {
      ran.push(dialog.message());
      void dialog.dismiss();
    });
    await context.route('**/*', (route) => {
      const url = route.request().url();
      if (url === `${environment.url}${HOST}`) return route.fulfill({ contentType: 'text/html', body: host });
      asked.push(url);
      return url.startsWith(`${environment.url}/`) ? route.continue() : route.abort();
    });
  });
  after(() => context?.close());
  beforeEach(() => {
    ran.length = 0;
    asked.length = 0;
  });

  /** A page of our origin with these frames, until all is loaded and what is expected has happened. Each is clicked. */
  async function show(frames: string[], hasHappened = () => true): Promise<void> {
    host = `<!doctype html><meta charset="utf-8">${frames.join('')}`;
    const page = await context.newPage();
    await page.goto(`${environment.url}${HOST}`, { waitUntil: 'networkidle' });
    for (const frame of await page.locator('iframe').all()) await frame.click({ position: { x: 12, y: 16 } });
    await page.waitForLoadState('networkidle');
    // A browser that gets no processor between a page and its pictures is idle too.
    await until(async () => hasHappened(), Boolean);
    await page.close();
  }
  const hasAskedFor = (urls: readonly string[]) => urls.every((url) => asked.includes(url));
  const frameOf = (url: string) => `<iframe width="120" height="60" src="${new URL(url).pathname}"></iframe>`;

  it('the payloads run where nothing holds them, so that they would be noticed', async () => {
    const escaped = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const pages = payloads.filter((payload) => payload.startsWith('<'));
    const frames = pages.map((payload) => `<iframe srcdoc="${escaped(payload)}"></iframe>`);
    await show(frames, () => ran.length >= 10);
    expect(ran.length).to.be.at.least(10);
  });

  for (const { field, show: addressOf } of shownFields(environment))
    it(`no payload runs: ${field}`, async () => {
      const urls: string[] = [];
      for (const payload of payloads) {
        const url = await addressOf(payload);
        if (url.includes('/previews/')) urls.push(url);
        else {
          // Our own pages cannot be framed, and show the names of today.
          const page = await context.newPage();
          await page.goto(url);
          await page.close();
        }
      }
      if (urls.length > 0) await show(urls.map(frameOf));
      expect(ran).to.deep.equal([]);
      expect(asked.filter((url) => !url.startsWith(environment.url) && !url.startsWith('data:'))).to.deep.equal([]);
    });

  describe('a preview in a frame', () => {
    const pictureUrl = async () => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(png(2, 2))]));
      return (await environment.own.client.send('POST', '/v1/media', { body: form })).body.data.url as string;
    };
    const inbound = async (html: string, query: string) => {
      const { own, deps } = environment;
      const id = await makers.inboundId!.make(own, environment);
      await deps.db.inboundMessages.updateOne(
        { _id: new ObjectId(id), projectId: own.project._id },
        { $set: { html } },
      );
      return (await own.client.get(`/inbound/messages/${id}/preview${query}`)).body.data.previewUrl as string;
    };

    it('shows our own pictures and those of http and https, and asks for nothing else', async () => {
      const picture = await pictureUrl();
      const html = `<link rel="stylesheet" href="https://style.test/x.css"><style>@import "https://style.test/y.css"; p { color: red }</style>
        <p style="background: url(https://pictures.test/bg.png)">Hello</p><img src="${picture}"><img src="http://pictures.test/a.png">
        <video src="https://media.test/v.mp4" autoplay></video><iframe src="https://frame.test/"></iframe>`;
      const answer = await environment.own.client.post('/templates/preview', { emailTemplate: html });
      const pictures = [picture, 'http://pictures.test/a.png', 'https://pictures.test/bg.png'];
      await show([frameOf(answer.body.data.previewUrl)], () => hasAskedFor(pictures));
      const others = asked.filter(
        (url) => url !== `${environment.url}${new URL(answer.body.data.previewUrl).pathname}`,
      );
      expect(new Set(others)).to.deep.equal(new Set(pictures));
    });

    it('of mail that came in asks for no picture, before it is allowed', async () => {
      const html = `<img src="${await pictureUrl()}"><p style="background: url(https://spy.test/bg.png)"><img src="https://spy.test/x.gif"></p>`;
      const [quiet, loud] = [await inbound(html, ''), await inbound(html, '?pictures=true')];
      await show([frameOf(quiet)]);
      expect(asked).to.deep.equal([quiet]);
      const pictures = ['https://spy.test/x.gif', 'https://spy.test/bg.png'];
      await show([frameOf(loud)], () => hasAskedFor(pictures));
      expect(asked).to.include.members(pictures);
    });

    it('counts as no open and no click, also where it quotes our mail and is clicked', async () => {
      const { config, db } = environment.deps;
      const ref = { projectId: environment.own.project._id, messageId: new ObjectId() };
      const click = `${config.publicUrl}/t/c/${clickToken(config, ref, 'https://shop.example.com/')}`;
      const html = `<a href="${click}" style="display:block;width:100px;height:50px">Sale</a><img src="${openPixelUrl(config, ref)}">`;
      const isPixel = (url: string) => url.includes('//preview.invalid/t/o/');
      await show([frameOf(await inbound(html, '?pictures=true'))], () => asked.some(isPixel));
      expect(asked.filter((url) => url.startsWith(`${config.publicUrl}/t/`))).to.deep.equal([]);
      expect(asked.some(isPixel)).to.equal(true);
      expect(await db.engagements.countDocuments({ projectId: ref.projectId })).to.equal(0);
    });
  });
});
