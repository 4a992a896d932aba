import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { coloursOf } from '../../../console/parts/data/colours.ts';
import { neutralLook } from '../../../core/base/text/look.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { png } from '../../providers/images.ts';
import { chooseFile, expectAccessible, holdCall, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';

describe('The page of the settings', () => {
  const suite = useConsole();
  before(() => seedVerifiedDomain(suite.deps, suite.own.project, 'mail.example.com', new ObjectId()));

  it('changes what people see, says the contrast of the colour, and shows a refusal at its field', async () => {
    const page = await suite.open('/settings');
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Public name').fill('Harbour Books');
    await page.getByLabel('Logo').fill('http://harbour.example/logo.png');
    await page.getByLabel('Postal address').fill('Pier 4\n20457 Hamburg');
    await page.getByLabel('Colour', { exact: true }).fill('#ffd400');
    await page.getByText(/Links are made darker or lighter/).waitFor();
    await page.getByLabel('Address', { exact: true }).fill('hello@mail.example.com');
    await page.getByRole('radio', { name: /^None of it/ }).check();
    await save.click();
    await page.locator('[name="logoUrl"][aria-invalid]').waitFor();
    expect(await page.getByLabel('Public name').inputValue()).to.equal('Harbour Books');
    await page.getByLabel('Logo').fill('https://harbour.example/logo.png');
    await expectAccessible(page);
    await shoot(page, 'settings');
    await save.click();
    await page.getByRole('status').getByText('Saved').first().waitFor();

    const { adminKey, project } = suite.own;
    const { body } = await suite.client(adminKey).get(`/account/projects/${project._id}`);
    expect(body.data).to.include({
      ...{ publicName: 'Harbour Books', logoUrl: 'https://harbour.example/logo.png', color: '#ffd400' },
      ...{ postalAddress: 'Pier 4\n20457 Hamburg', consentAddress: 'none', languageProperty: 'language' },
    });
    expect(body.data.publicFrom).to.deep.equal({ email: 'hello@mail.example.com', name: null });

    await page.getByLabel('Colour', { exact: true }).fill('');
    await page.getByLabel('Address', { exact: true }).fill('');
    await save.click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    await page.reload();
    expect(await page.getByLabel('Public name').inputValue()).to.equal('Harbour Books');
    expect(await page.getByLabel('Colour', { exact: true }).inputValue()).to.equal('');
  });

  it('keeps what is typed while it is saved', async () => {
    const page = await suite.open('/settings');
    const { adminKey, project } = suite.own;
    const publicName = page.getByLabel('Public name');
    const save = page.getByRole('button', { name: 'Save' });
    await publicName.fill('Harbour');
    await page.getByLabel('Postal address').fill('Pier 5 ');
    const { isHeld, release } = await holdCall(page, 'PATCH', /\/projects\//);
    await save.click();
    await isHeld;
    await publicName.fill('Harbour Letters');
    release();
    await page.getByRole('status').getByText('Saved').first().waitFor();
    await save.and(page.locator(':not([aria-busy])')).waitFor();
    await page.getByText('Changed, not saved').waitFor();
    expect(await publicName.inputValue()).to.equal('Harbour Letters');
    expect(await page.getByLabel('Postal address').inputValue(), 'as it is stored').to.equal('Pier 5');
    await save.click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { body } = await suite.client(adminKey).get(`/account/projects/${project._id}`);
    expect(body.data).to.include({ publicName: 'Harbour Letters', postalAddress: 'Pier 5' });
  });

  it('uploads the logo: its address is saved, and the pages of the project show it', async () => {
    const page = await suite.open('/settings');
    const button = page.getByRole('button', { name: 'Upload a picture' });
    await chooseFile(page, () => button.click(), { name: 'logo.png', mimeType: 'image/png', buffer: png(40, 20) });
    await page.getByText('Uploaded logo.png; save to show it').waitFor();
    const url = await page.getByLabel('Logo').inputValue();
    expect(url).to.match(/\/media\/[0-9a-f]{64}\.png$/);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { adminKey, project } = suite.own;
    const { body } = await suite.client(adminKey).get(`/account/projects/${project._id}`);
    expect(body.data.logoUrl).to.equal(url);
    expect((await fetch(url)).status).to.equal(200);
  });

  it('switches sandbox addresses on, and says what each switch does', async () => {
    const page = await suite.open('/settings');
    await page.getByRole('checkbox', { name: /^Answer mail to them/ }).check();
    await page.getByText(/It reaches no relay/).scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'settings-sandbox');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { adminKey, project } = suite.own;
    const { body } = await suite.client(adminKey).get(`/account/projects/${project._id}`);
    expect(body.data).to.include({ sandboxAddresses: true, sandboxSuppressions: false });
    await page.reload();
    expect(await page.getByRole('checkbox', { name: /^Answer mail to them/ }).isChecked()).to.equal(true);
    expect(await page.getByRole('checkbox', { name: /^Let them be suppressed/ }).isChecked()).to.equal(false);
  });

  it('chooses how mail is signed', async () => {
    const page = await suite.open('/settings');
    expect(await page.getByRole('radio', { name: /^RSA and Ed25519/ }).isChecked()).to.equal(true);
    await page.getByRole('radio', { name: /^RSA alone/ }).check();
    await expectAccessible(page);
    await shoot(page, 'settings-signatures');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { adminKey, project } = suite.own;
    const { body } = await suite.client(adminKey).get(`/account/projects/${project._id}`);
    expect(body.data.dkimAlgorithms).to.deep.equal(['rsa-sha256']);
    await page.reload();
    expect(await page.getByRole('radio', { name: /^RSA alone/ }).isChecked()).to.equal(true);
  });

  it('chooses the zone of the project and the property with that of a person', async () => {
    const page = await suite.open('/settings');
    const zone = page.getByLabel('Time zone of the project');
    expect(await zone.inputValue()).to.equal('UTC');
    await zone.selectOption('Asia/Tokyo');
    await page.getByLabel('Property with the time zone of a person').fill('home_zone');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { adminKey, project } = suite.own;
    const { body } = await suite.client(adminKey).get(`/account/projects/${project._id}`);
    expect(body.data).to.include({ timezone: 'Asia/Tokyo', timezoneProperty: 'home_zone' });
    await page.reload();
    expect(await zone.inputValue()).to.equal('Asia/Tokyo');
  });

  it('sets a frequency cap, says which number is missing, and removes it', async () => {
    const page = await suite.open('/settings');
    const mails = page.getByLabel('Most marketing mails');
    expect(await mails.inputValue()).to.equal('');
    await mails.fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[name="frequencyCap/withinDays"][aria-invalid]:focus').waitFor();
    await page.getByLabel('Within days').fill('7');
    await expectAccessible(page);
    await page.getByText(/What is above is not sent/).scrollIntoViewIfNeeded();
    await shoot(page, 'settings-frequency');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { adminKey, project } = suite.own;
    const cap = async () =>
      (await suite.client(adminKey).get(`/account/projects/${project._id}`)).body.data.frequencyCap;
    expect(await cap()).to.deep.equal({ mails: 3, withinDays: 7, exceptGroupIds: [] });
    await page.reload();
    expect(await mails.inputValue()).to.equal('3');
    await mails.fill('');
    await page.getByLabel('Within days').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    expect(await cap()).to.equal(null);
  });

  it('takes what was typed and not saved out of the browser when the person signs out', async () => {
    const page = await suite.open('/settings');
    await page.getByLabel('Public name').fill('Typed and not saved');
    const kept = () => page.evaluate('JSON.stringify(localStorage)') as Promise<string>;
    await until(kept, (text: string) => text.includes('Typed and not saved'));
    await page.getByRole('button', { name: 'You and this browser' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    const question = page.getByRole('dialog', { name: 'Sign out' });
    await question.getByRole('button', { name: 'Not now' }).click();
    expect(await page.getByLabel('Public name').inputValue()).to.equal('Typed and not saved');
    await page.getByRole('button', { name: 'You and this browser' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await question.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your address').waitFor();
    expect(await kept()).not.to.contain('everpost-draft');
  });

  it('shows an editor what is set, and changes nothing', async () => {
    const page = await suite.open('/settings', { role: 'editor', width: 375 });
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    expect(await save.getAttribute('aria-disabled')).to.equal('true');
    expect(await page.getByLabel('Public name').getAttribute('readonly')).to.not.equal(null);
    expect(await page.getByRole('radio', { name: /^All of it/ }).isDisabled()).to.equal(true);
    expect(await page.getByRole('checkbox', { name: /^Answer mail to them/ }).isDisabled()).to.equal(true);
    expect(await page.getByRole('button', { name: 'Upload a picture' }).count()).to.equal(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375);
  });
});

describe('The colours that the settings show', () => {
  it('are those of the public pages', () => {
    const channel = fc.integer({ min: 0, max: 0xffffff });
    fc.assert(
      fc.property(channel, (n) => {
        const colour = `#${n.toString(16).padStart(6, '0')}`;
        const { button, onButton, accent } = neutralLook(colour);
        expect(coloursOf(colour)).to.deep.equal({ button, onButton, accent });
      }),
    );
    expect(coloursOf('')?.button).to.equal(neutralLook().button);
    expect(coloursOf('#12345')).to.equal(null);
  });
});
