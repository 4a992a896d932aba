import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectId } from 'mongodb';
import type { BrowserContext, Locator, Page, Request } from 'playwright-core';
import { sessionCookieName } from '../../../api/http/identity/session-cookie.ts';
import { addMember } from '../../../core/accounts/members.ts';
import { MEMBERS_CHANGED } from '../../../core/accounts/sessions.ts';
import { createSession } from '../../../core/accounts/sign-in/sessions.ts';
import type { Role } from '../../../schemas/operations.ts';
import { headersWith } from '../../accounts/signed-in.ts';
import { type Environment, startEnvironment, type Tenant } from '../environment.ts';
import { until } from '../wait.ts';
import { browser, useBrowser } from './chromium.ts';

interface OpenOptions {
  role?: Role;
  /** Whose project; `own` when left out. */
  tenant?: Tenant;
  /** 375 is a phone. */
  width?: number;
  theme?: 'light' | 'dark';
  /** Where the browser finds the console; the API itself when left out. */
  url?: string;
  /** Another tab of the browser of this page. */
  besides?: Page;
  /** A link of sign-in in place of the path, for a person who is not signed in. */
  link?: string;
}

interface SignInOptions {
  role: Role;
  url: string;
  email?: string;
}

export interface ConsoleSuite extends Environment {
  /** A tab of a browser of its own, signed in, at a path of the console: '/suppressions'. Its faults fail the test. */
  open(path: string, options?: OpenOptions): Promise<Page>;
}

const DESK = { width: 1400, height: 1000 };
const PHONE = { width: 375, height: 812 };
/** A machine that does other things too may take several times as long. */
export const WAIT_MS = 30_000;
const TEST_MS_MAX = 180_000;
const BUNDLE_MS_MAX = 120_000;
/** How many times slower than the machine its pages compute: what a test waits for by luck fails then. */
const SLOWED = Number(process.env.EVERPOST_SLOW_BROWSER ?? 1);
/** Bundles are kept there between runs, by the hash of their sources. */
export const consoleDir = join(tmpdir(), 'everpost-console-builds');

type Variables = Record<string, string>;

/** The API with the console, on the real servers, until the suite ends; each test has its own browser contexts. */
export function useConsole(env: Variables | (() => Promise<Variables>) = {}): ConsoleSuite {
  const suite = {} as ConsoleSuite;
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];
  useBrowser();
  before(async function () {
    // The first start bundles the console.
    this.timeout(BUNDLE_MS_MAX);
    const variables = typeof env === 'function' ? await env() : env;
    const environment = await startEnvironment(variables, { consoleDir });
    Object.assign(suite, environment, {
      open: (path: string, options: OpenOptions = {}) => open(environment, { path, contexts, faults, ...options }),
    });
    await fetch(`${environment.url}/console`);
  });
  beforeEach(function () {
    const { currentTest } = this;
    currentTest?.timeout(Math.max(currentTest.timeout(), TEST_MS_MAX));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await shootFailures(this.currentTest.title, contexts);
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    const found = faults.splice(0);
    if (found.length > 0) throw new Error(`The page had faults: ${found.join(' | ')}`);
  });
  after(() => suite.stop?.());
  return suite;
}

