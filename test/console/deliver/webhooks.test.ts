import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';

describe('The page of webhooks', () => {
  const suite = useConsole();

  it('makes a webhook, shows its secret once, and its deliveries', async () => {
    const page = await suite.open('/webhooks');
    await page.getByText('No webhook yet').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ftp://hooks.harbour.example');
    await dialog.getByLabel('All of campaign').check();
    await shoot(page, 'webhooks-dialog');
    await dialog.getByRole('button', { name: 'Make webhook' }).click();
    await dialog.locator('[aria-invalid]').waitFor();
    await dialog.getByLabel('Address').fill('https://hooks.harbour.example/everpost');
    await dialog.getByLabel('bounced').check();
    await dialog.getByRole('button', { name: 'Make webhook' }).click();
    await page.getByText('Copy the secret now').waitFor();
    expect(await page.getByRole('dialog').textContent()).to.match(/whsec_\S{20,}/);
    await page.getByRole('button', { name: 'I have copied it' }).click();

    const { body } = await suite.own.client.get('/webhooks');
    expect(body.data.webhooks[0].events).to.have.members([
      'email.bounced',
      'campaign.scheduled',
      'campaign.sending',
      'campaign.paused',
      'campaign.sent',
      'campaign.failed',
      'campaign.aborted',
      'campaign.variant_decided',
    ]);
    await page.getByRole('link', { name: 'hooks.harbour.example/everpost' }).click();
    await page.getByText('No delivery here').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('webhook.test').waitFor();
    await expectAccessible(page);
    await shoot(page, 'webhooks');
    expect(await page.content()).to.not.include('whsec_');
  });

  it('delivers one event again, for those who may and while the webhook is on', async () => {
    const { own, deps } = suite;
    const hook = { url: 'https://again.harbour.example/everpost', events: ['contact.created'] };
    const { id } = (await own.client.post('/webhooks', hook)).body.data;
    await own.client.post('/contacts/email', { email: 'ada@harbour.example' });
    const of = { projectId: own.project._id, webhookId: new ObjectId(id as string) };
    const at = new Date();
    const lost = { at, status: 503, error: null, tookMs: 41 };
    await deps.db.webhookDeliveries.updateOne(of, {
      $set: { status: 'failed', attempts: 1, tries: [lost], endedAt: at },
      $unset: { dueAt: '' },
    });
    const page = await suite.open(`/webhooks?webhook=${id}`);
    const drawer = page.getByRole('complementary');
    await drawer.getByText('the last answered 503').waitFor();
    await drawer.getByRole('button', { name: 'Deliver again: contact.created' }).click();
    await drawer.getByText('replayed', { exact: true }).waitFor();
    const stored = await deps.db.webhookDeliveries.find(of).sort({ createdAt: 1 }).toArray();
    expect(stored.map(({ isReplay, status }) => [isReplay, status])).to.deep.equal([
      [false, 'failed'],
      [true, 'pending'],
    ]);
    expect(stored[1]?.eventId).to.deep.equal(stored[0]?.eventId);
    await shoot(page, 'webhooks-again');

    await deps.db.projectEvents.deleteMany({ projectId: own.project._id });
    await drawer.getByRole('button', { name: 'Deliver again: contact.created' }).click();
    await page.getByText('The event is no longer kept').waitFor();
    await drawer.getByRole('button', { name: 'Switch off' }).click();
    await drawer.getByRole('button', { name: 'Switch on' }).waitFor();
    const again = drawer.getByRole('button', { name: 'Deliver again: contact.created' });
    expect(await again.getAttribute('title')).to.match(/The webhook is off/);
    await expectAccessible(page);

    const seen = await suite.open(`/webhooks?webhook=${id}`, { role: 'viewer' });
    const disabled = seen.getByRole('button', { name: 'Deliver again: contact.created' });
    expect(await disabled.getAttribute('title')).to.match(/Your role is viewer/);
    await disabled.click({ force: true });
    await seen.getByText('Your role is viewer').first().waitFor();
    expect(await deps.db.webhookDeliveries.countDocuments(of)).to.equal(2);
  });

  it('opens one of any page of the list, there and from elsewhere', async () => {
    const tenant = await suite.newTenant('Many webhooks');
    const { client } = tenant;
    const ids: string[] = [];
    for (let n = 0; n < 21; n += 1) {
      const hook = { url: `https://hooks.harbour.example/${n}`, events: ['email.bounced'] };
      ids.push((await client.post('/webhooks', hook)).body.data.id);
    }
    const page = await suite.open('/webhooks', { tenant });
    const last = page.getByRole('link', { name: /^hooks\.harbour\.example/ });
    await page
      .getByRole('link', { name: 'Next' })
      .or(page.getByRole('button', { name: 'Next' }))
      .click();
    await until(
      () => last.count(),
      (n) => n === 1,
    );
    const address = `${await last.textContent()}`;
    await last.click();
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('button', { name: 'Send a test' }).waitFor();
    expect(await last.textContent()).to.equal(address);
    const id = ids[Number(address.split('/')[1])];
    await page.goto(`/console/webhooks?webhook=${id}`);
    await drawer.getByText(address).first().waitFor();
    await drawer.getByRole('button', { name: 'Send a test' }).click();
    await drawer.getByText('webhook.test').waitFor();
  });
});
