import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Locator, Page } from 'playwright-core';
import { smallAccountA } from '../../providers/account-a.ts';
import { type ProviderA, startProviderA } from '../../providers/provider-a.ts';
import { shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';

/** Dialogs with ticks and radios, by the page and the button that open them. */
const dialogs: ReadonlyArray<readonly [path: string, button: string]> = [
  ['/members', 'Add member'],
  ['/keys', 'New key'],
  ['/webhooks', 'New webhook'],
  ['/migrations', 'New migration'],
  ['/imports', 'Import a file'],
  ['/lists', 'New list'],
  ['/templates', 'New template'],
  ['/automations', 'New automation'],
  ['/suppressions/groups', 'New group'],
];
/** WCAG 1.4.11: the states of a control differ by at least that. */
const CONTRAST_MIN = 3;
/** The frame of a control is the same in both states. */
const FRAME_PX = 2;

/** Dialogs that have more of them in a later step: how one gets there, and how many there are. */
const account = smallAccountA();
const later: Record<string, { next: (dialog: Locator) => Promise<void>; controls: number }> = {
  '/imports': {
    async next(dialog) {
      const buffer = Buffer.from('email,City\nada@harbour.example,Hamburg\n');
      await dialog.getByLabel('File').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
      await dialog.getByLabel('Meaning of City').waitFor();
    },
    controls: 1,
  },
  '/migrations': {
    async next(dialog) {
      await dialog.getByLabel('Key', { exact: true }).fill(account.key);
      await dialog.getByRole('button', { name: 'See what is there' }).click();
      await dialog
        .getByRole('combobox', { name: /^Type of / })
        .first()
        .waitFor();
    },
    controls: 5,
  },
};

describe('Dialogs', () => {
  let provider: ProviderA;
  let campaignId: string;
  const suite = useConsole(async () => {
    provider = await startProviderA([account]);
    return { PROVIDER_A_URL: provider.url };
  });
  before(async () => {
    const { deps, own } = suite;
    const mail = { name: 'Winter', subject: 'Snow', htmlTemplate: '<p>Snow</p>' };
    campaignId = (await made(own.client, '/campaigns', mail)).id;
    await deps.db.campaigns.updateOne(
      { _id: new ObjectId(campaignId), projectId: own.project._id },
      { $set: { status: 'sent', sentAt: new Date(), startedAt: new Date() } },
    );
  });
  after(() => provider?.stop());

  it('stay open with what they have when the choice of a file is cancelled', async () => {
    const page = await suite.open('/imports');
    await page.getByRole('button', { name: 'Import a file' }).first().click();
    const dialog = page.getByRole('dialog');
    await later['/imports']?.next(dialog);
    await dialog.getByLabel('Meaning of City').selectOption('nothing, leave it out');
    await dialog.getByLabel('File').dispatchEvent('cancel');
    await dialog.getByText('people.csv', { exact: true }).waitFor();
    const chosen = dialog.getByLabel('Meaning of City').locator('option:checked');
    expect(await chosen.textContent()).to.equal('nothing, leave it out');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  for (const theme of ['light', 'dark'] as const)
    it(`show which ticks and radios are on, in the ${theme} theme`, async () => {
      const page = await suite.open('/members', { theme });
      // As a campaign has them whose mail failed in part.
      await page.route('**/progress', async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = await response.json();
        await route.fulfill({ response, json: { ...rest, data: { ...data, failed: 3, unknown: 2 } } });
      });
      let seen = 0;
      for (const [path, button] of [...dialogs, [`/campaigns/${campaignId}`, 'Send again…']] as const) {
        await page.goto(`/console${path}`);
        await page.getByRole('button', { name: button }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('heading').first().waitFor();
        expect(await page.evaluate('document.activeElement.matches("input, select, textarea")'), path).to.equal(true);
        seen += await look(page, dialog, path);
        await shoot(page, `dialog-${path.slice(1).replace(campaignId, 'again')}`);
        const step = later[path];
        if (!step) continue;
        await step.next(dialog);
        expect(await look(page, dialog, `${path}, later`), path).to.be.at.least(step.controls);
        await shoot(page, `dialog-${path.slice(1)}-later`);
      }
      expect(seen).to.be.above(dialogs.length);
    });
});

/** Compares both states of each control, and returns how many there are. */
async function look(page: Page, dialog: Locator, place: string): Promise<number> {
  let seen = 0;
  for (const control of await dialog.locator('.check, .radio').all()) {
    if (!(await control.isEnabled())) continue;
    const name = `${place}: ${await control.evaluate((input) => input.parentElement?.textContent)}`;
    const off = await inside(page, control, false);
    const on = await inside(page, control, true);
    expect(contrastIn(off), `${name}, off`).to.be.below(CONTRAST_MIN);
    expect(contrastIn(on), `${name}, on: its mark`).to.be.at.least(CONTRAST_MIN);
    seen += 1;
  }
  return seen;
}

/** The relative luminance of each pixel inside the frame of a control. */
async function inside(page: Page, control: Locator, isOn: boolean): Promise<number[]> {
  const picture = await until(
    async () => {
      // Set without a click, which would change the fields around it.
      await control.evaluate((input, checked) => {
        Object.assign(input, { checked });
      }, isOn);
      const taken = await control.screenshot({ animations: 'disabled' });
      // The page may have drawn the control again before the picture was taken.
      return (await control.isChecked()) === isOn ? taken : null;
    },
    (taken) => taken !== null,
  );
  return await page.evaluate(
    `(async () => {
      const bytes = Uint8Array.from(atob('${picture?.toString('base64')}'), (char) => char.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const [width, height] = [image.width - ${2 * FRAME_PX}, image.height - ${2 * FRAME_PX}];
      const canvas = new OffscreenCanvas(width, height).getContext('2d');
      canvas.drawImage(image, -${FRAME_PX}, -${FRAME_PX});
      const { data } = canvas.getImageData(0, 0, width, height);
      const linear = (value) => (value <= 10.3 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      const found = [];
      for (let at = 0; at < data.length; at += 4)
        found.push(0.2126 * linear(data[at]) + 0.7152 * linear(data[at + 1]) + 0.0722 * linear(data[at + 2]));
      return found;
    })()`,
  );
}

/** Between the lightest and the darkest. */
function contrastIn(luminances: readonly number[]): number {
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}