async function open(
  environment: Environment,
  {
    path,
    contexts,
    faults,
    role = 'owner',
    tenant = environment.own,
    width = DESK.width,
    theme = 'light',
    url = environment.url,
    besides,
    link,
  }: OpenOptions & { path: string; contexts: BrowserContext[]; faults: string[] },
): Promise<Page> {
  const context = besides?.context() ?? (await newContext());
  const page = await context.newPage();
  if (SLOWED > 1) await slowDown(page, SLOWED);
  followRequests(page);
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('console', (message) => {
    // In a preview of mail, and in frames of the mail itself, what the policy refuses is no fault.
    const isOfMail = /\/previews\/|about:srcdoc/.test(`${message.text()} ${message.location().url}`);
    if (message.type() === 'error' && !isOfMail && !/^Failed to load resource/.test(message.text()))
      faults.push(message.text());
  });
  await page.goto(link ?? `/console${path}`);
  return page;

  async function newContext(): Promise<BrowserContext> {
    const isPhone = width === PHONE.width;
    const context = await (await browser()).newContext({
      baseURL: url,
      viewport: isPhone ? PHONE : { ...DESK, width },
      hasTouch: isPhone,
      colorScheme: theme,
      // A skeleton that pulses costs a fifth of the time that Chromium computes.
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    contexts.push(context);
    context.setDefaultTimeout(WAIT_MS);
    if (link === undefined) await signIn(environment, context, tenant, { role, url });
    return context;
  }
}

async function slowDown(page: Page, rate: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
}

/** Takes the first thing with this name from a choice that the server searches. */
export async function pickFound(choice: Locator, name: string): Promise<void> {
  await choice.fill(name);
  const option = choice.page().getByRole('option', { name: new RegExp(`^${name}`) });
  await option.first().click();
}

/** Gives the file to the choice that the press opens. A slow page would take the press before it is ready to hand over its choice. */
export async function chooseFile(
  page: Page,
  press: () => Promise<void>,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  const opened = page.waitForEvent('filechooser');
  await page.evaluate('0');
  const [chooser] = await Promise.all([opened, press()]);
  await chooser.setFiles(file);
}

/** The other rules of axe-core find the same in both themes. */
const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/** axe-core in both themes; throws with what it finds that is serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(`window.axe ? 0 : (() => { ${source} })()`);
    const options = { resultTypes: ['violations'], ...(colorScheme === 'dark' && { runOnly: rulesOfColours }) };
    const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
      violations: Array<{ id: string; impact: string; help: string; nodes: Array<{ target: string[]; html: string }> }>;
    };
    for (const { id, impact, help, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        found.push(
          `${colorScheme}: ${id} (${impact}), ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' , ')}`,
        );
  }
  await page.emulateMedia({ colorScheme: null });
  if (found.length > 0) throw new Error(`axe-core found:\n${found.join('\n')}`);
}

/** Pictures in light, dark and on a phone, when EVERPOST_SCREENSHOTS names a folder for them. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.EVERPOST_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize() ?? DESK;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), animations: 'disabled' });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await page.screenshot({ path: join(folder, `${name}-phone.png`), animations: 'disabled', fullPage: true });
  await page.setViewportSize(before);
}

/** Each tab as it was when a test failed. */
async function shootFailures(title: string, contexts: readonly BrowserContext[]): Promise<void> {
  const folder = process.env.EVERPOST_SCREENSHOTS;
  const name = title.replace(/\W+/g, '-').slice(0, 60);
  for (const [index, page] of contexts.flatMap((context) => context.pages()).entries())
    if (folder) await page.screenshot({ path: join(folder, `failed-${name}-${index}.png`) }).catch(() => undefined);
}

/** Returns a look at the time that the page has computed since; other processes of the machine do not count. */
export async function busyTime(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const total = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
  };
  const before = await total();
  return async () => (await total()) - before;
}

/** Once the page has put it there, this text is in the clipboard. */
export async function expectCopied(page: Page, text: string): Promise<void> {
  await until(
    () => page.evaluate('navigator.clipboard.readText()'),
    (copied) => copied === text,
  );
}

/** The requests of the page while `work` runs, but for the stream that was open before. */
export async function requestsDuring(page: Page, work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const note = (request: Request) => seen.push(`${request.method()} ${new URL(request.url()).pathname}`);
  page.on('request', note);
  try {
    await work();
  } finally {
    page.off('request', note);
  }
  return seen;
}

/** The next call of this kind reaches the API when `release` is called; `isHeld` resolves when the page has made it. */
export async function holdCall(page: Page, method: string, path: RegExp) {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(
    (url) => path.test(url.pathname),
    async (route) => {
      if (route.request().method() !== method) return route.fallback();
      held.resolve();
      await released.promise;
      return route.continue();
    },
  );
  return { isHeld: held.promise, release: () => released.resolve() };
}

/** A page may move by this part of what is seen, as browsers measure it. */
export const SHIFT_MAX = 0.02;
const MEASURE = `(() => {
  window.shifts = { sum: 0, worst: 0, moved: [] };
  let burst = { from: -Infinity, last: -Infinity, sum: 0 };
  new PerformanceObserver((list) => {
    for (const { value, sources, startTime, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifts.sum += value;
      if (startTime - burst.last > 1000 || startTime - burst.from > 5000) burst = { from: startTime, sum: 0 };
      burst.last = startTime;
      burst.sum += value;
      window.shifts.worst = Math.max(window.shifts.worst, burst.sum);
      for (const { node } of sources ?? []) {
        const element = node?.nodeType === 1 ? node : node?.parentElement;
        window.shifts.moved.push(value.toFixed(4) + ' ' + (element?.className || element?.tagName || '?') + ' ' + (element?.textContent ?? '').slice(0, 40));
      }
    }
  }).observe({ type: 'layout-shift', buffered: true });
})()`;

/** Adds up how far things move without a touch, and names them, from the next load of the page on. */
export async function measureShifts(page: Page): Promise<void> {
  await page.addInitScript(MEASURE);
}

export interface Shifts {
  /** All of them; `worst` has those of a burst of five seconds at most, which is what browsers call the layout shift. */
  sum: number;
  worst: number;
  moved: string[];
}

/** From now on. */
export async function forgetShifts(page: Page): Promise<void> {
  await page.evaluate('Object.assign(window.shifts, { sum: 0, worst: 0, moved: [] })');
}

export async function shiftsOf(page: Page): Promise<Shifts> {
  return (await page.evaluate('window.shifts')) as Shifts;
}

/** Requests of a page that have no whole answer yet, without the stream, which stays open. */
const openRequests = new WeakMap<Page, Set<Request>>();

function followRequests(page: Page): void {
  const requests = new Set<Request>();
  let isNewDocument = false;
  openRequests.set(page, requests);
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) isNewDocument = true;
    if (!/\/v1\/stream/.test(request.url())) requests.add(request);
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame() || !isNewDocument) return;
    isNewDocument = false;
    // The document before asks for files until the new one takes its place. They end with it, and not always with an event.
    requests.clear();
  });
  const end = (request: Request) => requests.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

