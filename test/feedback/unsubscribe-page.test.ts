import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { BrowserContext } from 'playwright-core';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { useBrowser } from '../support/browser/chromium.ts';
import { useEnvironment } from '../support/environment.ts';

const WAIT_MS = 30_000;

/** As a careful reader has it: in a browser with JavaScript off. */
describe('The page behind an unsubscribe link', function () {
  this.timeout(120_000);
  const open = useBrowser();
  const environment = useEnvironment();
  let context: BrowserContext;
  before(async () => {
    context = await (await open()).newContext({ javaScriptEnabled: false, viewport: { width: 720, height: 640 } });
    context.setDefaultTimeout(WAIT_MS);
  });
  after(() => context?.close());

  it('changes nothing when it is looked at; its button unsubscribes, by mouse, and the next one takes it back, by key', async () => {
    const { deps, own, url } = environment;
    const projectId = own.project._id;
    const email = 'ada.example@reader.example.net';
    const { body } = await own.client.post('/suppression-groups', { name: 'Weekly <tips> & more' });
    const { groupId } = body.data;
    const token = unsubscribeToken(deps.config, { projectId, messageId: new ObjectId(), groupId, email });
    const page = await context.newPage();
    const expectPage = async (heading: string, entries: number) => {
      await page.locator('h1', { hasText: heading }).waitFor();
      const text = await page.locator('main').textContent();
      for (const part of ['Weekly <tips> & more', own.project.name, 'ad•••@reader.example.net'])
        expect(text).to.contain(part);
      expect(await deps.db.suppressions.countDocuments({ projectId, email, groupId })).to.equal(entries);
    };

    await page.goto(`${url}/u/${token}`);
    await expectPage('Unsubscribe?', 0);
    await page.getByRole('button').click();
    await expectPage('You are unsubscribed', 1);
    await page.getByRole('button').press('Enter');
    await expectPage('You are subscribed again', 0);
  });
});
