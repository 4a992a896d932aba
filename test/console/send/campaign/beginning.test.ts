import { expect } from 'chai';
import { useConsole } from '../../../support/browser/console.ts';
import { made } from '../../../support/client.ts';
import { until } from '../../../support/wait.ts';

describe('A new campaign that was begun and not saved', () => {
  const suite = useConsole();

  it('is there again where it was begun, and not in one for another list or with a template', async () => {
    const { client } = suite.own;
    const lists = await Promise.all(['VIP', 'Fair'].map((name) => made(client, '/contact-lists', { name })));
    const mail = { templateName: 'Bread', templateType: 'marketing', emailTemplate: '<p>Rye</p>' };
    const { templateId } = await made(client, '/templates', mail);
    const [vip, fair] = lists.map(({ id }) => `/campaigns/new?list=${id}`);
    const page = await suite.open(vip ?? '');
    page.on('dialog', (dialog) => dialog.accept());
    const name = page.getByLabel('Name of the campaign');
    await name.fill('For the best');
    await until(
      () => page.evaluate('JSON.stringify(localStorage)'),
      (kept) => String(kept).includes('For the best'),
    );
    const chips = page.locator('.chip');
    for (const [path, list, typed] of [
      [fair, 'Fair', ''],
      [`/campaigns/new?template=${templateId}`, null, 'Bread'],
      [vip, 'VIP', 'For the best'],
    ] as const) {
      await page.goto(`/console${path}`);
      await name.waitFor();
      expect([await name.inputValue(), await chips.allTextContents()]).to.deep.equal([
        typed,
        list === null ? [] : [`${list} 0`],
      ]);
    }
  });
});
