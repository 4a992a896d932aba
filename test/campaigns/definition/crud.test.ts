import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { carryOverCampaigns } from '../../../core/campaigns/carry-over.ts';
import type { Campaign, CampaignStatus } from '../../../core/campaigns/model.ts';
import { HTML, SENDER, type Stage, startStage } from '../support.ts';

const TEMPLATE_FIELDS = [
  'id',
  'templateId',
  'projectId',
  'templateName',
  'subject',
  'previewText',
  'emailTemplate',
  'templateType',
  'builderType',
  'editorJson',
  'parentBodyProperties',
  'createdAt',
  'updatedAt',
  'isFlagged',
  'source',
  'trackingClick',
  'trackingOpen',
];
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const plan = { emailsPerDay: 100, growth: '1.5x', timezone: 'Europe/Berlin' };

describe('Campaigns', function () {
  this.timeout(120_000);
  let stage: Stage;
  let list: string;
  let segment: string;
  before(async () => {
    stage = await startStage({ lanes: [] });
    list = await stage.list(3);
    const made = await stage.own.client.post('/contact-lists', {
      name: 'Segment',
      type: 'segment',
      filterCriteria: { groups: [{ field: 'firstName', operator: 'is_not_empty' }] },
    });
    segment = made.body.data.id;
  });
  after(() => stage.stop());

  /** How often the run of a campaign was asked for; nothing serves the requests here. */
  const startsOf = async (id: string) => {
    const { db } = stage.environment.deps;
    return (await db.starts.findOne({ kind: 'campaign', subjectId: new ObjectId(id) }))?.revision ?? 0;
  };
  const stored = async (id: string) =>
    (await stage.environment.deps.db.campaigns.findOne({ _id: new ObjectId(id) })) as Campaign;
  const patch = (id: string, fields: object) => stage.own.client.patch(`/campaigns/${id}`, fields);
  const draft = async (fields: object = {}) => (await stage.create(fields)).body.data.id as string;
  const inStatus = async (status: CampaignStatus, fields: Partial<Campaign> = {}) => {
    const id = await draft({ toLists: [list] });
    const startedAt = ['draft', 'scheduled'].includes(status) ? null : new Date();
    await stage.environment.deps.db.campaigns.updateOne(
      { _id: new ObjectId(id) },
      { $set: { status, startedAt, ...fields } },
    );
    return id;
  };

  describe('create (3)', () => {
    it('takes every field, answers them, and starts with metrics all 0', async () => {
      const { body: sender } = await stage.own.client.post('/senders', {
        email: 'saved@mail.example.com',
        name: 'Saved',
        replyTo: 'answers@example.org',
      });
      const { body: group } = await stage.own.client.post('/suppression-groups', { name: 'Offers' });
      const answer = await stage.own.client.post('/campaigns', {
        name: 'Spring',
        subject: 'News for {{firstName}}',
        previewText: 'All new',
        senderId: sender.data.id,
        htmlTemplate: HTML,
        toLists: [list, segment, 'GLOBAL_CONTACT_LIST', list],
        excludeLists: [segment],
        unsubscribeGroupId: group.data.groupId,
        sendToGlobalList: true,
        maxLatenessMinutes: 15,
        thresholdPreset: 'conservative',
        gradual: { ...plan, startAt: inAnHour() },
        sendRatePerSecond: 7,
        trackingClick: false,
        trackingOpen: false,
        nonsense: 1,
      });
      expect(answer.status, answer.text).to.equal(200);
      const { data } = answer.body;
      expect(data).to.include({
        projectId: stage.own.project._id.toHexString(),
        organizationId: stage.own.organization._id.toHexString(),
        createdBy: null,
        name: 'Spring',
        subject: 'News for {{firstName}}',
        previewText: 'All new',
        senderId: sender.data.id,
        replyTo: 'answers@example.org',
        unsubscribeGroupId: group.data.groupId,
        sendNow: false,
        sendMode: 'gradual',
        scheduledAt: null,
        status: 'draft',
        sentAt: null,
        abortedAt: null,
        failureReason: null,
        pausedAt: null,
        resumedAt: null,
        pausedReason: null,
        thresholdPreset: 'conservative',
        trackingClick: false,
        trackingOpen: false,
        sendToGlobalList: true,
        source: 'api',
        maxLatenessMinutes: 15,
        sendRatePerSecond: 7,
      });
      expect(data.from).to.deep.equal({ email: 'saved@mail.example.com', name: 'Saved' });
      expect(
        data.toLists.map(({ id, type, contactCount }: Record<string, unknown>) => [id, type, contactCount]),
      ).to.deep.equal([
        [list, 'list', 3],
        [segment, 'segment', 0],
        ['GLOBAL_CONTACT_LIST', 'list', 3],
      ]);
      expect(data.excludeLists).to.deep.equal([{ id: segment, name: 'Segment', type: 'segment', contactCount: 0 }]);
      expect(data.gradual).to.deep.include({ ...plan, day: 0, sentToday: 0, nextBatchAt: null });
      expect(Object.values(data.metrics).every((count) => count === 0)).to.equal(true);
      expect(Object.keys(data.metrics)).to.have.length(15);
      expect(Object.keys(data.template)).to.include.members(TEMPLATE_FIELDS);
      expect(data).to.not.have.property('nonsense');
      expect((await stage.get(data.id)).id).to.equal(data.id);
    });

    it('htmlTemplate makes a marketing template of the campaign’s name, and updates the template that templateId names', async () => {
      const made = (await stage.create({ name: 'Makes one' })).body.data;
      expect(made.template).to.include({
        templateName: 'Makes one',
        templateType: 'marketing',
        emailTemplate: HTML,
        source: 'api',
      });
      const both = (await stage.create({ templateId: made.templateId, htmlTemplate: '<p>Newer</p>' })).body.data;
      expect(both.templateId).to.equal(made.templateId);
      expect((await stage.get(made.id)).template.emailTemplate).to.equal('<p>Newer</p>');
      const kept = (await stage.create({ templateId: made.templateId, htmlTemplate: undefined })).body.data;
      expect(kept.template.emailTemplate).to.equal('<p>Newer</p>');
    });

    it('the source of the embedded template is api or dashboard, also where a migration brought it', async () => {
      const { deps, own } = stage;
      const made = (await stage.create({ name: 'Migrated' })).body.data;
      const { templateId } = made;
      const filter = { templateId, projectId: own.project._id };
      const sources = async () => {
        const created = (await stage.create({ templateId, htmlTemplate: undefined })).body.data;
        const { body: list } = await own.client.get('/campaigns?limit=100');
        const listed = list.data.campaigns.find(({ id }: { id: string }) => id === created.id);
        const { body: record } = await own.client.get(`/templates/${templateId}`);
        const embedded = [created, await stage.get(made.id), listed].map(({ template }) => template.source);
        return [...embedded, record.data.source];
      };
      await deps.db.templates.updateOne(filter, { $set: { source: 'migration' } });
      expect(await sources()).to.deep.equal(['api', 'api', 'api', 'migration']);
      await deps.db.templates.updateOne(filter, { $set: { createdBy: new ObjectId() } });
      expect(await sources()).to.deep.equal(['dashboard', 'dashboard', 'dashboard', 'migration']);
    });

    it('`from` wins over the saved sender field by field; fromSenderId is an alias; tracking falls back to the project', async () => {
      const { body: sender } = await stage.own.client.post('/senders', {
        email: 'alias@mail.example.com',
        name: 'Alias',
      });
      const { body } = await stage.create({ from: { name: 'Other' }, fromSenderId: sender.data.id });
      expect(body.data.from).to.deep.equal({ email: 'alias@mail.example.com', name: 'Other' });
      expect(body.data).to.include({ senderId: sender.data.id, replyTo: '', trackingClick: true, trackingOpen: true });
      expect((await stage.create({ from: { email: 'NEWS@Mail.Example.com' } })).body.data.from.email).to.equal(SENDER);
    });

    it('an empty address of `from` takes it out, and leaves that of the saved sender', async () => {
      const { body: sender } = await stage.own.client.post('/senders', { email: 'own@mail.example.com', name: 'Own' });
      const { id } = (await stage.create({ from: { email: SENDER, name: 'Other' } })).body.data;
      const patched = async (body: object) => (await stage.own.client.patch(`/campaigns/${id}`, body)).body.data.from;
      expect(await patched({ from: { email: '' } })).to.deep.equal({ email: '', name: 'Other' });
      expect(await patched({ senderId: sender.data.id })).to.deep.equal({
        email: 'own@mail.example.com',
        name: 'Other',
      });
    });

    it('becomes draft or scheduled by publish, sendNow, scheduledAt and the plan', async () => {
      const at = inAnHour();
      const cases: Array<[object, string, string]> = [
        [{}, 'draft', 'immediate'],
        [{ publish: false, sendNow: true }, 'draft', 'immediate'],
        [{ publish: false, scheduledAt: at }, 'draft', 'scheduled'],
        [{ publish: true, sendNow: true }, 'scheduled', 'immediate'],
        [{ sendNow: true }, 'scheduled', 'immediate'],
        [{ scheduledAt: at }, 'scheduled', 'scheduled'],
        [{ publish: true, gradual: plan }, 'scheduled', 'gradual'],
        [{ publish: true, gradual: { ...plan, startAt: at } }, 'scheduled', 'gradual'],
        [{ publish: true, sendMode: 'immediate', gradual: plan, sendNow: true }, 'scheduled', 'immediate'],
        [{ gradual: plan }, 'draft', 'gradual'],
      ];
      for (const [fields, status, sendMode] of cases) {
        const { body } = await stage.create({ toLists: [list], ...fields });
        expect(body.data, JSON.stringify(fields)).to.include({ status, sendMode });
        if (sendMode !== 'gradual') expect(body.data.gradual).to.equal(null);
      }
      const kept = (await stage.create({ publish: false, scheduledAt: at, toLists: [list] })).body.data;
      expect(kept.scheduledAt).to.equal(at);
      const due = await stored((await stage.create({ toLists: [list], scheduledAt: at, gradual: plan })).body.data.id);
      expect(due.startsAt?.toISOString()).to.equal(at);
      expect(await startsOf(due._id.toHexString())).to.equal(1);
    });

    it('sendNow with sendMode scheduled is kept in a draft and refused where the call publishes', async () => {
      const fields = { sendNow: true, sendMode: 'scheduled', toLists: [list] };
      const { body } = await stage.create({ ...fields, publish: false });
      expect(body.data).to.include({ status: 'draft', sendNow: true, sendMode: 'scheduled' });
      const refused = await patch(body.data.id, { publish: true });
      expect(refused.status).to.equal(400);
      expect(refused.body.error.details).to.match(/sendNow: .*; sendMode: /);
      expect((await patch(body.data.id, { name: 'Kept' })).body.data).to.include({ status: 'draft', name: 'Kept' });
      const published = await patch(body.data.id, { publish: true, sendMode: 'immediate' });
      expect(published.body.data).to.include({ status: 'scheduled', sendNow: true, sendMode: 'immediate' });
      expect((await patch(body.data.id, { sendMode: 'scheduled' })).status).to.equal(400);
    });

    it('sendToGlobalList is true also where toLists names the global list', async () => {
      const { body } = await stage.create({ toLists: ['GLOBAL_CONTACT_LIST'] });
      expect(body.data.sendToGlobalList).to.equal(true);
      expect((await stage.get(body.data.id)).sendToGlobalList).to.equal(true);
      expect((await patch(body.data.id, { toLists: [list] })).body.data.sendToGlobalList).to.equal(false);
    });

    it('refuses what cannot be, says which field, and writes nothing', async () => {
      const { db } = stage.environment.deps;
      const before = [await db.campaigns.countDocuments(), await db.templates.countDocuments()];
      const past = new Date(Date.now() - 120_000).toISOString();
      const cases: Array<[object, number, string, RegExp]> = [
        [{ htmlTemplate: undefined }, 400, 'VALIDATION_ERROR', /templateId: is required, or htmlTemplate/],
        [{ name: undefined }, 400, 'VALIDATION_ERROR', /name: is required/],
        [{ name: ' ' }, 400, 'VALIDATION_ERROR', /^name/],
        [{ name: 'n'.repeat(201) }, 400, 'VALIDATION_ERROR', /name: must be 200 characters at most/],
        [{ subject: '' }, 400, 'VALIDATION_ERROR', /subject/],
        [{ subject: 's'.repeat(999) }, 400, 'VALIDATION_ERROR', /subject: must be 998/],
        [{ subject: 'a\r\nBcc: x@example.org' }, 400, 'VALIDATION_ERROR', /subject: must be one line/],
        [{ subject: '{{#if a}}' }, 400, 'VALIDATION_ERROR', /subject: line 1/],
        [{ htmlTemplate: '<p>{{#each a}}</p>' }, 400, 'VALIDATION_ERROR', /htmlTemplate: line 1/],
        [{ previewText: 'p'.repeat(201) }, 400, 'VALIDATION_ERROR', /previewText: must be 200/],
        [{ from: { email: 'nobody' } }, 400, 'VALIDATION_ERROR', /from\/email: must be an email address/],
        [{ replyTo: 'nobody' }, 400, 'VALIDATION_ERROR', /replyTo: must be an email address, or empty/],
        [{ toLists: list }, 400, 'VALIDATION_ERROR', /toLists: must be an array/],
        [{ toLists: Array.from({ length: 101 }, () => list) }, 400, 'VALIDATION_ERROR', /toLists: must hold 100/],
        [{ excludeLists: ['GLOBAL_CONTACT_LIST'] }, 400, 'VALIDATION_ERROR', /excludeLists: names the global list/],
        [{ sendMode: 'later' }, 400, 'VALIDATION_ERROR', /sendMode: must be one of/],
        [{ sendMode: 'gradual' }, 400, 'VALIDATION_ERROR', /gradual: is required/],
        [{ gradual: { ...plan, timezone: 'Mars' } }, 400, 'VALIDATION_ERROR', /timezone: must be an IANA/],
        [{ gradual: { ...plan, growth: '3x' } }, 400, 'VALIDATION_ERROR', /growth: must be one of/],
        [{ gradual: { ...plan, emailsPerDay: 0 } }, 400, 'VALIDATION_ERROR', /emailsPerDay/],
        [
          { publish: true, gradual: { ...plan, startAt: past } },
          400,
          'VALIDATION_ERROR',
          /startAt: is more than a minute/,
        ],
        [{ thresholdPreset: 'none' }, 400, 'VALIDATION_ERROR', /thresholdPreset: must be one of/],
        [{ publish: true }, 400, 'VALIDATION_ERROR', /say when: sendNow or scheduledAt/],
        [{ sendNow: true, scheduledAt: inAnHour() }, 400, 'VALIDATION_ERROR', /does not go with sendNow/],
        [{ sendNow: true, sendMode: 'scheduled' }, 400, 'VALIDATION_ERROR', /sendNow: .*; sendMode: /],
        [{ publish: true, sendNow: true, sendMode: 'scheduled' }, 400, 'VALIDATION_ERROR', /sendNow: .*; sendMode: /],
        [{ scheduledAt: past }, 400, 'VALIDATION_ERROR', /scheduledAt: is more than a minute in the past/],
        [{ scheduledAt: 'tomorrow' }, 400, 'VALIDATION_ERROR', /scheduledAt: must be an ISO 8601/],
        [{ sendRatePerSecond: 0 }, 400, 'VALIDATION_ERROR', /sendRatePerSecond/],
        [{ sendNow: true, toLists: [] }, 400, 'VALIDATION_ERROR', /toLists: is required, or sendToGlobalList/],
        [{ sendNow: true, from: undefined }, 400, 'VALIDATION_ERROR', /from: is required, or senderId; toLists/],
        [
          { sendNow: true, toLists: [list], from: { email: 'x@example.com' } },
          422,
          'DOMAIN_NOT_VERIFIED',
          /from\/email/,
        ],
      ];
      for (const [fields, status, code, details] of cases) {
        const { body, status: got, text } = await stage.create(fields);
        expect([got, body.error?.code], `${JSON.stringify(fields)} ${text}`).to.deep.equal([status, code]);
        expect(body.error.details).to.match(details);
      }
      expect([await db.campaigns.countDocuments(), await db.templates.countDocuments()]).to.deep.equal(before);
    });

    it('an id in the body that names nothing of this project is 404, a foreign one and a random one alike, and nothing is written', async () => {
      const { other } = stage.environment;
      const { db } = stage.environment.deps;
      const foreign = {
        list: (await other.client.post('/contact-lists', { name: 'Theirs' })).body.data.id,
        template: (await other.client.post('/templates', { templateName: 'Theirs', emailTemplate: '<p>x</p>' })).body
          .data.templateId,
        group: (await other.client.post('/suppression-groups', { name: 'Theirs' })).body.data.groupId,
        sender: new ObjectId().toHexString(),
      };
      const random = new ObjectId().toHexString();
      const cases: Array<[string, string, string, string]> = [
        ['toLists', foreign.list, random, 'CONTACT_LIST_NOT_FOUND'],
        ['excludeLists', foreign.list, 'malformed', 'CONTACT_LIST_NOT_FOUND'],
        ['templateId', foreign.template, 'A-00000000000000000000', 'TEMPLATE_NOT_FOUND'],
        ['unsubscribeGroupId', foreign.group, 'ZZZZZZ', 'SUPPRESSION_GROUP_NOT_FOUND'],
        ['senderId', foreign.sender, random, 'SENDER_NOT_FOUND'],
        ['fromSenderId', foreign.sender, 'malformed', 'SENDER_NOT_FOUND'],
      ];
      const mine = await draft();
      const before = [await db.campaigns.countDocuments(), await db.templates.countDocuments(), await stored(mine)];
      for (const [field, theirs, nothing, code] of cases) {
        const wrap = (id: string) => (field.endsWith('Lists') ? [id] : id);
        for (const call of [stage.create, (fields: object) => patch(mine, fields)]) {
          const [one, two] = [await call({ [field]: wrap(theirs) }), await call({ [field]: wrap(nothing) })];
          expect([one.status, one.body.error.code], field).to.deep.equal([404, code]);
          expect(one.body.error.details).to.match(new RegExp(`^${field}: `));
          expect(two.body).to.deep.equal(one.body);
        }
      }
      expect([
        await db.campaigns.countDocuments(),
        await db.templates.countDocuments(),
        await stored(mine),
      ]).to.deep.equal(before);
    });

    it('repeated with the same Idempotency-Key it is the same campaign and one template', async () => {
      const { db } = stage.environment.deps;
      const body = { name: 'Once', subject: 'Once', htmlTemplate: HTML };
      const templates = await db.templates.countDocuments();
      const answers = await Promise.all(
        [1, 2, 3].map(() => stage.own.client.post('/campaigns', body, { 'Idempotency-Key': 'campaign-once' })),
      );
      const ids = new Set(answers.filter(({ status }) => status === 200).map((answer) => answer.body.data.id));
      expect(ids.size).to.equal(1);
      expect(await db.templates.countDocuments()).to.equal(templates + 1);
    });
  });

  describe('get (4), list, duplicate, delete', () => {
    it('another project’s campaign, an unknown, a malformed and a deleted one do not exist', async () => {
      const id = await draft();
      const gone = await draft();
      expect((await stage.own.client.delete(`/campaigns/${gone}`)).body).to.include({ success: true });
      const { other } = stage.environment;
      const calls: Array<[string, string, object?]> = [
        ['GET', ''],
        ['GET', '/analytics'],
        ['GET', '/progress'],
        ['GET', '/reconcile'],
        ['GET', '/events'],
        ['GET', '/recipients'],
        ['GET', `/recipients/${new ObjectId()}`],
        ['PATCH', '', { name: 'x' }],
        ['DELETE', ''],
        ['POST', '/pause'],
        ['POST', '/resume'],
        ['POST', '/abort'],
        ['POST', '/retry', { states: ['failed'] }],
        ['POST', '/duplicate'],
        ['POST', '/test', { emails: ['a@example.org'] }],
      ];
      for (const [method, path, body] of calls) {
        const init = body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {};
        const answers = await Promise.all([
          other.client.send(method, `/campaigns/${id}${path}`, init),
          stage.own.client.send(method, `/campaigns/${new ObjectId()}${path}`, init),
          stage.own.client.send(method, `/campaigns/nothing${path}`, init),
          stage.own.client.send(method, `/campaigns/${gone}${path}`, init),
        ]);
        for (const answer of answers) {
          expect([answer.status, answer.body.error?.code], `${method} ${path}`).to.deep.equal([
            404,
            'CAMPAIGN_NOT_FOUND',
          ]);
          expect(answer.text).to.equal(answers[0]?.text);
        }
      }
      expect((await stage.get(id)).id).to.equal(id);
    });

    it('shows its lists as they are now until it begins', async () => {
      const growing = await stage.list(1, () => 'first@example.org');
      const id = await draft({ toLists: [growing] });
      await stage.own.client.post('/contact-lists/contacts/bulk-add', {
        contactListId: growing,
        emails: ['second@example.org'],
      });
      expect((await stage.get(id)).toLists[0].contactCount).to.equal(2);
      const begun = await inStatus('sending');
      expect((await stage.get(begun)).toLists[0].contactCount).to.equal(3);
    });

    it('lists by status and by part of the name, newest first, a page at a time', async () => {
      const first = await draft({ name: 'Needle (one)' });
      // Ids differ by seconds, so the second one is made in another.
      await sleep(1_100);
      const second = await draft({ name: 'needle (two)' });
      const found = (await stage.own.client.get('/campaigns?search=NEEDLE%20(&status=draft&limit=1')).body.data;
      expect(found.pagination).to.deep.equal({ page: 1, limit: 1, total: 2, pages: 2 });
      expect(found.campaigns.map(({ id }: { id: string }) => id)).to.deep.equal([second]);
      const rest = (await stage.own.client.get('/campaigns?search=NEEDLE%20(&limit=1&page=2')).body.data;
      expect(rest.campaigns.map(({ id }: { id: string }) => id)).to.deep.equal([first]);
      expect(
        (await stage.own.client.get('/campaigns?status=aborted&search=needle')).body.data.pagination.total,
      ).to.equal(0);
      expect((await stage.own.client.get('/campaigns?status=nothing')).status).to.equal(400);
    });

    it('one that an earlier version stored has no audience of another campaign, and can be copied, before setup and after it', async () => {
      const id = await draft({ toLists: [list] });
      const { deps } = stage.environment;
      const of = { _id: new ObjectId(id), projectId: stage.own.project._id };
      await deps.db.campaigns.updateOne(of, { $unset: { audience: 1 } });
      const copied = async () => (await stage.own.client.post(`/campaigns/${id}/duplicate`, {})).body.data.audience;
      expect(await copied()).to.equal(null);
      expect(await carryOverCampaigns(deps, stage.own.project)).to.include({ campaigns: 2 });
      expect(await carryOverCampaigns(deps, stage.own.project)).to.include({ campaigns: 0 });
      expect((await stored(id)).audience).to.equal(null);
      expect(await copied()).to.equal(null);
    });

    it('a copy is a draft with the same content, audience and plan, and nothing of what happened', async () => {
      const id = await draft({
        name: 'Model',
        toLists: [list],
        excludeLists: [segment],
        gradual: plan,
        sendRatePerSecond: 3,
      });
      await stage.environment.deps.db.campaigns.updateOne(
        { _id: new ObjectId(id) },
        { $set: { status: 'sent', sentAt: new Date(), 'gradual.day': 3, 'gradual.releasedUpTo': 9, 'counts.sent': 5 } },
      );
      const answer = await stage.own.client.post(`/campaigns/${id}/duplicate`);
      expect(answer.status).to.equal(201);
      const { data } = answer.body;
      expect(data).to.include({
        name: 'Copy of Model',
        status: 'draft',
        sentAt: null,
        sendMode: 'gradual',
        sendRatePerSecond: 3,
      });
      expect(data.metrics.sent).to.equal(0);
      expect(data.gradual).to.include({ ...plan, day: 0, startAt: null });
      expect([data.toLists[0].id, data.excludeLists[0].id]).to.deep.equal([list, segment]);
      expect((await stored(data.id)).gradual?.releasedUpTo).to.equal(0);
    });

    it('a template that a draft or a scheduled campaign uses cannot be deleted', async () => {
      const saved = await stage.own.client.post('/templates', { templateName: 'Held', emailTemplate: '<p>Held</p>' });
      const { templateId } = saved.body.data;
      const { body } = await stage.create({ name: 'Holds its template', templateId, htmlTemplate: undefined });
      const path = `/templates/${templateId}`;
      const refused = await stage.own.client.delete(path);
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(refused.body.error.message).to.contain('Holds its template');
      await stage.own.client.delete(`/campaigns/${body.data.id}`);
      expect((await stage.own.client.delete(path)).status).to.equal(200);
    });

    it('a template of a campaign that is paused before its start cannot be deleted until the campaign has begun, or is over', async () => {
      const of = async (field: 'templateId' | 'variants') => {
        const saved = await stage.own.client.post('/templates', { templateName: field, emailTemplate: '<p>Held</p>' });
        const { templateId } = saved.body.data;
        const mail = field === 'templateId' ? { templateId, htmlTemplate: undefined } : {};
        const variants = [{ templateId, share: 50 }, { share: 50 }];
        const fields = field === 'variants' ? { variants } : {};
        const { body, text } = await stage.create({ toLists: [list], scheduledAt: inAnHour(), ...mail, ...fields });
        expect(body.success, text).to.equal(true);
        const id: string = body.data.id;
        expect((await stage.act(id, 'pause')).body.data.status).to.equal('paused');
        return { id, remove: () => stage.own.client.delete(`/templates/${templateId}`) };
      };
      for (const field of ['templateId', 'variants'] as const) {
        const { id, remove } = await of(field);
        const refused = await remove();
        expect([refused.status, refused.body.error?.code], field).to.deep.equal([409, 'INVALID_STATE']);
        expect(refused.body.error.message).to.contain('(paused)');
        expect((await stage.act(id, 'resume')).body.data.status).to.equal('scheduled');
        await stage.act(id, 'pause');
        await stage.act(id, 'abort');
        expect((await remove()).status).to.equal(200);
      }
      const { id, remove } = await of('templateId');
      await stage.deps.db.campaigns.updateOne(
        { _id: new ObjectId(id), projectId: stage.own.project._id },
        { $set: { startedAt: new Date() } },
      );
      expect((await remove()).status).to.equal(200);
    });
  });

  describe('PATCH', () => {
    it('takes every field of creation in a draft, and publishes it', async () => {
      const id = await draft({ from: undefined });
      const changed = await patch(id, {
        name: 'New name',
        subject: 'New subject',
        previewText: 'New preview',
        from: { email: SENDER },
        replyTo: 'new@example.org',
        toLists: [list],
        excludeLists: [segment],
        sendToGlobalList: true,
        maxLatenessMinutes: 5,
        thresholdPreset: 'aggressive',
        sendRatePerSecond: 9,
        trackingClick: false,
        trackingOpen: false,
      });
      expect(changed.status, changed.text).to.equal(200);
      expect(changed.body.data).to.include({
        ...{
          status: 'draft',
          name: 'New name',
          subject: 'New subject',
          previewText: 'New preview',
          replyTo: 'new@example.org',
        },
        ...{ sendToGlobalList: true, maxLatenessMinutes: 5, thresholdPreset: 'aggressive', sendRatePerSecond: 9 },
        ...{ trackingClick: false, trackingOpen: false, sendMode: 'immediate' },
      });
      expect((await patch(id, { from: { name: 'Only the name' } })).body.data.from).to.deep.equal({
        email: SENDER,
        name: 'Only the name',
      });
      const at = inAnHour();
      expect((await patch(id, { scheduledAt: at })).body.data).to.include({
        status: 'scheduled',
        sendMode: 'scheduled',
        scheduledAt: at,
      });
      expect((await patch(id, { name: 'Still scheduled' })).body.data).to.include({
        status: 'scheduled',
        scheduledAt: at,
      });
      expect((await patch(id, { publish: false })).body.data).to.include({ status: 'draft', scheduledAt: at });
      expect((await patch(id, { publish: true })).body.data).to.include({ status: 'scheduled', scheduledAt: at });
      expect((await patch(id, { sendNow: true })).body.data).to.include({
        status: 'scheduled',
        sendMode: 'immediate',
        scheduledAt: null,
      });
      expect((await patch(id, { subject: 'x', toLists: [], sendToGlobalList: false })).body.error.details).to.contain(
        'toLists',
      );
    });

    it('a time that was kept and has passed is not published', async () => {
      const id = await draft({ toLists: [list], publish: false, scheduledAt: inAnHour() });
      stage.environment.clock.advance(2 * 3_600_000);
      try {
        const { status, body } = await patch(id, { publish: true });
        expect([status, body.error.details]).to.deep.equal([400, 'scheduledAt: is more than a minute in the past']);
      } finally {
        stage.environment.clock.advance(-2 * 3_600_000);
      }
    });

    it('while it is under way takes only the rate and the plan', async () => {
      for (const status of ['sending', 'sending_gradual', 'paused'] as const) {
        const isGradual = status !== 'sending';
        const gradual = {
          ...plan,
          startAt: null,
          day: 2,
          calendarDay: '2026-01-02',
          releasedToday: 4,
          dayStartedAt: null,
          releasedUpTo: 5,
        };
        const id = await inStatus(
          status,
          isGradual ? { sendMode: 'gradual', gradual: gradual as Campaign['gradual'] } : {},
        );
        expect((await patch(id, { sendRatePerSecond: 5 })).body.data.sendRatePerSecond).to.equal(5);
        expect((await patch(id, { sendRatePerSecond: null })).body.data.sendRatePerSecond).to.equal(null);
        const refused = await patch(id, { name: 'x', sendRatePerSecond: 6 });
        expect([refused.status, refused.body.error.code, refused.body.error.details]).to.deep.equal([
          409,
          'INVALID_STATE',
          'name: cannot be changed now',
        ]);
        const replanned = await patch(id, { gradual: { ...plan, emailsPerDay: 1_000 } });
        if (isGradual) {
          expect(replanned.body.data.gradual).to.include({ emailsPerDay: 1_000, day: 2, sentToday: 4 });
          expect((await stored(id)).gradual).to.include({ releasedUpTo: 5, calendarDay: '2026-01-02' });
          expect((await patch(id, { gradual: null })).status).to.equal(400);
        } else expect([replanned.status, replanned.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
        expect(await startsOf(id), 'signals to the run').to.equal(isGradual ? 3 : 2);
      }
    });

    it('calls at the same moment all hold, one after the other', async () => {
      const id = await draft();
      const answers = await Promise.all([
        patch(id, { name: 'A' }),
        patch(id, { subject: 'B' }),
        patch(id, { previewText: 'C' }),
        patch(id, { thresholdPreset: 'aggressive' }),
      ]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      expect(await stage.get(id)).to.include({
        name: 'A',
        subject: 'B',
        previewText: 'C',
        thresholdPreset: 'aggressive',
      });
    });
  });

  it('follows the table of states; what does not fit is 409 and names both', async () => {
    const all: CampaignStatus[] = [
      'draft',
      'scheduled',
      'sending',
      'sending_gradual',
      'paused',
      'sent',
      'failed',
      'aborted',
    ];
    const table: Record<string, Partial<Record<CampaignStatus, string>>> = {
      pause: { scheduled: 'paused', sending: 'paused', sending_gradual: 'paused' },
      resume: { paused: 'sending' },
      abort: { scheduled: 'aborted', sending: 'aborted', sending_gradual: 'aborted', paused: 'aborted' },
      retry: { sent: 'sending', failed: 'sending' },
    };
    for (const [action, moves] of Object.entries(table))
      for (const status of all) {
        const id = await inStatus(status);
        const body = action === 'retry' ? { states: ['failed'] } : undefined;
        const answer = await stage.own.client.post(`/campaigns/${id}/${action}`, body);
        const to = moves[status];
        if (to) {
          expect(answer.body.data, `${action} ${status} ${answer.text}`).to.deep.include({
            status: to,
            progress: { sent: 0, inFlight: 0, remaining: 0, nextAt: null },
          });
          if (to === 'paused') expect(answer.body.data).to.include({ pausedReason: 'Paused by a call.' });
          if (to === 'paused') expect(answer.body.data.pausedAt).to.be.a('string');
          if (to === 'aborted') expect(answer.body.data.abortedAt).to.be.a('string');
          if (action === 'resume') expect(answer.body.data.resumedAt).to.be.a('string');
        } else {
          expect([answer.status, answer.body.error?.code], `${action} ${status}`).to.deep.equal([409, 'INVALID_STATE']);
          expect(answer.body.error.message).to.contain(status);
          expect((await stored(id)).status).to.equal(status);
        }
      }
    for (const status of all) {
      const answer = await stage.own.client.delete(`/campaigns/${await inStatus(status)}`);
      const mayGo = ['draft', 'scheduled', 'sent', 'failed', 'aborted'].includes(status);
      expect(answer.status, `delete ${status}`).to.equal(mayGo ? 200 : 409);
    }
    for (const status of ['sent', 'failed', 'aborted'] as const) {
      const answer = await patch(await inStatus(status), { name: 'x' });
      expect([answer.status, answer.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    }
  });

  it('paused before its time, it keeps the time when it is resumed; one that missed it starts at once, or when PATCH says', async () => {
    const at = inAnHour();
    const early = (await stage.create({ toLists: [list], scheduledAt: at })).body.data.id;
    await stage.own.client.post(`/campaigns/${early}/pause`);
    const resumed = await stage.own.client.post(`/campaigns/${early}/resume`);
    expect(resumed.body.data).to.deep.include({
      status: 'scheduled',
      progress: { sent: 0, inFlight: 0, remaining: 0, nextAt: at },
    });

    const missed = { startedAt: null, startsAt: new Date(Date.now() - 7_200_000) };
    const late = await inStatus('paused', missed);
    expect((await patch(late, { scheduledAt: new Date(Date.now() - 120_000).toISOString() })).status).to.equal(400);
    expect((await patch(late, { scheduledAt: at })).body.data).to.include({ status: 'paused', scheduledAt: at });
    expect((await stage.own.client.post(`/campaigns/${late}/resume`)).body.data.progress.nextAt).to.equal(at);
    const now = await inStatus('paused', missed);
    await stage.own.client.post(`/campaigns/${now}/resume`);
    expect((await stored(now)).startsAt?.getTime()).to.be.closeTo(Date.now(), 60_000);
  });

  it('analytics (1) answers what is stored, with 0 wherever tracking is off, and attempted as far as a gradual one has come', async () => {
    const counts = {
      totalContacts: 1_000,
      suppressed: 30,
      failed: 20,
      sent: 600,
      unknown: 10,
      pending: 340,
      bounced: 45,
    };
    const engaged = { opened: 300, humanOpened: 123, clicked: 77, unsubscribed: 5, spamReported: 1 };
    const refreshedAt = new Date();
    const stand: Partial<Campaign> = { counts: { ...counts, ...engaged }, refreshedAt };
    const rates = (delivered: number, attempted: number) => {
      const share = (part: number, base: number) => Math.round((part / base) * 10_000) / 100;
      return {
        openRate: share(300, delivered),
        clickRate: share(77, delivered),
        bounceRate: share(45, 600),
        unsubscribedRate: share(5, delivered),
        complaintRate: share(1, delivered),
        successRate: share(600, attempted),
        deliveryRate: share(delivered, 600),
        trueOpenRate: share(123, delivered),
      };
    };
    const analytics = async (id: string) => (await stage.own.client.get(`/campaigns/${id}/analytics`)).body.data;
    const whole = await analytics(await inStatus('sending', stand));
    expect(whole).to.include({ status: 'sending', sentAt: null, refreshedAt: refreshedAt.toISOString() });
    expect(whole.counts).to.deep.equal({ ...counts, ...engaged, attempted: 950, delivered: 555 });
    expect(whole.rates).to.deep.equal(rates(555, 950));
    expect(whole.tracking).to.deep.equal({ open: true, click: true });
    const gradual = { sendMode: 'gradual' as const, ...stand };
    for (const status of ['sending_gradual', 'paused'] as const)
      expect((await analytics(await inStatus(status, gradual))).counts.attempted).to.equal(610);
    expect((await analytics(await inStatus('sent', gradual))).counts.attempted).to.equal(950);
    const blind = await analytics(await inStatus('sent', { ...stand, trackingOpen: false, trackingClick: false }));
    expect(blind.counts).to.include({ opened: 0, humanOpened: 0, clicked: 0, unsubscribed: 5, spamReported: 1 });
    expect(blind.rates).to.include({ openRate: 0, trueOpenRate: 0, clickRate: 0 });
    expect(blind.tracking).to.deep.equal({ open: false, click: false });
    const never = await analytics(await draft());
    expect([never.refreshedAt, ...Object.values(never.rates)].every((value) => value === null || value === 0)).to.equal(
      true,
    );
  });
});
