import { expect } from 'chai';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';

describe('The page of members', () => {
  const suite = useConsole();

  it('adds a member, changes the role, keeps the last owner, and ends sessions', async () => {
    const page = await suite.open('/members');
    await page.getByText('ada.owner@').first().waitFor();
    await page.getByRole('button', { name: 'Add member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('bo@@harbour');
    await dialog.getByRole('radio', { name: /^Editor/ }).check();
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await dialog.locator('[name="email"][aria-invalid]').waitFor();
    await shoot(page, 'members-dialog');
    await dialog.getByLabel('Address').fill('bo@harbour.example');
    await dialog.getByRole('button', { name: 'Add member' }).click();
    const row = page.getByRole('row', { name: /bo@harbour\.example/ });
    await row.getByRole('cell', { name: 'Editor' }).waitFor();

    await page.getByRole('button', { name: 'Change the role of bo@harbour.example' }).click();
    await dialog.getByRole('radio', { name: /^Viewer/ }).check();
    await dialog.getByRole('button', { name: 'Save role' }).click();
    await row.getByRole('cell', { name: 'Viewer' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'members');

    await page.getByRole('button', { name: /^Remove ada\.owner/ }).click();
    await dialog.getByRole('button', { name: 'Remove member' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Remove bo@harbour.example' }).click();
    await dialog.getByRole('button', { name: 'Remove member' }).click();
    await row.waitFor({ state: 'detached' });

    const other = await suite.open('/members');
    await other.getByRole('button', { name: 'End all others' }).click();
    await other.getByText(/^Ended 1 session/).waitFor();
    await page.getByRole('button', { name: 'Add member' }).click();
    await dialog.getByLabel('Address').fill('cleo@harbour.example');
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await page
      .getByText(/session has ended|signed out|Sign in/i)
      .first()
      .waitFor();
  });

  it('shows others than owners their own sessions only', async () => {
    const page = await suite.open('/members', { role: 'editor' });
    await page.getByText('Owners see the members').waitFor();
    await page.getByRole('table', { name: 'Your sessions' }).getByText('this one').waitFor();
    expect(await page.getByRole('button', { name: 'Add member' }).count()).to.equal(0);
  });
});

describe('The page of keys', () => {
  const suite = useConsole();

  it('makes a key that works, shows it once, and deletes it', async () => {
    const page = await suite.open('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make key' }).click();
    await dialog.locator('[name="name"][aria-invalid]').waitFor();
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByLabel('Reads only').check();
    await dialog.getByRole('button', { name: 'Make key' }).click();
    await page.getByText('Copy the key now').waitFor();
    const key = (await dialog.locator('.mono').textContent()) ?? '';
    expect(key).to.match(/^AS_/);
    const asKey = { headers: { authorization: `Bearer ${key}` } };
    expect((await fetch(`${suite.url}/v1/contacts`, asKey)).status).to.equal(200);
    await shoot(page, 'keys-new');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /^Shop/ }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'keys');
    expect(await page.content()).to.not.include(key);
    await page.getByRole('button', { name: 'Delete Shop' }).click();
    await dialog.getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('row', { name: /^Shop/ }).waitFor({ state: 'detached' });
  });

  it('says to an editor who may see keys', async () => {
    const page = await suite.open('/keys', { role: 'editor' });
    await page.getByText('Owners see the keys').waitFor();
  });
});
