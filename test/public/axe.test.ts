import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { BrowserContext, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { type Language, type Texts, textsIn } from '../../core/base/text/languages/index.ts';
import { SHOWN_AT_LEAST_MS } from '../../core/forms/submit.ts';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { type Desk, type MadeForm, startDesk } from '../forms/support.ts';
import { useBrowser } from '../support/browser/chromium.ts';
import { expectAccessible, shoot } from '../support/browser/console.ts';
import { until } from '../support/wait.ts';

const SERVERS_MS = 180_000;
const TEST_MS = 180_000;
const WAIT_MS = 60_000;
const PAGE_BYTES_MAX = 30_000;
const PHONE = { width: 375, height: 812 };
/** Yellow and dark blue: one cannot be read on white, the other not on black. */
const COLOURS = { en: '#ffe600', de: '#0a1a5c' };

type Way = (page: Page, texts: Texts, language: Language) => Promise<unknown>;

describe('Every public page', function () {
  this.timeout(TEST_MS);
  const open = useBrowser();
  let desk: Desk;
  const contexts: BrowserContext[] = [];
  before(async function () {
    this.timeout(SERVERS_MS);
    desk = await startDesk();
  });
  after(() => desk?.stop());
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));

  const someone = () => `${crypto.randomUUID()}@in.test`;
  const tokenFor = (email: string, groupId: string | null = null) => {
    const ref = { projectId: desk.own.project._id, messageId: new ObjectId() };
    return unsubscribeToken(desk.environment.deps.config, { ...ref, groupId, email });
  };
  const newGroup = async (isPublic = false): Promise<string> => {
    const { body } = await desk.own.client.post('/suppression-groups', { name: crypto.randomUUID(), isPublic });
    return body.data.groupId;
  };
  const press = async (page: Page, heading: string) => {
    await page.getByRole('button').first().click();
    await see(page, heading);
  };
  const see = (page: Page, heading: string) => page.getByRole('heading', { level: 1, name: heading }).waitFor();

  const newForm = () => {
    const field = (name: string, type: string, more: object = {}) => ({ name, label: `Your ${name}`, type, ...more });
    const fields = [
      field('firstName', 'text', { required: true }),
      field('age', 'number'),
      field('birthday', 'date'),
      field('tea', 'checkbox'),
      field('colour', 'select', { options: ['Red', 'Green'] }),
    ];
    return desk.form({ fields, texts: { intro: 'Twice a month.\nNo advertisements.' } });
  };
  const fillIn = async (page: Page, form: MadeForm, texts: Texts, email: string) => {
    await page.goto(form.path);
    await page.getByLabel(texts.form.email).fill(email);
    await page.getByLabel('Your firstName').fill('Ada');
  };
  const confirmLink = async (language: Language) => {
    const email = someone();
    const form = await desk.form();
    expect((await desk.send(form, { email }, { 'Accept-Language': language })).status).to.equal(200);
    return desk.link(email);
  };
  const linkIn = async (email: string, pattern: RegExp): Promise<string> => {
    const path = await until(
      async () => {
        const raw = desk.post.sink.ledger.messages.findLast(({ to }) => to.includes(email))?.raw;
        return raw && pattern.exec((await PostalMime.parse(raw)).text ?? '')?.[0];
      },
      (found) => found !== undefined,
    );
    return path as string;
  };
  const preferences = async () => {
    const email = someone();
    const { body } = await desk.own.client.post('/contact-lists', {
      ...{ name: `News ${crypto.randomUUID()}`, description: 'Twice a month', isPublic: true },
    });
    await desk.own.client.post('/contacts/email', { email, listIds: [body.data.id] });
    return { email, path: `/p/${tokenFor(email, await newGroup(true))}` };
  };

  /** Outside its sandbox, in which axe-core cannot run. */
  const showView = async (page: Page, content: object) => {
    const email = someone();
    await desk.post.send({ to: { email }, ...content });
    const reply = await page.request.get(await linkIn(email, /\/v\/[\w-]+/));
    await page.setContent(await reply.text());
  };

  /** The way to each page, up to its heading. */
  const pages: Record<string, Way> = {
    unsubscribe: async (page, { unsubscribe }) => {
      await page.goto(`/u/${tokenFor(someone(), await newGroup())}`);
      await see(page, unsubscribe.heading);
    },
    unsubscribed: async (page, { unsubscribe }) => {
      await page.goto(`/u/${tokenFor(someone())}`);
      await press(page, unsubscribe.leftHeading);
    },
    subscribed: async (page, { unsubscribe }) => {
      await page.goto(`/u/${tokenFor(someone())}`);
      await press(page, unsubscribe.leftHeading);
      await press(page, unsubscribe.backHeading);
    },
    stopped: async (page, { unsubscribe }) => {
      const email = someone();
      await desk.own.client.post('/suppression-groups/emails/suppress', { emails: [email], isGlobal: true });
      await page.goto(`/u/${tokenFor(email)}`);
      await see(page, unsubscribe.stoppedHeading);
    },
    unknown: async (page, { notFound }) => {
      await page.goto('/u/unknown');
      await see(page, notFound.heading);
    },
    form: async (page, texts) => {
      await fillIn(page, await newForm(), texts, '');
    },
    'form with faults': async (page, texts) => {
      await fillIn(page, await newForm(), texts, 'no address');
      await page.getByRole('button').click();
      await page.getByText(texts.form.wrong.email).waitFor();
    },
    'form that was sent': async (page, texts) => {
      await fillIn(page, await newForm(), texts, someone());
      // A form that is sent at once is shown again.
      desk.environment.clock.advance(SHOWN_AT_LEAST_MS);
      await press(page, texts.form.checkHeading);
    },
    confirm: async (page, { confirm }, language) => {
      await page.goto(await confirmLink(language));
      await see(page, confirm.heading);
    },
    confirmed: async (page, { confirm }, language) => {
      await page.goto(await confirmLink(language));
      await press(page, confirm.doneHeading);
    },
    preferences: async (page, texts) => {
      await page.goto((await preferences()).path);
      await see(page, texts.preferences.heading);
    },
    'saved preferences': async (page, texts) => {
      await page.goto((await preferences()).path);
      await page.getByRole('button', { name: texts.preferences.save, exact: true }).click();
      await page.getByText(texts.preferences.saved).waitFor();
    },
    'data, asked for': async (page, { data }) => {
      await page.goto((await preferences()).path);
      await page.getByRole('button', { name: data.askButton }).click();
      await see(page, data.askedHeading);
    },
    'data, to download': async (page, { data }) => {
      const { email, path } = await preferences();
      await page.goto(path);
      await page.getByRole('button', { name: data.askButton }).click();
      await see(page, data.askedHeading);
      await page.goto(await linkIn(email, /\/d\/[\w-]+/));
      await see(page, data.downloadHeading);
    },
    'data, link used': async (page, { data }) => {
      await page.goto(`/d/${'A'.repeat(43)}`);
      await see(page, data.overHeading);
    },
    view: async (page) => {
      await showView(page, {
        html: `<html lang="en"><head><title>News</title></head><body><main><h1>News</h1><p><a href="{{viewInBrowserUrl}}">View</a></p></main></body></html>`,
      });
      await see(page, 'News');
    },
    'view of a text': async (page) => {
      await showView(page, { html: undefined, text: 'News for you: {{viewInBrowserUrl}}' });
      await page.getByText('News for you').waitFor();
    },
  };

  for (const language of ['en', 'de'] as const)
    for (const [name, come] of Object.entries(pages))
      it(`is accessible in both themes, fits a telephone and has less than 30 kB: ${name}, ${language}`, async () => {
        const look = {
          publicName: 'Kaffeehaus am Marktplatz',
          color: COLOURS[language],
          postalAddress: 'Kaffeehaus am Marktplatz GmbH\nMarktplatz 1\n10115 Berlin',
        };
        const { adminKey, project } = desk.own;
        await desk.environment.client(adminKey).patch(`/account/projects/${project._id}`, look);
        const context = await (await open()).newContext({ baseURL: desk.environment.url, locale: language });
        contexts.push(context);
        context.setDefaultTimeout(WAIT_MS);
        const page = await context.newPage();
        await come(page, textsIn(language), language);
        if (!name.startsWith('view')) expect(await page.locator('html').getAttribute('lang')).to.equal(language);
        expect(Buffer.byteLength(await page.content())).to.be.below(PAGE_BYTES_MAX);
        await expectAccessible(page);
        await shoot(page, `public-${name.replaceAll(/\W+/g, '-')}-${language}`);
        await page.setViewportSize(PHONE);
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);
      });
});
