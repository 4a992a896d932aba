// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { parseId } from '../../core/base/ids.ts';
import { freezeAudience } from '../../core/campaigns/run/freeze.ts';
import { takeBackUnsubscribe } from '../../core/consent/suppressions/suppressions.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { SENDER } from '../delivery/support.ts';
import { useEnvironment } from '../support/environment.ts';

const HTML = '<p>Hi <a href="{{unsubscribe}}">leave</a></p>';

interface Group {
  groupId: string;
  isGlobal: boolean;
  isDefault: boolean;
  isMarketing: boolean;
  suppressionCount: number;
}

describe('The marketing group', () => {
  const environment = useEnvironment();
  before(() => seedVerifiedDomain(environment.deps, environment.own.project, SENDER.split('@')[1]!, new ObjectId()));
  const client = () => environment.own.client;
  const suppress = (body: object) => client().post('/suppression-groups/emails/suppress', body);
  const search = async (body: object) => (await client().post('/suppression-groups/entries', body)).body.data.entries;
  const groups = async (): Promise<Group[]> => (await client().get('/suppression-groups')).body.data.groups;
  const marketing = async () => (await groups()).find(({ isMarketing }) => isMarketing)!;
  const make = async (path: string, body: object) => {
    const { status, text, body: answer } = await client().post(path, body);
    expect(status, text).to.be.oneOf([200, 201]);
    return answer.data;
  };
  const mail = () => ({ from: { email: SENDER }, subject: 'S', html: HTML });

  it('is chosen by isMarketing or by its code, and counts its entries', async () => {
    const { groupId, suppressionCount } = await marketing();
    await suppress({ emails: ['flag@example.com'], isMarketing: true });
    await suppress({ emails: ['code@example.com'], groupId, reason: 'UNSUBSCRIBE' });
    const entries = await search({ isMarketing: true });
    const shown = entries.map(({ email, reason, isMarketing, isGlobal, exceptGroupIds }: Record<string, unknown>) => [
      ...[email, reason, isMarketing, isGlobal, exceptGroupIds],
    ]);
    expect(shown).to.have.deep.members([
      ['flag@example.com', 'MANUAL', true, false, []],
      ['code@example.com', 'UNSUBSCRIBE', true, false, []],
    ]);
    expect((await marketing()).suppressionCount).to.equal(suppressionCount + 2);
    const release = { emails: ['flag@example.com', 'code@example.com'], isMarketing: true };
    expect(await make('/suppression-groups/emails/unsuppress', release)).to.deep.equal({ unsuppressed: 2 });
  });

  it('refuses another choice together with isMarketing, and names the field', async () => {
    const { groupId } = await marketing();
    for (const [choice, field] of [
      [{ groupId, isMarketing: true }, 'groupId'],
      [{ isGlobal: true, isMarketing: true }, 'isMarketing'],
    ] as const) {
      const { status, body } = await suppress({ emails: ['both@example.com'], ...choice });
      expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.match(new RegExp(`^${field}: `));
    }
    expect(await search({ email: 'both@example.com' })).to.deep.equal([]);
    expect(await search({ isGlobal: true, isMarketing: true })).to.deep.equal([]);
  });

  it('is named by no mail, campaign, automation or form', async () => {
    const { groupId } = await marketing();
    const { id: listId } = await make('/contact-lists', { name: 'Named by a form' });
    const named = { unsubscribeGroupId: groupId };
    const step = { type: 'email', email: { htmlTemplate: HTML, subject: 'S' } };
    const automation = { name: 'A', steps: [{ type: 'wait', delay: { value: 0, unit: 'minutes' } }, step] };
    const form = { name: 'F', listIds: [listId] };
    const calls: [path: string, body: object, field: string][] = [
      ['/mails/send', { ...mail(), to: { email: 'a@example.com' }, ...named }, 'unsubscribeGroupId'],
      ['/mails/bulk', { ...mail(), recipients: [{ email: 'a@example.com' }], ...named }, 'unsubscribeGroupId'],
      ['/campaigns', { name: 'C', subject: 'S', htmlTemplate: HTML, publish: false, ...named }, 'unsubscribeGroupId'],
      ['/automations', { ...automation, ...named }, 'unsubscribeGroupId'],
      ['/forms', { ...form, unsubscribeGroupIds: [groupId] }, 'unsubscribeGroupIds'],
    ];
    for (const [path, body, field] of calls) {
      const { status, body: answer, text } = await client().post(path, body);
      expect([status, answer.error?.code], `${path} ${text}`).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(answer.error.details, path).to.contain(`${field}: must not be the marketing group`);
      const { [Object.keys(named)[0]!]: _, unsubscribeGroupIds: __, ...without } = body as Record<string, unknown>;
      expect((await client().post(path, without)).status, `${path} without it`).to.be.oneOf([200, 201]);
    }
  });

  it('stops a send of every group and of none, and no receipt; what the person turned on is sent', async () => {
    const [news, offers] = [
      await make('/suppression-groups', { name: 'N' }),
      await make('/suppression-groups', { name: 'O' }),
    ];
    const email = 'gone@example.com';
    await suppress({ emails: [email], isMarketing: true, reason: 'UNSUBSCRIBE' });
    const template = await make('/templates', {
      ...{ templateName: 'T', emailTemplate: HTML, subject: 'S', templateType: 'marketing' },
    });
    const options = {
      news: { unsubscribeGroupId: news.groupId },
      offers: { unsubscribeGroupId: offers.groupId },
      none: { templateId: template.templateId },
      receipt: {},
    };
    const statuses = async () => {
      const found: Record<string, string> = {};
      for (const [name, option] of Object.entries(options)) {
        const { emailId } = await make('/mails/send', { ...mail(), to: { email }, ...option });
        found[name] = (await client().get(`/emails/${emailId}`)).body.data.status;
      }
      return found;
    };
    expect(await statuses()).to.deep.equal({
      ...{ news: 'suppressed', offers: 'suppressed', none: 'suppressed', receipt: 'queued' },
    });
    const projectId = environment.own.project._id;
    const stored = await environment.deps.db.suppressionGroups.findOne({ projectId, groupId: news.groupId });
    await takeBackUnsubscribe(environment.deps, stored!, email);
    expect(await statuses()).to.deep.equal({
      ...{ news: 'queued', offers: 'suppressed', none: 'suppressed', receipt: 'queued' },
    });
    const ofDefault = await environment.deps.db.suppressionGroups.findOne({ projectId, isDefault: true });
    await takeBackUnsubscribe(environment.deps, ofDefault!, email);
    expect(await statuses()).to.include({ offers: 'suppressed', none: 'queued' });
    const [entry] = await search({ email });
    expect(entry.exceptGroupIds).to.deep.equal([news.groupId, ofDefault!.groupId]);
    const { groups: left } = (
      await client().get(`/contacts/${(await make('/contacts/email', { email })).id}/unsubscribe-groups`)
    ).body.data;
    expect(left.map(({ isMarketing }: Group) => isMarketing)).to.deep.equal([true]);
  });

  it('is counted by the preview of an audience as the freeze decides, exceptions included', async () => {
    const tenant = await environment.newTenant('Counted');
    const { client: own, project } = tenant;
    const news = (await own.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    const emails = Array.from({ length: 60 }, (_, index) => `p${index}@example.org`);
    const { id: listId } = (await own.post('/contact-lists', { name: 'L' })).body.data;
    await own.post('/contact-lists/contacts/bulk-add', { contactListId: listId, emails });
    const everyone = { isMarketing: true, reason: 'UNSUBSCRIBE' };
    await own.post('/suppression-groups/emails/suppress', { emails: emails.slice(0, 30), ...everyone });
    await own.post('/suppression-groups/emails/suppress', { emails: emails.slice(25, 35), groupId: news });
    const manual = { emails: emails.slice(0, 3), isMarketing: true, reason: 'MANUAL' };
    await own.post('/suppression-groups/emails/suppress', manual);
    const group = await environment.deps.db.suppressionGroups.findOne({ projectId: project._id, groupId: news });
    for (const email of emails.slice(0, 20)) await takeBackUnsubscribe(environment.deps, group!, email);
    // Of News: three that are excepted but stopped by hand, 20 to 29 by everything off, 25 to 34 by the group.
    for (const [unsubscribeGroupId, suppressed] of [
      [news, 18],
      [null, 30],
    ] as const) {
      const audience = { toLists: [listId], unsubscribeGroupId };
      const { body } = await own.post('/campaigns/audience', audience);
      expect(body.data, String(unsubscribeGroupId)).to.deep.equal({
        ...{ total: 60, suppressed, willReceive: 60 - suppressed, isExact: true },
      });
      const { id } = (
        await own.post('/campaigns', { name: 'C', subject: 'S', htmlTemplate: HTML, publish: false, ...audience })
      ).body.data;
      const named = { _id: parseId(id)!, projectId: project._id };
      const campaign = await environment.deps.db.campaigns.findOne(named);
      await freezeAudience(environment.deps, campaign!, { signal: new AbortController().signal, onProgress() {} });
      const after = await environment.deps.db.campaigns.findOne(named);
      const { total, inBlocks } = after!.freeze!.frozen!;
      expect(total - inBlocks, 'frozen').to.equal(suppressed);
    }
  });
});
