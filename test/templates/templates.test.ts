import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { activeAutomation, created, wait } from '../automations/support.ts';
import { cpuMs } from '../linear/cpu.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

/** Instructions of other engines. */
const PLAIN = `<%= 1 %> \${7*7} #{7*7} {%raw%} [[x]]`;

describe('Templates', () => {
  const environment = useEnvironment();
  let own: Tenant;
  before(() => {
    own = environment.own;
  });

  const make = (fields: object = {}) =>
    own.client.post('/templates', { templateName: 'Welcome', emailTemplate: '<p>Hi {{name}}</p>', ...fields });

  it('are created with an id of their own kind, transactional and of code unless said otherwise', async () => {
    const { status, body } = await make({ subject: 'Hi {{name}}' });
    expect(status).to.equal(201);
    expect(body.data.templateId).to.match(/^A-[0-9a-f]{20}$/);
    expect(body.data).to.deep.include({
      templateName: 'Welcome',
      subject: 'Hi {{name}}',
      previewText: '',
      templateType: 'transactional',
      builderType: 'code',
      description: '',
      editorJson: null,
      isFlagged: false,
      source: 'api',
      trackingClick: true,
      trackingOpen: true,
    });
    const visual = await make({ builderType: 'visual', editorJson: { blocks: [1] }, templateType: 'marketing' });
    expect(visual.body.data).to.deep.include({
      builderType: 'editor',
      editorJson: { blocks: [1] },
      templateType: 'marketing',
    });
  });

  it('are read, listed newest first and by type, changed field by field, and deleted', async () => {
    environment.clock.advance(1_000);
    const { templateId, updatedAt } = (await make({ templateName: 'One', templateType: 'marketing' })).body.data;
    const list = (await own.client.get('/templates?templateType=marketing')).body.data;
    expect(list.templates[0].templateId).to.equal(templateId);
    expect(list.templates.every(({ templateType }: Record<string, string>) => templateType === 'marketing')).to.equal(
      true,
    );
    environment.clock.advance(1_000);
    const changed = (await own.client.patch(`/templates/${templateId}`, { subject: 'New' })).body.data;
    expect(changed).to.include({ subject: 'New', templateName: 'One', emailTemplate: '<p>Hi {{name}}</p>' });
    expect(changed.updatedAt > updatedAt).to.equal(true);
    expect((await own.client.get(`/templates/${templateId}`)).body.data).to.deep.equal(changed);
    expect((await own.client.delete(`/templates/${templateId}`)).body).to.deep.equal({ success: true });
    for (const answer of [
      await own.client.get(`/templates/${templateId}`),
      await own.client.patch(`/templates/${templateId}`, {}),
      await own.client.delete(`/templates/${templateId}`),
      await own.client.post(`/templates/${templateId}/preview`, {}),
    ])
      expect([answer.status, answer.body.error.code]).to.deep.equal([404, 'TEMPLATE_NOT_FOUND']);
  });

  it('source that does not parse or uses what is not allowed is 400 with its field and line, at save and at change', async () => {
    const { templateId } = (await make()).body.data;
    const sources = [
      '\n\n{{#if a}}',
      '\n\n{{env "HOME"}}',
      '\n\n{{expandenv "x"}}',
      '\n\n{{getHostByName "x"}}',
      '\n\n{{lookup this "constructor"}}',
      '\n\n{{log x}}',
      '\n\n{{> x}}',
      '\n\n{{#*inline "x"}}{{/inline}}',
      '\n\n{{{{raw}}}}{{{{/raw}}}}',
      '\n\n{{helperMissing}} {{#helperMissing}}{{/helperMissing}}',
      '\n\n{{* d}}',
    ];
    for (const emailTemplate of sources)
      for (const answer of [
        await make({ emailTemplate }),
        await own.client.patch(`/templates/${templateId}`, { emailTemplate }),
      ]) {
        expect([answer.status, answer.body.error?.code], emailTemplate).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(answer.body.error.details).to.match(/^emailTemplate: line \d/);
      }
    expect((await make({ subject: '{{#each x}}' })).body.error.details).to.match(/^subject: line 1/);
    expect((await make({ previewText: '{{> x}}' })).body.error.details).to.match(/^previewText: line 1/);
  });

  it('sources over their limits are refused before they cost anything: length, tags, nesting', async () => {
    for (const emailTemplate of [
      '{{'.repeat(200_000),
      '{{a}}'.repeat(20_001),
      '{{#if a}}'.repeat(51) + '{{/if}}'.repeat(51),
      '{{#if a}}'.repeat(10_000) + '{{/if}}'.repeat(10_000),
      `{{a${'.a'.repeat(50_000)}}}`,
    ]) {
      const began = cpuMs();
      const { status } = await make({ emailTemplate });
      expect(status, emailTemplate.slice(0, 20)).to.equal(400);
      expect(cpuMs() - began).to.be.lessThan(1_000);
    }
    expect((await make({ emailTemplate: 'x'.repeat(1_048_577) })).status).to.be.oneOf([400, 413]);
  });

  it('what is no instruction is plain text', async () => {
    const { templateId } = (await make({ emailTemplate: PLAIN })).body.data;
    const { html } = (await own.client.post(`/templates/${templateId}/preview`, {})).body.data;
    expect(html).to.equal(PLAIN);
  });

  it('a preview renders subject, preview text, HTML and the text made of it, and sends nothing', async () => {
    const source = {
      subject: 'Hi {{name}}',
      previewText: 'For {{name}}',
      emailTemplate: '<p>Hi {{name}}</p>{{#each items}}<i>{{this}}</i>{{/each}}',
    };
    const { templateId } = (await make(source)).body.data;
    const dynamicData = { name: 'A & B', items: ['x', 'y'] };
    const { data } = (await own.client.post(`/templates/${templateId}/preview`, { dynamicData })).body;
    expect(data.subject).to.equal('Hi A & B');
    expect(data.previewText).to.equal('For A & B');
    expect(data.html).to.include('<p>Hi A &amp; B</p><i>x</i><i>y</i>');
    expect(data.text).to.include('Hi A & B');
    expect((await own.client.get('/emails')).body.data.emails).to.deep.equal([]);
  });

  it('a preview with data that make it fail is 422 TEMPLATE_RENDER_FAILED', async () => {
    const emailTemplate = '{{#each a}}{{#each ../a}}{{#each ../../a}}x{{/each}}{{/each}}{{/each}}';
    const { templateId } = (await make({ emailTemplate })).body.data;
    const a = Array.from({ length: 300 }, (_, index) => index);
    const answer = await own.client.post(`/templates/${templateId}/preview`, { dynamicData: { a } });
    expect([answer.status, answer.body.error.code]).to.deep.equal([422, 'TEMPLATE_RENDER_FAILED']);
  });

  it('prototypes of values are not reached', async () => {
    const emailTemplate =
      '[{{constructor}}{{__proto__}}{{this.constructor.constructor}}{{o.toString}}{{items.map}}{{items.length}}]';
    const { templateId } = (await make({ emailTemplate })).body.data;
    const dynamicData = { o: {}, items: [1] };
    const { html } = (await own.client.post(`/templates/${templateId}/preview`, { dynamicData })).body.data;
    expect(html).to.match(/^\[1?\]$/);
  });

  describe('one that is used cannot be deleted: 409', () => {
    let templateId: string;
    const from = 'news@templates.example.com';
    before(() => seedVerifiedDomain(environment.deps, own.project, 'templates.example.com', new ObjectId()));
    beforeEach(async () => {
      templateId = (await make({ subject: 'S' })).body.data.templateId;
    });

    async function isHeldUntil(release: () => Promise<unknown>): Promise<void> {
      const refused = await own.client.delete(`/templates/${templateId}`);
      expect([refused.status, refused.body.error?.code], refused.text).to.deep.equal([409, 'INVALID_STATE']);
      await release();
      expect((await own.client.delete(`/templates/${templateId}`)).status).to.equal(200);
    }

    async function campaign(fields: object): Promise<string> {
      const body = { name: 'C', subject: 'S', templateId, from: { email: from }, toLists: ['GLOBAL_CONTACT_LIST'] };
      const reply = await own.client.post('/campaigns', { ...body, ...fields });
      expect(reply.body.success, reply.text).to.equal(true);
      return reply.body.data.id;
    }

    it('by a draft campaign', async () => {
      const id = await campaign({ publish: false });
      await isHeldUntil(() => own.client.delete(`/campaigns/${id}`));
    });

    it('by a scheduled campaign', async () => {
      const id = await campaign({ publish: true, scheduledAt: new Date(Date.now() + 86_400_000).toISOString() });
      await isHeldUntil(() => own.client.post(`/campaigns/${id}/abort`));
    });

    it('by an active automation', async () => {
      await created(own.client, '/senders', { email: from, name: 'News' });
      await created(own.client, '/events', { eventName: 'joined' });
      const { id } = await activeAutomation(own.client, {
        entryCriteria: { type: 'event_trigger', eventName: 'joined' },
        steps: [wait(2), { type: 'email', stepId: 'welcome', email: { templateId } }],
      });
      await isHeldUntil(() => own.client.post(`/automations/${id}/pause`));
    });
  });
});
