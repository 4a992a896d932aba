import { expect } from 'chai';
import { patterns } from '../../console/paths.ts';
import { ensureState } from '../../core/figures/reports/state.ts';
import { countHappened } from '../reports/support.ts';
import { measureShifts, SHIFT_MAX, shiftsOf, untilQuiet, useConsole } from '../support/browser/console.ts';

describe('Pages', () => {
  const suite = useConsole();
  const ids: Record<string, string> = {};
  before(async () => {
    const { own, deps } = suite;
    const post = async (path: string, body: object) => (await own.client.post(path, body)).body.data;
    await ensureState(deps, own.project._id);
    const list = (await post('/contact-lists', { name: 'Newsletter' })).id;
    for (const name of ['ada', 'bo', 'cleo'])
      await post('/contacts', { email: `${name}@harbour.example`, listIds: [list] });
    const draft = { name: 'Winter letter', subject: 'Winter', htmlTemplate: '<p>Snow</p>', toLists: [list] };
    const campaign = (await post('/campaigns', draft)).id;
    const form = (await post('/forms', { name: 'Sign up', listIds: [list] })).id;
    const template = await post('/templates', {
      templateName: 'Hello',
      emailTemplate: '<p>Hello</p>',
      subject: 'Hello',
    });
    for (const [email, domain] of [
      ['a@web.de', 'shop.example.com'],
      ['a@gmail.com', 'news.example.com'],
    ] as const)
      await countHappened(suite, own, {
        sent: 900,
        bounced: 9,
        complained: 4,
        opened: 450,
        hoursAgo: 30,
        email,
        domain,
      });
    Object.assign(ids, { listId: list, campaignId: campaign, formId: form, templateId: template.templateId });
  });

  for (const width of [1400, 375])
    it(`do not move while they load, at ${width} px`, async () => {
      const page = await suite.open('/', { width });
      await measureShifts(page);
      const moved: Record<string, unknown> = {};
      for (const pattern of patterns) {
        const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
        if (path.endsWith('/') && path !== '/') continue;
        await page.goto(`/console${path === '/' ? '' : path}`);
        await page.locator('main h1').waitFor();
        await untilQuiet(page, 500);
        const shifts = await shiftsOf(page);
        if (shifts.sum >= SHIFT_MAX) moved[path] = [Number(shifts.sum.toFixed(3)), ...shifts.moved.slice(0, 8)];
      }
      expect(moved).to.deep.equal({});
    });
});
