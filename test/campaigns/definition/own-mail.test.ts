import { expect } from 'chai';
import { signIn } from '../../accounts/signed-in.ts';
import { done } from '../../support/client.ts';
import { contentOf, useWrittenMails } from '../written-mails.ts';

describe('The mail that is written in a campaign', function () {
  this.timeout(120_000);
  const { stage, create, patch, template } = useWrittenMails({ htmlTemplate: undefined });
  const listed = async (query = ''): Promise<string[]> =>
    (await done(stage.own.client.get(`/templates?limit=100${query}`))).templates.map(
      (one: { templateId: string }) => one.templateId,
    );
  const deleted = (id: string) => stage.own.client.delete(`/campaigns/${id}`);
  const saved = () =>
    done(
      stage.own.client.post('/templates', {
        templateName: 'Saved',
        emailTemplate: '<p>S</p>',
        templateType: 'marketing',
      }),
    );

  it('is marked with its campaign, and in the list of templates only when that is asked for', async () => {
    const { id, templateId } = await create({ content: contentOf('One') });
    expect((await stage.get(id)).template.campaignId).to.equal(id);
    const other = await saved();
    expect(other.campaignId).to.equal(null);
    const shown = await listed();
    expect(shown).to.include(other.templateId).and.not.include(templateId);
    expect(await listed('&campaignMails=true')).to.include.members([other.templateId, templateId]);
    expect(await listed('&search=sav')).to.include(other.templateId);
  });

  it('stays one template, however often it is written, as blocks and as code', async () => {
    const { id, templateId } = await create({ content: contentOf('One') });
    await patch(id, { content: contentOf('Two') });
    expect((await stage.get(id)).template).to.deep.include({ templateId, editorJson: contentOf('Two') });
    await patch(id, { htmlTemplate: '<p>Code</p>', subject: 'Other' });
    expect((await stage.get(id)).template).to.include({ templateId, builderType: 'code', subject: 'Other' });
  });

  it('is begun by a campaign that has named a saved template, which stays as it is', async () => {
    const { templateId } = await saved();
    const { id } = await create({ templateId });
    await patch(id, { content: contentOf('Mine') });
    const after = await stage.get(id);
    expect(after.template).to.include({ campaignId: id });
    expect(after.templateId).not.to.equal(templateId);
    expect((await template(templateId)).body.data.emailTemplate).to.equal('<p>S</p>');
    await patch(id, { templateId });
    expect((await stage.get(id)).templateId).to.equal(templateId);
  });

  it('has the layout that the call names, of the campaign and of a variant, and none otherwise', async () => {
    const post = (path: string, body: object) => done(stage.own.client.post(path, body));
    const { id: layoutId } = await post('/layouts', { name: 'House', emailTemplate: '<b>House</b>{{{content}}}' });
    const variants = [{}, { htmlTemplate: '<p>B</p>', layoutId }];
    const { id, templateId } = await create({ htmlTemplate: '<p>A</p>', layoutId, variants });
    const html = async (variantId: string) => (await done(stage.act(id, 'preview', { variantId }))).html;
    expect(await html('A')).to.contain('<b>House</b><p>A</p>');
    expect(await html('B')).to.contain('<b>House</b><p>B</p>');
    expect((await stage.get(id)).template).to.include({ layoutId, emailTemplate: '<p>A</p>' });
    await patch(id, { htmlTemplate: '<p>C</p>', variants: null });
    expect((await stage.get(id)).template).to.include({ templateId, layoutId: null, emailTemplate: '<p>C</p>' });
    const blocks = { id: 'slot', type: 'content' };
    const { id: ofBlocks } = await post('/layouts', { name: 'Blocks', content: { v: 1, blocks: [blocks] } });
    await patch(id, { content: contentOf('One'), layoutId: ofBlocks });
    const { emailTemplate: htmlTemplate } = (await stage.get(id)).template;
    await patch(id, { htmlTemplate });
    expect((await stage.get(id)).template).to.include({ layoutId: ofBlocks, builderType: 'editor' });
    const faultOf = async (body: object) =>
      (await stage.own.client.patch(`/campaigns/${id}`, body)).body.error.details as string;
    expect(await faultOf({ layoutId })).to.equal('layoutId: needs content or htmlTemplate');
    expect(await faultOf({ content: contentOf('One'), layoutId })).to.contain('layoutId: the layout "House" is code');
  });

  it('goes with its campaign, unless something else names it by then', async () => {
    const alone = await create({ content: contentOf('Alone') });
    expect((await deleted(alone.id)).status).to.equal(200);
    expect((await template(alone.templateId)).status).to.equal(404);
    const versions = { projectId: stage.own.project._id, templateId: alone.templateId };
    expect(await stage.environment.deps.db.templateVersions.countDocuments(versions)).to.equal(0);

    const shared = await create({ content: contentOf('Shared') });
    const other = await create({ templateId: shared.templateId });
    await patch(other.id, { content: contentOf('Not shared') });
    expect((await template(shared.templateId)).body.data.editorJson).to.deep.equal(contentOf('Shared'));
    await patch(other.id, { templateId: shared.templateId });
    expect((await deleted(shared.id)).status).to.equal(200);
    expect((await template(shared.templateId)).body.data.campaignId).to.equal(null);
    expect(await listed()).to.include(shared.templateId);
  });

  it('is copied with its campaign: neither changes the other', async () => {
    const { id, templateId } = await create({ content: contentOf('First') });
    const copy = await done(stage.act(id, 'duplicate', {}));
    expect(copy.templateId).not.to.equal(templateId);
    await patch(id, { content: contentOf('Changed') });
    expect((await stage.get(copy.id)).template).to.deep.include({
      campaignId: copy.id,
      editorJson: contentOf('First'),
    });
    await deleted(id);
    expect((await template(copy.templateId)).status).to.equal(200);
  });

  it('is taken out of a draft with templateId: null, which waits for another mail', async () => {
    const { id, templateId } = await create({ content: contentOf('One'), publish: false });
    expect(await patch(id, { templateId: null })).to.deep.include({ templateId: '', template: null });
    expect(await stage.get(id)).to.deep.include({ templateId: '', template: null, status: 'draft' });
    const publish = { publish: true, sendNow: true, toLists: [await stage.list(1)] };
    const refused = await stage.own.client.patch(`/campaigns/${id}`, publish);
    expect([refused.status, refused.body.error.details]).to.deep.equal([
      400,
      'templateId: is required, or htmlTemplate',
    ]);
    expect((await done(stage.act(id, 'duplicate', {}))).templateId).to.equal('');
    await patch(id, { templateId: null, content: contentOf('Two') });
    const after = (await stage.get(id)).template;
    expect(after).to.deep.include({ campaignId: id, editorJson: contentOf('Two') });
    expect(after.templateId).not.to.equal(templateId);
    const none = { name: 'None', subject: 'None', templateId: null };
    expect((await stage.own.client.post('/campaigns', none)).status).to.equal(400);
  });

  it('takes no preview text that was cleared in the campaign', async () => {
    const { id } = await create({ content: contentOf('One'), previewText: 'Before' });
    await patch(id, { previewText: '' });
    const { previewText } = await done(stage.act(id, 'preview', {}));
    expect(previewText).to.equal('');
  });

  it('of an author waits for the person who publishes the campaign, and is sent then', async () => {
    const { client } = await signIn(stage.environment, stage.own, 'author');
    const list = await stage.list(1);
    const { from } = await create({ content: contentOf('Other') });
    const fields = { name: 'News', subject: 'News', from: { email: from.email }, toLists: [list] };
    const { id, templateId } = await done(client.post('/campaigns', { ...fields, content: contentOf('One') }));
    await patch(id, { content: contentOf('Two') }, client);
    const drafted = (await stage.get(id)).template;
    expect(drafted).to.deep.include({ templateId, publishedVersion: null, editorJson: contentOf('Two') });
    await patch(id, { publish: true, sendNow: true });
    await stage.until(id, 'sent');
    expect((await stage.get(id)).template.publishedVersion).to.equal(drafted.draftVersion);
    expect(stage.sink.ledger.messages.at(-1)?.raw).to.contain('Two');
  });

  it('that an editor wrote is left alone by an author, who writes another one', async () => {
    const { client } = await signIn(stage.environment, stage.own, 'author');
    const { id, templateId } = await create({ content: contentOf('Of an editor') });
    await patch(id, { content: contentOf('Of an author') }, client);
    const after = (await stage.get(id)).template;
    expect(after).to.deep.include({ campaignId: id, publishedVersion: null, editorJson: contentOf('Of an author') });
    expect((await template(templateId)).body.data.editorJson).to.deep.equal(contentOf('Of an editor'));
  });
});
