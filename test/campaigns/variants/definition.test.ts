import { expect } from 'chai';
import { useHands } from '../support.ts';

const TEST = { share: 20, metric: 'humanClicks', decideAfterMinutes: 60, minPerVariant: 100 };
const TWO = [{}, { subject: 'Another' }];

describe('The variants of a campaign', function () {
  this.timeout(60_000);
  const { stage } = useHands();
  let toLists: string[];
  const create = (fields: object) => stage.create({ toLists, publish: false, ...fields });
  const patch = (id: string, fields: object) => stage.own.client.patch(`/campaigns/${id}`, fields);
  const made = async (fields: object) => (await create(fields)).body.data.id as string;

  before(async () => {
    toLists = [await stage.list(2)];
  });

  for (const [what, fields, details] of [
    ['one variant', { variants: [{}] }, 'variants'],
    ['six variants', { variants: ['1', '2', '3', '4', '5', '6'].map((subject) => ({ subject })) }, 'variants'],
    ['two that are equal', { variants: [{}, {}] }, 'variants/1: is the same as variant A'],
    [
      'two that are equal in other words',
      { subject: 'Same', variants: [{ subject: 'B' }, {}, { subject: 'Same' }] },
      'variants/2: is the same as variant B',
    ],
    ['shares of some alone', { variants: [{ share: 50 }, { subject: 'B' }] }, 'variants/1/share: is required'],
    [
      'shares that do not add up',
      { variants: [{ share: 50 }, { subject: 'B', share: 49 }] },
      'variants: shares add up to 99',
    ],
    ['a share of 0', { variants: [{ share: 0 }, { subject: 'B', share: 100 }] }, 'variants/0/share'],
    ['a subject that does not compile', { variants: [{}, { subject: '{{#if}}' }] }, 'variants/1/subject'],
    ['a test without variants', { variants: null, test: TEST }, 'test: needs variants'],
    ['an unknown metric', { variants: TWO, test: { ...TEST, metric: 'opens' } }, 'test/metric'],
    ['an event without a name', { variants: TWO, test: { ...TEST, metric: 'event:' } }, 'test/metric'],
    [
      'clicks that are not tracked',
      { variants: TWO, test: TEST, trackingClick: false },
      'test/metric: needs trackingClick',
    ],
    [
      'opens that are not tracked',
      { variants: TWO, test: { ...TEST, metric: 'humanOpens' }, trackingOpen: false },
      'test/metric: needs trackingOpen',
    ],
    [
      'an end before the decision',
      { variants: TWO, test: { ...TEST, giveUpAfterMinutes: 59 } },
      'test/giveUpAfterMinutes: is less than decideAfterMinutes',
    ],
    ['a test of everybody', { variants: TWO, test: { ...TEST, share: 100 } }, 'test/share'],
    ['a hold-out of everybody', { holdOutShare: 100 }, 'holdOutShare'],
  ] as const)
    it(`refuses ${what}, naming the field, and writes nothing`, async () => {
      const kept = await made({});
      const before = await stage.stored(kept);
      const count = await stage.deps.db.campaigns.countDocuments({ projectId: stage.own.project._id });
      for (const { status, body } of [await create(fields), await patch(kept, fields)]) {
        expect(status).to.equal(400);
        expect(JSON.stringify(body)).to.include(details);
      }
      expect(await stage.stored(kept)).to.deep.equal(before);
      expect(await stage.deps.db.campaigns.countDocuments({ projectId: stage.own.project._id })).to.equal(count);
    });

  it('refuses a template that is gone, naming the variant', async () => {
    const { status, body } = await create({ variants: [{}, { templateId: `A-${'0'.repeat(20)}` }] });
    expect(status).to.equal(404);
    expect(JSON.stringify(body)).to.include('variants/1/templateId');
  });

  it('stores and shows them, in the order given, with the test as it will be', async () => {
    const id = await made({
      variants: [{ share: 30 }, { subject: 'Another', share: 70 }],
      test: TEST,
      holdOutShare: 5,
    });
    const nothing = { subject: null, previewText: null, from: null, templateId: null };
    const { body } = await stage.own.client.get(`/campaigns/${id}`);
    expect(body.data).to.deep.include({
      variants: [
        { id: 'A', ...nothing, share: 30 },
        { id: 'B', ...nothing, subject: 'Another', share: 70 },
      ],
      test: { ...TEST, giveUpAfterMinutes: 1_440, onTie: 'first' },
      holdOutShare: 5,
    });
  });

  it('leaves a draft without a test when its variants are taken away', async () => {
    const id = await made({ variants: TWO, test: TEST });
    const { body } = await patch(id, { variants: null });
    expect(body.data).to.deep.include({ variants: [], test: null });
  });

  it('takes them along to a copy', async () => {
    const id = await made({ variants: TWO, test: TEST, holdOutShare: 10 });
    const { body } = await stage.own.client.post(`/campaigns/${id}/duplicate`);
    expect(body.data.variants.map((variant: { id: string }) => variant.id)).to.deep.equal(['A', 'B']);
    expect(body.data).to.deep.include({ holdOutShare: 10 });
    expect(body.data.test).to.include(TEST);
  });

  it('keeps a template that a variant of a draft names', async () => {
    const template = await stage.own.client.post('/templates', {
      templateName: 'Other',
      emailTemplate: '<p>Other</p>',
    });
    const { templateId } = template.body.data;
    await made({ variants: [{}, { templateId }] });
    const { status, body } = await stage.own.client.delete(`/templates/${templateId}`);
    expect(status).to.equal(409);
    expect(JSON.stringify(body)).to.include('draft');
  });

  it('compares them before anything is sent', async () => {
    const id = await made({ variants: TWO, test: TEST });
    const { status, body } = await stage.own.client.get(`/campaigns/${id}/variants`);
    expect(status).to.equal(200);
    expect(body.data).to.deep.include({
      metric: 'humanClicks',
      test: { state: 'planned', decideAt: null, giveUpAt: null, winner: null },
      holdOut: 0,
    });
    const { test } = (await stage.own.client.get(`/campaigns/${id}/progress`)).body.data;
    expect(test).to.deep.equal({ ...body.data.test, at: null, total: 0, sent: 0 });
    expect(body.data.variants.map((one: { id: string; sent: number }) => [one.id, one.sent])).to.deep.equal([
      ['A', 0],
      ['B', 0],
    ]);
  });

  it('shows the mail of each variant, and refuses one that there is not', async () => {
    const id = await made({ variants: TWO });
    const preview = (body: object) => stage.own.client.post(`/campaigns/${id}/preview`, body);
    const { subject } = await stage.get(id);
    expect((await preview({ variantId: 'A' })).body.data.subject).to.equal(subject.replace('{{firstName}}', ''));
    expect((await preview({ variantId: 'B' })).body.data.subject).to.equal('Another');
    const { status, body } = await preview({ variantId: 'C' });
    expect([status, body.error.details]).to.deep.equal([400, 'variantId: names no variant of the campaign']);
  });

  it('refuses a winner that is no variant, and one of a draft', async () => {
    const id = await made({ variants: TWO, test: TEST });
    const none = await stage.own.client.post(`/campaigns/${id}/winner`, { variantId: 'C' });
    expect([none.status, JSON.stringify(none.body)]).to.satisfy(
      ([status, body]: [number, string]) => status === 400 && body.includes('variantId'),
    );
    const early = await stage.own.client.post(`/campaigns/${id}/winner`, { variantId: 'A' });
    expect(early.status).to.equal(409);
  });
});
