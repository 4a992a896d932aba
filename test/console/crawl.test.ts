import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';
import { ROLES } from '../../schemas/operations.ts';
import { makers } from '../edge/makers.ts';
import { useConsole } from '../support/browser/console.ts';
import { until } from '../support/wait.ts';

/** Addresses of one kind, such as the pages of a listing, that are visited. */
const OF_A_KIND = { owner: 2, others: 1 };
const TEXT_MIN = 20;
/** A server without a free processor asks for another try, which the console makes too. */
const BUSY = 503;
/** Parts are loaded one after the other: twice in a row there is nothing open. */
const LOOKS = 2;

/** Pages that every role has in the navigation. */
const EVERYBODYS = ['/campaigns', '/templates', '/contacts', '/lists', '/emails', '/reports', '/settings', '/health'];

interface Look {
  title: string;
  /** Characters of the page. */
  text: number;
  links: string[];
  isLoading: boolean;
}

const LOOK = `(() => {
  const main = document.querySelector('main');
  const links = [...document.querySelectorAll('a[href]')].filter(({ origin }) => origin === location.origin);
  return {
    title: document.querySelector('h1')?.textContent ?? '',
    text: main.innerText.length,
    links: links.map(({ pathname, search }) => pathname + search),
    isLoading: main.querySelector('[aria-busy="true"], .skeleton') !== null,
  };
})()`;

describe('Every link of every page', function () {
  // For everything that a slow machine may need.
  this.timeout(300_000);
  const suite = useConsole({ DNS_SERVERS: '127.0.0.1:9' });
  before(async () => {
    const { own } = suite;
    for (const { make } of Object.values(makers)) await make(own, suite);
    await own.client.post('/suppression-groups/emails/suppress', { emails: ['gone@harbour.example'], isGlobal: true });
    const filter = { field: 'email', fieldType: 'string', operator: 'contains', value: 'example' };
    await own.client.post('/contact-lists', {
      ...{ name: 'With a filter', type: 'segment' },
      filterCriteria: { logicalOperator: 'AND', groups: [filter] },
    });
  });

  for (const role of ROLES)
    for (const has of ['things', 'nothing'] as const)
      it(`leads the ${role} of a project with ${has} to a page that is there and whole`, async () => {
        const tenant = has === 'things' ? suite.own : suite.other;
        const page = await suite.open('/', { role, tenant });
        const { faults, seen } = await crawl(
          page,
          `/console/${tenant.project._id}`,
          OF_A_KIND[role === 'owner' ? role : 'others'],
        );
        expect(faults).to.deep.equal([]);
        expect(seen).to.include.members(EVERYBODYS.map((path) => `/console/{id}${path}`));
      });
});

async function crawl(page: Page, start: string, ofKindMax: number): Promise<{ faults: string[]; seen: string[] }> {
  const faults: string[] = [];
  const visits = new Map<string, number>();
  const waiting = [start];
  const known = new Set(waiting);
  const open = new Set<Request>();
  const busy = new Set<Request>();
  let at = start;
  const isPart = (request: Request) => !/\/v1\/stream/.test(request.url());
  const end = (request: Request) => open.delete(request);
  page.on('request', (request) => isPart(request) && open.add(request));
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  page.on('response', (response) => {
    if (response.status() === BUSY) busy.add(response.request());
    else if (response.status() >= 400)
      faults.push(`${at}: ${response.status()} of ${new URL(response.url()).pathname}`);
  });
  for (;;) {
    const next = waiting.shift();
    if (next === undefined) break;
    at = next;
    const isOfConsole = /^\/console(\/|$)/.test(at);
    if (!isOfConsole) {
      const answer = await page.request.get(at, { maxRedirects: 0 });
      if (answer.status() >= 400) faults.push(`${at}: ${answer.status()}`);
      continue;
    }
    await page.evaluate(
      `(() => { const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(at)} });
        document.body.append(link); link.click(); link.remove(); })()`,
    );
    let quiet = 0;
    const { title, text, links } = await until(
      async () => {
        const found = (await page.evaluate(LOOK)) as Look;
        quiet = open.size > 0 || found.isLoading ? 0 : quiet + 1;
        return found;
      },
      () => quiet >= LOOKS,
      { everyMs: 20 },
    );
    if (/^(Not found|This page|Another project|No project)/.test(title) || text < TEXT_MIN)
      faults.push(`${at}: “${title}”, ${text} characters`);
    for (const link of links) {
      if (known.has(link)) continue;
      known.add(link);
      const kind = kindOf(link);
      const before = visits.get(kind) ?? 0;
      visits.set(kind, before + 1);
      if (before < ofKindMax) waiting.push(link);
    }
  }
  for (const request of busy) {
    const repeat = async () => (await page.request.fetch(request)).status();
    const status = await until(repeat, (one) => one !== BUSY);
    if (status >= 400) faults.push(`${status} of ${new URL(request.url()).pathname}`);
  }
  return { faults, seen: [...visits.keys()] };
}

/** The address without ids and without the values of its query. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  const names = [...searchParams.keys()].sort();
  return pathname.replace(/[0-9a-f]{24}|T-\w+/g, '{id}') + (names.length > 0 ? `?${names.join('&')}` : '');
}
