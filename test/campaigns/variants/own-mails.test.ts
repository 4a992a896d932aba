import { expect } from 'chai';
import { signIn } from '../../accounts/signed-in.ts';
import { done } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { contentOf, useWrittenMails } from '../written-mails.ts';

const DEEP = Array.from({ length: 8 }).reduce<object>((inside) => ({ id: 'x', type: 'section', blocks: [inside] }), {
  id: 'y',
  type: 'divider',
});

describe('The mail that is written in a variant', function () {
  this.timeout(120_000);
  const { stage, create, patch, template } = useWrittenMails({ publish: false });
  const textOf = async (templateId: string) =>
    (await done(template(templateId))).editorJson.blocks[0].spans[0].text as string;
  const templates = () => stage.environment.deps.db.templates.countDocuments({ projectId: stage.own.project._id });

  it('is a template of the campaign alone, and stays one, however often it is written', async () => {
    const { id, templateId: first } = await create({ variants: [{}, { content: contentOf('One') }] });
    const [a, b] = (await stage.get(id)).variants;
    expect(a.templateId).to.equal(null);
    expect(b.templateId).not.to.equal(first);
    expect((await done(template(b.templateId))).campaignId).to.equal(id);
    await patch(id, { variants: [{}, { content: contentOf('Two') }, { htmlTemplate: '<p>Three</p>' }] });
    const [, two, three] = (await stage.get(id)).variants;
    expect(two.templateId).to.equal(b.templateId);
    expect(await textOf(two.templateId)).to.equal('Two');
    expect((await done(template(three.templateId))).emailTemplate).to.equal('<p>Three</p>');
  });

  it('stays under its templateId, and is written apart from that of another variant', async () => {
    const { id } = await create({ variants: [{ content: contentOf('A') }, { content: contentOf('B') }] });
    const [a, b] = (await stage.get(id)).variants;
    await patch(id, { variants: [{ templateId: a.templateId }, { templateId: a.templateId, subject: 'Other' }] });
    await patch(id, { variants: [{ templateId: a.templateId }, { content: contentOf('Mine'), subject: 'Other' }] });
    const [still, mine] = (await stage.get(id)).variants;
    expect(still.templateId).to.equal(a.templateId);
    expect(await textOf(a.templateId)).to.equal('A');
    expect(await textOf(mine.templateId)).to.equal('Mine');
    expect(await textOf(b.templateId)).to.equal('B');
  });

  for (const [what, variant, details] of [
    ['blocks and code', { content: contentOf('B'), htmlTemplate: '<p>B</p>' }, 'variants/1/htmlTemplate'],
    ['a template as well', { content: contentOf('B'), templateId: `A-${'0'.repeat(20)}` }, 'variants/1/templateId'],
    ['an unknown block', { content: { v: 1, blocks: [{ id: 'odd', type: 'marquee' }] } }, 'variants/1/content'],
    ['blocks that are nested too deeply', { content: { v: 1, blocks: [DEEP] } }, 'variants/1/content'],
    ['code that does not compile', { htmlTemplate: '<p>{{#if x}}</p>' }, 'variants/1/htmlTemplate'],
    ['no code', { htmlTemplate: '' }, 'variants/1/htmlTemplate'],
  ] as const)
    it(`is refused with ${what}: the field is named, and nothing is written`, async () => {
      const { id } = await create({});
      const [before, count] = [await stage.stored(id), await templates()];
      const variants = [{}, variant];
      for (const { status, body } of [
        await stage.create({ publish: false, variants }),
        await stage.own.client.patch(`/campaigns/${id}`, { variants }),
      ]) {
        expect(status).to.equal(400);
        expect(JSON.stringify(body)).to.include(details);
      }
      expect(await stage.stored(id)).to.deep.equal(before);
      // The campaign that is refused would have had a mail of its own.
      expect(await templates()).to.equal(count);
    });

  it('is refused when another variant has the same, or the campaign', async () => {
    const mail = { content: contentOf('Same') };
    for (const [fields, index, letter] of [
      [{ variants: [{}, mail, mail] }, 2, 'B'],
      [{ ...mail, htmlTemplate: undefined, variants: [{}, mail] }, 1, 'A'],
    ] as const) {
      const { status, body } = await stage.create({ publish: false, ...fields });
      expect(status).to.equal(400);
      expect(JSON.stringify(body)).to.include(`variants/${index}: is the same as variant ${letter}`);
    }
  });

  it('may not have the text of another one when it is published, though each has a template of its own', async () => {
    const toLists = [await stage.list(1)];
    const saved = async (emailTemplate: string) =>
      (await done(stage.own.client.post('/templates', { templateName: 'Saved', emailTemplate }))).templateId as string;
    const [first, same, other] = [await saved('<p>Same</p>'), await saved('<p>Same</p>'), await saved('<p>Other</p>')];
    const at = { publish: true, sendMode: 'scheduled', scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };
    const isSame = 'variants/1: is the same as variant A';
    for (const [fields, details] of [
      [{ templateId: first, htmlTemplate: undefined, variants: [{}, { templateId: same }] }, isSame],
      [{ variants: [{ templateId: first }, { htmlTemplate: '<p>Same</p>' }] }, isSame],
      [{ variants: [{ templateId: first }, { templateId: same, subject: 'Another' }] }, null],
      [{ variants: [{ templateId: first }, { templateId: other }] }, null],
    ] as const) {
      const { id } = await create({ toLists, ...fields });
      const { status, body } = await stage.own.client.patch(`/campaigns/${id}`, at);
      expect(status).to.equal(details ? 400 : 200);
      if (details) expect(JSON.stringify(body)).to.include(details);
      expect((await stage.get(id)).status).to.equal(details ? 'draft' : 'scheduled');
    }
  });

  it('is previewed, tested and sent to the people of the variant', async () => {
    const toLists = [await stage.list(4)];
    const { id } = await create({
      toLists,
      htmlTemplate: '<p>First</p>{{unsubscribe}}',
      variants: [{}, { content: contentOf('Second') }],
    });
    const shown = async (variantId: string) => (await done(stage.act(id, 'preview', { variantId }))).html as string;
    expect(await shown('A')).to.include('First');
    expect(await shown('B')).to.include('Second');
    const emails = ['tester@example.org'];
    const refused = await stage.act(id, 'test', { emails, variantId: 'C' });
    expect(refused.status).to.equal(400);
    expect(refused.body.error.details).to.include('variantId');
    await done(stage.act(id, 'test', { emails, variantId: 'B' }));
    await patch(id, { publish: true, sendNow: true });
    await stage.until(id, 'sent');
    // Another lane sends the test.
    await until(async () => stage.sink.ledger.messages.some(({ to }) => to.includes('tester@example.org')), Boolean);
    const raws = stage.sink.ledger.messages.map(({ raw, to }) => ({ raw: `${raw}`, to: `${to}` }));
    const ofPeople = raws.filter(({ to }) => !to.includes('tester'));
    expect(ofPeople.filter(({ raw }) => raw.includes('First'))).to.have.length(2);
    expect(ofPeople.filter(({ raw }) => raw.includes('Second'))).to.have.length(2);
    const [test] = raws.filter(({ to }) => to.includes('tester'));
    expect(test?.raw).to.include('Second');
  });

  it('of an author is published with the campaign', async () => {
    const { client } = await signIn(stage.environment, stage.own, 'author');
    const { from } = await create({});
    const toLists = [await stage.list(2)];
    const fields = { name: 'News', subject: 'News', from: { email: from.email }, toLists, htmlTemplate: '<p>A</p>' };
    const { id } = await done(client.post('/campaigns', { ...fields, variants: [{}, { htmlTemplate: '<p>B</p>' }] }));
    const [, { templateId }] = (await stage.get(id)).variants;
    expect((await done(template(templateId))).publishedVersion).to.equal(null);
    await patch(id, { publish: true, sendNow: true });
    expect((await done(template(templateId))).publishedVersion).to.equal(1);
    await stage.until(id, 'sent');
  });

  it('is copied with its campaign, and goes with it', async () => {
    const { id } = await create({ variants: [{}, { content: contentOf('First') }] });
    const [, source] = (await stage.get(id)).variants;
    const copy = await done(stage.act(id, 'duplicate', {}));
    const [, copied] = copy.variants;
    expect(copied.templateId).not.to.equal(source.templateId);
    expect(await textOf(copied.templateId)).to.equal('First');
    expect((await done(template(copied.templateId))).campaignId).to.equal(copy.id);
    await done(stage.own.client.delete(`/campaigns/${id}`));
    expect((await template(source.templateId)).status).to.equal(404);
    expect((await template(copied.templateId)).status).to.equal(200);
  });
});
