import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { publishEvents } from '../../../core/events/events.ts';
import { busyTime, shoot, untilQuiet, useConsole } from '../../support/browser/console.ts';
import { bundleWithKit } from '../../support/browser/console-kit.ts';
import { type Door, openDoor } from '../../support/door.ts';

/** A quarter of the time of each frame: three quarters are left for a page that has more to draw. */
const BUSY_MS_MAX = 250;
const PATH = '/kit?view=live&types=contact.deleted';

describe('The live figures of the console', () => {
  const suite = useConsole(bundleWithKit);
  let door: Door;
  before(async () => {
    door = await openDoor(suite.url);
  });
  after(() => door?.close());

  /** Counted up, so that a lost or repeated one is seen. */
  let made = 0;
  const publish = (many = 1, tenant = suite.own) =>
    publishEvents(
      suite.deps,
      tenant.project._id,
      Array.from({ length: many }, () => {
        made += 1;
        return { type: 'contact.deleted', key: `live ${made}`, data: { id: new ObjectId().toHexString() } };
      }),
    );
  const streamsOf = (page: Page) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/v1/stream')
        asked.push(`${searchParams.get('types')} after ${request.headers()['last-event-id'] ?? 'nothing'}`);
    });
    return asked;
  };
  const seen = (page: Page, count: number) =>
    page.getByText(`${count.toLocaleString('en-US')} events, 0 of them repeated`).waitFor();
  const connected = (page: Page) => page.getByText('connected', { exact: true }).waitFor();

  it('come over one stream for all tabs, which the next tab opens again where the closed one was', async () => {
    const first = await suite.open(PATH);
    await connected(first);
    const second = await suite.open(PATH, { besides: first });
    const asked = streamsOf(second);
    await connected(second);
    await publish(3);
    await Promise.all([seen(first, 3), seen(second, 3)]);
    expect(asked).to.deep.equal([]);

    await Promise.all([first.close(), publish(2)]);
    await publish();
    await seen(second, 6);
    expect(asked).to.have.length(1);
    expect(asked[0]).to.match(/^contact\.deleted,project\.summary after [0-9a-f]{24}$/);
  });

  it('lose nothing when another page asks for more types', async () => {
    const tenant = suite.other;
    const first = await suite.open(PATH, { tenant });
    const asked = streamsOf(first);
    await connected(first);
    const stop = new AbortController();
    let published = 0;
    const publishing = (async () => {
      while (!stop.signal.aborted) {
        await publish(1, tenant);
        published += 1;
      }
    })();
    const opened = first.waitForRequest((request) => request.url().includes('contact.updated'));
    const second = await suite.open('/kit?view=live&types=contact.updated', { besides: first });
    await opened;
    await publish(1, tenant);
    published += 1;
    stop.abort();
    await publishing;
    await seen(first, published);
    expect(asked.at(-1)).to.match(/^contact\.deleted,contact\.updated,project\.summary after/);
    expect(await second.getByText('0 events').isVisible()).to.equal(true);
  });

  it('load again what was loaded before the stream was open', async () => {
    const tenant = await suite.newTenant('Early');
    const page = await suite.open('/kit', { tenant });
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route('**/v1/stream*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/console/domains');
    await page.getByText('No domain yet').waitFor();
    await tenant.client.post('/domains', { domainName: 'news.harbour.example' });
    open();
    await page.getByRole('row', { name: /news.harbour.example/ }).waitFor();
    await untilQuiet(page);
  });

  it('say that the API is lost, and continue by themselves when it is back', async () => {
    const tenant = await suite.newTenant('Lost');
    const page = await suite.open(PATH, { url: door.url, tenant });
    await connected(page);
    await door.shut();
    await page.getByText('The API cannot be reached').waitFor();
    await shoot(page, 'outage-api');
    await publish(4, tenant);
    await door.reopen();
    await seen(page, 4);
    await page.getByText('The API cannot be reached').waitFor({ state: 'detached' });
  });

  it('say that they are late while the open stream is silent, and that they have stopped when it is gone', async () => {
    const tenant = await suite.newTenant('Slow');
    const page = await suite.open('/kit', { url: door.url, tenant });
    await page.clock.install();
    await page.goto(`/console${PATH}`);
    await connected(page);
    door.hold();
    await page.clock.fastForward(26_000);
    await page.getByText('Live figures are late').waitFor();
    await shoot(page, 'outage-slow');
    door.resume();
    await publish(2, tenant);
    await page.clock.runFor(1_000);
    await seen(page, 2);
    await page.getByText('Live figures are late').waitFor({ state: 'detached' });
    await page.route('**/v1/stream*', (route) =>
      route.fulfill({ status: 503, json: { success: false, error: { message: 'no' } } }),
    );
    await door.shut();
    await door.reopen();
    await page.clock.runFor(3_000);
    await page.getByText('Live figures have stopped').waitFor();
  });

  it('are drawn within their frames at 200 events a second', async () => {
    const tenant = await suite.newTenant('Busy');
    const page = await suite.open(PATH, { tenant });
    await connected(page);
    const busyMs = await busyTime(page);
    const SECONDS = 5;
    for (let tenth = 0; tenth < SECONDS * 10; tenth += 1) await Promise.all([publish(20, tenant), sleep(100)]);
    await seen(page, SECONDS * 200);
    const perSecondMs = (await busyMs()) / SECONDS;
    expect(perSecondMs).to.be.below(BUSY_MS_MAX);
  });
});
