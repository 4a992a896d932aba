import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import { createLink } from '../../../core/accounts/sign-in/links.ts';
import { arrivedFor, CONSOLE_FROM, makeMember, startSignInMails } from '../../accounts/sign-in/support.ts';
import { headersWith } from '../../accounts/signed-in.ts';
import { browser } from '../../support/browser/chromium.ts';
import { expectAccessible, shoot, useConsole, WAIT_MS } from '../../support/browser/console.ts';
import { type Sink, startSink } from '../../support/mail/smtp-sink.ts';
import { until } from '../../support/wait.ts';

describe('Signing in with a browser', () => {
  const suite = useConsole({ CONSOLE_FROM });
  let sink: Sink;
  let mails: { stop(): Promise<void> };
  let evil: Server;
  let evilPage = '';
  let context: BrowserContext;

  before(async () => {
    sink = await startSink();
    mails = startSignInMails(suite, sink);
    evil = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(evilPage));
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await mails?.stop();
    await sink?.close();
    evil?.close();
  });
  beforeEach(async () => {
    context = await (await browser()).newContext({ baseURL: suite.url });
    context.setDefaultTimeout(WAIT_MS);
  });
  afterEach(() => context.close());

  it('takes an address, a mail, a link and a button; then the console is there, until the person signs out', async () => {
    const email = 'ada@harbour.example';
    await makeMember(suite, suite.own, email);
    const page = await context.newPage();
    await page.goto('/console/contacts?search=harbour#top');
    await page.getByLabel('Your address').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('Look into your mailbox').waitFor();
    const [mail] = await until(
      () => arrivedFor(sink, email),
      (found) => found.length > 0,
      { ms: WAIT_MS },
    );
    const opened = await context.newPage();
    await opened.goto(mail?.url ?? '');
    await opened.getByText(email).waitFor();
    await expectAccessible(opened);
    await shoot(opened, 'sign-in-link');
    const referers: (string | undefined)[] = [];
    opened.on('request', (request) => referers.push(request.headers().referer));
    await opened.getByRole('button', { name: 'Sign in' }).click();
    await opened.getByTitle(email).waitFor();
    const asked = new RegExp(`/console/${suite.own.project._id.toHexString()}/contacts\\?search=harbour#top$`);
    await opened.waitForURL(asked);
    // The tab that the page was asked for in has it too.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.waitForURL(asked);
    await page.getByRole('heading', { name: 'Contacts' }).waitFor();
    expect(referers.filter((referer) => referer?.includes(mail?.token ?? ''))).to.deep.equal([]);
    expect(await opened.evaluate('document.cookie')).to.equal('');
    const [token = ''] = (await context.cookies()).map(({ value }) => value);
    const again = await context.newPage();
    await again.goto(mail?.url ?? '');
    await again.getByText('This link does not work any more').waitFor();
    await expectAccessible(again);
    await shoot(again, 'sign-in-link-over');
    await opened.getByRole('button', { name: 'You and this browser' }).click();
    await opened.getByRole('menuitem', { name: 'Sign out' }).click();
    await opened.getByLabel('Your address').waitFor();
    // The tab that the session ended for without a word keeps no address either.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByText('Sign in again').waitFor();
    expect(await opened.evaluate('localStorage.getItem("everpost-return")')).to.equal(null);
    expect(await context.cookies()).to.deep.equal([]);
    expect((await suite.client(null, headersWith(suite, token)).get('/session')).status).to.equal(401);
  });

  it('is nothing that a page of another site can do: neither by its form nor with the cookie', async () => {
    await makeMember(suite, suite.own, 'victim@harbour.example');
    await makeMember(suite, suite.own, 'attacker@harbour.example');
    const page = await context.newPage();
    await page.goto(await createLink(suite.deps, 'victim@harbour.example'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console');
    const before = await context.cookies();
    const projectId = suite.own.project._id.toHexString();
    const attackersLink = await createLink(suite.deps, 'attacker@harbour.example');
    const { port } = evil.address() as AddressInfo;
    // By both names: of the same host, where the cookie is sent along, and of another.
    for (const host of ['127.0.0.1', 'localhost']) {
      evilPage = `<form method="post" action="${attackersLink}"></form>
<script>
  const headers = { 'Content-Type': 'text/plain', 'x-project-id': '${projectId}' };
  const body = '{"email":"made@example.net"}';
  const call = (more) => fetch('${suite.url}/v1/contacts/email', { method: 'POST', credentials: 'include', body, ...more }).catch(() => {});
  Promise.all([
    call({ mode: 'no-cors' }),
    call({ headers }),
    call({ headers: { ...headers, 'X-Everpost-Console': '1' } }),
  ]).then(() => document.forms[0].submit());
</script>`;
      await page.goto(`http://${host}:${port}/`);
      await page.getByText('You are not signed in').waitFor();
    }
    expect(await suite.deps.db.contacts.countDocuments({ email: 'made@example.net' })).to.equal(0);
    expect(await context.cookies()).to.deep.equal(before);
    await page.goto('/console');
    await page.getByTitle('victim@harbour.example').waitFor();
  });
});
