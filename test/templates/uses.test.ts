import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { carryOverAutomations } from '../../core/automations/carry-over.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { type SignedIn, signIn } from '../accounts/signed-in.ts';
import { wait } from '../automations/support.ts';
import { type Client, done, type Reply } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';

const SENDER = 'news@uses.example.com';
const HTML = '<p>Hello <a href="{{confirmUrl}}">there</a></p>';
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

describe('A template that is named', () => {
  const environment = useEnvironment();
  let key: Client;
  let author: SignedIn;
  before(async () => {
    const { deps, own } = environment;
    key = own.client;
    await seedVerifiedDomain(deps, own.project, 'uses.example.com', new ObjectId());
    author = await signIn(environment, own, 'author');
  });
  const make = (client: Client) =>
    done(client.post('/templates', { templateName: 'Named', subject: 'Named', emailTemplate: HTML }));
  const campaign = (templateId: string) => ({
    ...{ name: 'News', subject: 'News', from: { email: SENDER }, sendToGlobalList: true, templateId },
  });
  const scheduled = (templateId: string) => ({ ...campaign(templateId), publish: true, scheduledAt: tomorrow() });
  const automation = (templateId: string) => ({
    name: 'Welcome',
    entryCriteria: { type: 'contact_created' },
    steps: [wait(1), { type: 'email', email: { templateId, senderEmail: SENDER } }],
  });
  const form = async (templateId: string) => {
    const { id } = await done(key.post('/contact-lists', { name: 'Readers' }));
    return { name: 'Form', listIds: [id], confirmationTemplateId: templateId };
  };
  const mail = (templateId: string) => ({ templateId, from: { email: SENDER } });
  const to = { email: 'reader@in.test' };

  /** Everything that makes a template leave, by what it is. The field is that of the answer for a template that does not exist. */
  const acts: [
    string,
    string,
    (templateId: string, made: string) => Promise<Reply>,
    (named: string) => Promise<string>,
  ][] = [
    ['a single mail', 'templateId', (id) => key.post('/mails/send', { ...mail(id), to }), none],
    [
      'a scheduled mail',
      'templateId',
      (id) => key.post('/mails/send', { ...mail(id), to, scheduledAt: tomorrow() }),
      none,
    ],
    ['mail in bulk', 'templateId', (id) => key.post('/mails/bulk', { ...mail(id), recipients: [to] }), none],
    ['a campaign that is created with a time', 'templateId', (id) => key.post('/campaigns', scheduled(id)), none],
    [
      'a draft that is published',
      'templateId',
      (_, id) => key.patch(`/campaigns/${id}`, { publish: true, scheduledAt: tomorrow() }),
      async (named) => (await done(key.post('/campaigns', { ...campaign(named), publish: false }))).id,
    ],
    ['a form', 'confirmationTemplateId', async (id) => key.post('/forms', await form(id)), none],
    [
      'a form that is changed',
      'confirmationTemplateId',
      (named, id) => key.patch(`/forms/${id}`, { confirmationTemplateId: named }),
      async () => (await done(key.post('/forms', { ...(await form('')), confirmationTemplateId: null }))).id,
    ],
  ];
  async function none(): Promise<string> {
    return '';
  }

  describe('sends published versions alone:', () => {
    for (const [says, field, act, prepare] of acts)
      it(`${says} with one that was never published is 404 with the field, and says how to publish it`, async () => {
        const { templateId } = await make(author.client);
        const made = await prepare(templateId);
        const before = await sent();
        const { status, body, text } = await act(templateId, made);
        expect([status, body.error?.code], text).to.deep.equal([404, 'TEMPLATE_NOT_FOUND']);
        expect(body.error.details).to.equal(`${field}: names a template without a published version`);
        expect(body.error.message).to.contain(`POST /templates/${templateId}/publish {"version": 1}`);
        expect(await sent()).to.deep.equal(before);
        await done(key.post(`/templates/${templateId}/publish`, { version: 1 }));
        await done(act(templateId, made));
      });

    it('an automation names the step, when it is activated or created active; a draft may name it', async () => {
      const { templateId } = await make(author.client);
      const { id } = await done(key.post('/automations', automation(templateId)));
      for (const reply of [
        await key.post(`/automations/${id}/activate`),
        await key.post('/automations', { ...automation(templateId), active: true }),
      ]) {
        expect([reply.status, reply.body.error.code]).to.deep.equal([400, 'CANNOT_ACTIVATE_AUTOMATION']);
        expect(reply.body.error.details).to.contain(
          'steps/1/email/templateId: names a template without a published version',
        );
      }
      await done(key.post(`/templates/${templateId}/publish`, { version: 1 }));
      await done(key.post(`/automations/${id}/activate`));
    });

    it('a campaign that brings its HTML publishes it, by a key; its preview and its test show a draft', async () => {
      const { templateId } = await make(author.client);
      const { id } = await done(author.client.post('/campaigns', { ...campaign(templateId), publish: false }));
      expect((await done(author.client.post(`/campaigns/${id}/preview`, {}))).html).to.contain('Hello');
      const { email } = author.member;
      await done(author.client.post(`/campaigns/${id}/test`, { emails: [email] }));
      await done(
        key.patch(`/campaigns/${id}`, {
          templateId,
          htmlTemplate: '<p>By a key</p>',
          publish: true,
          scheduledAt: tomorrow(),
        }),
      );
      expect(await done(key.get(`/templates/${templateId}`))).to.include({
        ...{ emailTemplate: '<p>By a key</p>', publishedVersion: 2, draftVersion: null },
      });
    });

    it('a single mail keeps the content that was published when it was accepted', async () => {
      const { templateId } = await make(key);
      const { emailId } = await done(key.post('/mails/send', { ...mail(templateId), to, scheduledAt: tomorrow() }));
      await done(key.patch(`/templates/${templateId}`, { emailTemplate: '<p>Later</p>' }));
      expect((await done(key.get(`/emails/${emailId}/content`))).html).to.contain('Hello');
    });

    async function sent() {
      const { db } = environment.deps;
      const waiting = await db.campaigns.countDocuments({ status: 'scheduled' });
      return [
        await db.messages.countDocuments(),
        waiting,
        await db.forms.countDocuments({ confirmationTemplateId: /^A-/ }),
      ];
    }
  });

  describe('is stored with the id that callers know, whichever was given:', () => {
    it('campaigns, steps of automations and forms', async () => {
      const { id, templateId } = await make(key);
      const { db } = environment.deps;
      for (const given of [id, id.toUpperCase(), templateId]) {
        const { id: campaignId } = await done(key.post('/campaigns', scheduled(given)));
        expect(await db.campaigns.findOne({ _id: new ObjectId(campaignId) })).to.include({ templateId });
        for (const active of [false, true]) {
          const made = await done(key.post('/automations', { ...automation(given), active }));
          expect(made.steps[1].email.templateId).to.equal(templateId);
          expect(await db.automations.findOne({ _id: new ObjectId(made.id) })).to.have.nested.property(
            'steps[1].email.templateId',
            templateId,
          );
        }
        const changed = await done(key.post('/automations', automation(templateId)));
        await done(key.patch(`/automations/${changed.id}`, { steps: automation(given).steps }));
        const { steps } = await done(key.get(`/automations/${changed.id}`));
        expect(steps[1].email.templateId).to.equal(templateId);
        expect(await done(key.post('/forms', await form(given)))).to.include({ confirmationTemplateId: templateId });
      }
      const foreign = (await environment.other.client.post('/templates', { templateName: 'T', emailTemplate: HTML }))
        .body.data;
      for (const unknown of [foreign.id, foreign.templateId, 'fedcba9876543210fedcba98', 'A-0123456789abcdef0123']) {
        const refused = await key.post('/automations', automation(unknown));
        expect([refused.status, refused.body.error.details]).to.deep.equal([
          404,
          'steps/1/email/templateId: names no template of this project',
        ]);
      }
    });

    it('definitions of earlier releases are carried over by setup, those too that people are still on', async () => {
      const { deps, own } = environment;
      const { db } = deps;
      const { id, templateId } = await make(key);
      const made = await done(key.post('/automations', { ...automation(templateId), active: true }));
      const _id = new ObjectId(made.id);
      await key.post(`/automations/${made.id}/pause`);
      await done(key.patch(`/automations/${made.id}`, { name: 'Second' }));
      const internal = { $set: { 'steps.1.email.templateId': id } };
      await db.automations.updateOne({ _id }, internal);
      await db.automationDefinitions.updateOne({ automationId: _id }, internal);
      const named = async () => [
        (await db.automations.findOne({ _id }))?.steps[1],
        (await db.automationDefinitions.findOne({ automationId: _id }))?.steps[1],
      ];
      expect(JSON.stringify(await named())).to.contain(id);
      expect(await carryOverAutomations(deps, own.project)).to.equal(2);
      for (const step of await named()) expect(step).to.have.nested.property('email.templateId', templateId);
      expect(await carryOverAutomations(deps, own.project)).to.equal(0);
    });
  });

  describe('and its deletion at the same time: one of the two is refused, with', () => {
    const naming: [string, (templateId: string) => Promise<() => Promise<Reply>>][] = [
      ['a draft', async (id) => () => key.post('/campaigns', { ...campaign(id), publish: false })],
      ['a campaign that is created with a time', async (id) => () => key.post('/campaigns', scheduled(id))],
      [
        'a scheduled campaign that gets this template',
        async (templateId) => {
          const { id } = await done(key.post('/campaigns', scheduled((await make(key)).templateId)));
          return () => key.patch(`/campaigns/${id}`, { templateId });
        },
      ],
      [
        'an automation that is activated',
        async (templateId) => {
          const { id } = await done(key.post('/automations', automation(templateId)));
          return () => key.post(`/automations/${id}/activate`);
        },
      ],
      [
        'an automation that is created active',
        async (id) => () => key.post('/automations', { ...automation(id), active: true }),
      ],
      [
        'a form',
        async (id) => {
          const body = await form(id);
          return () => key.post('/forms', body);
        },
      ],
    ];
    for (const [says, prepare] of naming)
      it(says, async () => {
        const { deps } = environment;
        const { templateId } = await make(key);
        const act = await prepare(templateId);
        const { usesOfTemplate } = deps.subscribers;
        let acting: Promise<Reply> | undefined;
        // The deletion has found no use; the template is named now, and the commit of the deletion follows.
        const late: (typeof usesOfTemplate)[number] = async () => {
          acting ??= act();
          await Promise.race([acting, new Promise((resolve) => setTimeout(resolve, 300))]);
          return null;
        };
        deps.subscribers = { ...deps.subscribers, usesOfTemplate: [...usesOfTemplate, late] };
        const deleted = await key.delete(`/templates/${templateId}`).finally(() => {
          deps.subscribers = { ...deps.subscribers, usesOfTemplate };
        });
        const acted = await acting;
        const both = [deleted.status < 300, (acted?.status ?? 0) < 300];
        expect(both, `${deleted.text} ${acted?.text}`).to.be.deep.oneOf([
          [true, false],
          [false, true],
        ]);
        expect(acted?.status, acted?.text).to.be.below(500);
        expect(deleted.status, deleted.text).to.be.below(500);
      });
  });
});