const QUIET_MS = 1_000;

/** Waits until the page has loaded what it shows: parts load one after the other, and once more when the stream covers them. */
export async function untilQuiet(page: Page, quietMs = QUIET_MS): Promise<void> {
  const ask = async () => [
    ...(await requestsDuring(page, () => page.waitForTimeout(quietMs))),
    ...(await unanswered(page)).map((url) => `${url} has no answer`),
  ];
  await until(ask, (requests) => requests.length === 0, { ms: WAIT_MS });
}

/** While a test holds back requests the end of a file is sometimes missing among the events of the browser, so the page is asked too. */
async function unanswered(page: Page): Promise<string[]> {
  const urls = [...(openRequests.get(page) ?? [])].map((request) => request.url());
  if (!urls.some(isFile)) return urls;
  const loaded = await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
  return urls.filter((url) => !(isFile(url) && (loaded as string[]).includes(url)));
}

function isFile(url: string): boolean {
  return url.includes('/console/assets/');
}

/** Ends the sessions of members, one of which the page has: no request of it is served any more when this resolves. */
export async function endSessions(
  environment: Pick<Environment, 'deps' | 'url' | 'client'>,
  page: Page,
  email: RegExp,
): Promise<void> {
  const { deps, client } = environment;
  const name = sessionCookieName(deps.config);
  const token = (await page.context().cookies()).find((cookie) => cookie.name === name)?.value;
  await deps.db.memberSessions.deleteMany({ email });
  deps.signals.publish(MEMBERS_CHANGED, '');
  const { get } = client(null, headersWith(environment, `${token}`));
  await until(
    async () => (await get('/session')).status,
    (status) => status === 401,
    { ms: WAIT_MS },
  );
}

/** A session of a member with this role, in the cookie that the page behind a sign-in link sets. */
export async function signIn(
  { deps }: Pick<Environment, 'deps'>,
  context: BrowserContext,
  { organization }: { organization: { _id: ObjectId } },
  { role, url, email = `ada.${role}@${organization._id.toHexString()}.example` }: SignInOptions,
): Promise<void> {
  if (!(await deps.db.members.findOne({ organizationId: organization._id, email })))
    await addMember(deps, organization._id, { email, role });
  const { token } = await createSession(deps, { email, userAgent: 'a walk' });
  await context.addCookies([{ name: sessionCookieName(deps.config), value: token, url }]);
}
