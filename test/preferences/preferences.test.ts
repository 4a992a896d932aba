// Promise: who left is not mailed.
import { expect } from 'chai';
import type { Suppression } from '../../core/consent/suppressions/model.ts';
import { suppress } from '../../core/consent/suppressions/suppressions.ts';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { bareCampaign, engagementWith, refOf, sentMessage } from '../feedback/support.ts';
import { imported } from '../imports/support.ts';
import type { Client } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('The preference page', () => {
  const environment = useEnvironment({ PUBLIC_RATE_LIMIT: '100000' });
  let tenant: Tenant;
  let visitor: Client;
  beforeEach(async () => {
    tenant = await environment.newTenant('Own');
    visitor = environment.client(null);
  });

  const make = async (path: string, body: object) => (await tenant.client.post(path, body)).body.data;
  const entries = async (email: string) => {
    const filter = { projectId: tenant.project._id, email };
    const found = await environment.deps.db.suppressions.find(filter).toArray();
    const nameOf = ({ groupId, isDefault, isMarketing }: Suppression) =>
      isDefault ? 'default' : isMarketing ? 'marketing' : groupId;
    return new Map(found.map((entry) => [nameOf(entry), entry]));
  };
  const reasons = async (email: string) => [...(await entries(email))].map(([group, { reason }]) => [group, reason]);
  const listsOf = async (email: string): Promise<string[]> =>
    (await environment.deps.db.contacts.findOne({ projectId: tenant.project._id, email }))!.listIds.map(String);
  const defaultGroup = async () =>
    (await tenant.client.get('/suppression-groups')).body.data.groups.find(
      (group: { isDefault: boolean }) => group.isDefault,
    );

  /** A contact who is in `listIds`, and the page of a mail to them. */
  async function mailed({ groupId = null, listIds = [] }: { groupId?: string | null; listIds?: string[] } = {}) {
    const campaign = await bareCampaign(environment, tenant, { unsubscribeGroupId: groupId });
    const message = await sentMessage(environment, tenant, { campaignId: campaign._id, subject: 'Spring <b>news' });
    const { email } = message;
    const contact = await make('/contacts/email', { email, listIds });
    const token = unsubscribeToken(environment.deps.config, { ...refOf(message), groupId, email });
    return { email, contact, message, path: `/p/${token}`, token };
  }

  const send = (path: string, fields: Record<string, string>, headers = {}) =>
    visitor.send('POST', path, { body: new URLSearchParams(fields).toString(), headers: { ...FORM, ...headers } });
  /** As a browser does after the boxes were set so: the hidden field of each box, and the box itself when it is checked. */
  async function choose(path: string, set: Record<string, boolean>, more: Record<string, string> = {}) {
    const page = (await visitor.get(path)).text;
    const body = new URLSearchParams();
    for (const [, name = ''] of page.matchAll(/type="hidden" name="([^"]+)"/g)) {
      body.append(name, 'off');
      const isOn = set[name] ?? page.includes(`type="checkbox" name="${name}" value="on" checked`);
      if (isOn) body.append(name, 'on');
    }
    const language = /<option value="(\w+)"[^>]* selected/.exec(page)?.[1];
    for (const [name, value] of Object.entries({ ...(language ? { language } : {}), ...more, action: 'save' }))
      body.set(name, value);
    const saved = await visitor.send('POST', path, { body: body.toString(), headers: FORM });
    expect(saved.status, saved.text).to.equal(200);
    return saved.text;
  }
  const isChecked = (page: string, name: string) => {
    const box = new RegExp(`<input type="checkbox" name="${name.replaceAll('.', '\\.')}" value="on"( checked)?>`).exec(
      page,
    );
    return box ? box[1] !== undefined : null;
  };

  it('shows public lists and groups with their state, the group of the mail, and nothing that is private', async () => {
    const open = await make('/contact-lists', { name: 'Weekly <news>', description: 'Each "Monday"', isPublic: true });
    const other = await make('/contact-lists', { name: 'Monthly', isPublic: true });
    const hidden = await make('/contact-lists', { name: 'Big spenders' });
    const offers = await make('/suppression-groups', { name: 'Offers', isPublic: true });
    await make('/suppression-groups', { name: 'Internal' });
    const own = await make('/suppression-groups', { name: 'Digest' });
    const { path, email, contact } = await mailed({ groupId: own.groupId, listIds: [open.id, hidden.id] });
    const page = await visitor.get(path);
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-security-policy')).to.contain("form-action 'self'");
    expect(page.headers.get('x-robots-tag')).to.equal('noindex');
    const { text } = page;
    expect(isChecked(text, `list.${open.id}`)).to.equal(true);
    expect(isChecked(text, `list.${other.id}`)).to.equal(false);
    expect(isChecked(text, `group.${offers.groupId}`)).to.equal(true);
    expect(isChecked(text, `group.${own.groupId}`)).to.equal(true);
    expect(text)
      .to.contain('Weekly &lt;news&gt;')
      .and.contain('Each &quot;Monday&quot;')
      .and.contain('Spring &lt;b&gt;news');
    for (const secret of ['Big spenders', 'Internal', hidden.id, email, contact.id, 'Bare', '<script'])
      expect(text, secret).to.not.contain(secret);
    expect(text).to.contain('p•••@e•••.com');
    expect(isChecked(text, `group.${(await defaultGroup()).groupId}`)).to.equal(null);
  });

  it('changes nothing by GET and HEAD, however often, and its unsubscribe page leads to it', async () => {
    const list = await make('/contact-lists', { name: 'Weekly', isPublic: true });
    const { path, email, token } = await mailed({ listIds: [list.id] });
    for (const query of ['', '?action=everything-off', `?action=save&list.${list.id}=off`])
      for (let count = 0; count < 3; count += 1) {
        expect((await visitor.get(`${path}${query}`)).status).to.equal(200);
        await visitor.send('HEAD', `${path}${query}`);
      }
    expect(await reasons(email)).to.deep.equal([]);
    expect(await listsOf(email)).to.deep.equal([list.id]);
    expect((await visitor.get(`/u/${token}`)).text).to.contain(`href="../p/${token}"`);
  });

  it('adds to lists and removes from them as the boxes say, with a record of the consent', async () => {
    const left = await make('/contact-lists', { name: 'Left', isPublic: true });
    const joined = await make('/contact-lists', { name: 'Joined', description: 'Twice a year', isPublic: true });
    const kept = await make('/contact-lists', { name: 'Private' });
    const { path, email, contact } = await mailed({ listIds: [left.id, kept.id] });
    const page = await choose(path, { [`list.${left.id}`]: false, [`list.${joined.id}`]: true });
    expect(page).to.contain('Your choice is saved').and.contain('role="status"');
    expect([isChecked(page, `list.${left.id}`), isChecked(page, `list.${joined.id}`)]).to.deep.equal([false, true]);
    expect(await listsOf(email)).to.have.members([kept.id, joined.id]);
    await choose(path, {});
    expect(await listsOf(email), 'the same again').to.have.members([kept.id, joined.id]);

    const consents = await environment.deps.db.consents.find({ projectId: tenant.project._id }).toArray();
    expect(consents).to.have.length(1);
    expect(consents[0]).to.include({ email, source: 'page', text: 'Lists: Joined (Twice a year)' });
    expect(consents[0]!.listIds!.map(String)).to.deep.equal([joined.id]);
    expect(String(consents[0]!.contactId)).to.equal(contact.id);
    expect(consents[0]!.networkAddress).to.match(/\/24$|\/48$/);
    expect((await visitor.get(path)).text).to.contain('your consent was recorded: “Lists: Joined (Twice a year)”');
  });

  it('leaves lists that were not shown as they are: private ones, segments, and those of another project', async () => {
    const shown = await make('/contact-lists', { name: 'Shown', isPublic: true });
    const hidden = await make('/contact-lists', { name: 'Hidden' });
    const inside = await make('/contact-lists', { name: 'Inside' });
    const theirs = (await environment.other.client.post('/contact-lists', { name: 'x', isPublic: true })).body.data;
    const { path, email } = await mailed({ listIds: [shown.id, inside.id] });
    const fields = { [`list.${hidden.id}`]: 'on', [`list.${theirs.id}`]: 'on', [`list.${inside.id}`]: 'off' };
    const { status } = await send(path, {
      ...fields,
      'list.': 'on',
      'list.GLOBAL_CONTACT_LIST': 'off',
      action: 'save',
    });
    expect(status).to.equal(200);
    expect(await listsOf(email)).to.deep.equal([shown.id, inside.id]);
  });

  it('turns groups off and on, and takes back no more than what the person said', async () => {
    const offers = await make('/suppression-groups', { name: 'Offers', isPublic: true });
    const digest = await make('/suppression-groups', { name: 'Digest', isPublic: true });
    const blocked = await make('/suppression-groups', { name: 'Blocked', isPublic: true });
    const hidden = await make('/suppression-groups', { name: 'Hidden' });
    const { path, email, message } = await mailed({ groupId: digest.groupId });
    const stop = (groupId: string, reason: 'MANUAL' | 'COMPLAINT' | 'BOUNCE' | 'UNSUBSCRIBE') =>
      suppress(environment.deps, tenant.project._id, { emails: [email], groupId, reason });
    await stop(blocked.groupId, 'MANUAL');
    await stop(hidden.groupId, 'UNSUBSCRIBE');

    const off = await choose(path, { [`group.${offers.groupId}`]: false, [`group.${digest.groupId}`]: false });
    expect([isChecked(off, `group.${offers.groupId}`), isChecked(off, `group.${digest.groupId}`)]).to.deep.equal([
      false,
      false,
    ]);
    expect(off).to.contain('type="checkbox" disabled><span>Blocked');
    const stored = await entries(email);
    for (const group of [offers, digest]) {
      expect(stored.get(group.groupId)).to.include({ reason: 'UNSUBSCRIBE', isGlobal: false });
      expect(stored.get(group.groupId)!.evidence).to.equal(`preference page, email ${message._id.toHexString()}`);
    }
    expect((await engagementWith(environment, message, 'unsubscribedAt'))?.unsubscribedAt).to.be.instanceOf(Date);

    await stop(offers.groupId, 'BOUNCE');
    const forced = { [`group.${blocked.groupId}`]: 'on', [`group.${hidden.groupId}`]: 'on' };
    await choose(path, { [`group.${offers.groupId}`]: true, [`group.${digest.groupId}`]: true }, forced);
    expect(await reasons(email)).to.have.deep.members([
      [blocked.groupId, 'MANUAL'],
      [hidden.groupId, 'UNSUBSCRIBE'],
      [offers.groupId, 'BOUNCE'],
    ]);
  });

  it('turns all marketing mail off, and of that on again only what is chosen, until everything is off again', async () => {
    const list = await make('/contact-lists', { name: 'Weekly', isPublic: true });
    const kept = await make('/contact-lists', { name: 'Customers' });
    const open = await make('/suppression-groups', { name: 'Offers', isPublic: true });
    const { path, email, message } = await mailed({ listIds: [list.id, kept.id], groupId: open.groupId });
    const off = await send(path, { action: 'everything-off' });
    expect(off.text).to.contain('You are unsubscribed from everything').and.to.not.contain(' checked');
    expect(await reasons(email)).to.deep.equal([['marketing', 'UNSUBSCRIBE']]);
    expect(await listsOf(email)).to.deep.equal([kept.id]);
    await engagementWith(environment, message, 'unsubscribedAt');
    const first = await entries(email);
    await send(path, { action: 'everything-off' });
    expect(await entries(email), 'the same again').to.deep.equal(first);

    const { groupId } = await defaultGroup();
    const excepted = async () => (await entries(email)).get('marketing')?.exceptGroupIds;
    await choose(path, { [`group.${open.groupId}`]: true });
    expect(await excepted()).to.deep.equal([open.groupId]);
    const later = await make('/suppression-groups', { name: 'Later', isPublic: true });
    const { text } = await visitor.get(path);
    const boxes = [open, { groupId }, later].map((group) => isChecked(text, `group.${group.groupId}`));
    expect(boxes, 'a group made later is off').to.deep.equal([true, false, false]);
    await choose(path, { [`group.${open.groupId}`]: false, [`group.${groupId}`]: true });
    expect(await excepted(), 'left again').to.deep.equal([groupId]);
    expect(await reasons(email)).to.have.deep.members([
      ['marketing', 'UNSUBSCRIBE'],
      [open.groupId, 'UNSUBSCRIBE'],
    ]);
    const nobody = await send(path, { action: 'everything-off' });
    expect(nobody.text).to.not.contain(' checked');
    expect(await excepted(), 'everything off again').to.equal(undefined);
  });

  it('after everything off, nothing but the person turns a group on: no import, no upsert, no call for the group', async () => {
    const open = await make('/suppression-groups', { name: 'Offers', isPublic: true });
    const { path, email } = await mailed({ groupId: open.groupId });
    await send(path, { action: 'everything-off' });
    const before = await entries(email);
    const { client } = tenant;
    await make('/contacts/email', { email, firstName: 'New' });
    for (const choice of [{ groupId: open.groupId }, {}])
      expect(
        (await client.post('/suppression-groups/emails/unsuppress', { emails: [email], ...choice })).body.data,
      ).to.deep.equal({ unsuppressed: 0 });
    await imported(environment, tenant, `email,status,groups\n${email},subscribed,Offers\n`);
    expect(await entries(email)).to.deep.equal(before);
    await choose(path, { [`group.${open.groupId}`]: true });
    const again = { emails: [email], isMarketing: true, reason: 'UNSUBSCRIBE' };
    await client.post('/suppression-groups/emails/suppress', again);
    expect((await entries(email)).get('marketing')?.exceptGroupIds).to.equal(undefined);
  });

  it('is harmless when it is sent twice at once, and when lists, groups and contact are deleted at the same time', async () => {
    const list = await make('/contact-lists', { name: 'Weekly', isPublic: true });
    const gone = await make('/contact-lists', { name: 'Gone', isPublic: true });
    const group = await make('/suppression-groups', { name: 'Offers', isPublic: true });
    const { path, email, contact } = await mailed();
    const fields = {
      [`list.${list.id}`]: 'on',
      [`list.${gone.id}`]: 'on',
      [`group.${group.groupId}`]: 'off',
      action: 'save',
    };
    const replies = await Promise.all([
      ...[1, 2, 3, 4].map(() => send(path, fields)),
      tenant.client.delete(`/contact-lists/${gone.id}`),
      ...[1, 2].map(() => send(path, { action: 'everything-off' })),
    ]);
    expect(replies.map(({ status }) => status)).to.deep.equal(replies.map(() => 200));
    await send(path, { ...fields, [`group.${group.groupId}`]: 'on' });
    // A job takes deleted lists out of contacts.
    expect((await listsOf(email)).filter((id) => id !== gone.id)).to.deep.equal([list.id]);
    const shown = await Promise.all([
      ...[1, 2, 3].map(() =>
        send(path, { [`list.${list.id}`]: 'off', [`group.${group.groupId}`]: 'off', action: 'save' }),
      ),
      tenant.client.delete(`/contacts/${contact.id}`),
      tenant.client.delete(`/suppression-groups/${group.groupId}`),
    ]);
    expect(shown.map(({ status }) => status)).to.deep.equal(shown.map(() => 200));
    const after = await send(path, { [`list.${list.id}`]: 'on', [`group.${group.groupId}`]: 'off', action: 'save' });
    expect(after.status).to.equal(200);
    expect(await environment.deps.db.contacts.countDocuments({ projectId: tenant.project._id, email })).to.equal(0);
  });

  it('lets a person without a contact leave groups alone, and makes no contact of them', async () => {
    const list = await make('/contact-lists', { name: 'Weekly', isPublic: true });
    const group = await make('/suppression-groups', { name: 'Offers', isPublic: true });
    const email = 'passer@example.net';
    const ref = refOf(await sentMessage(environment, tenant, { email }));
    const path = `/p/${unsubscribeToken(environment.deps.config, { ...ref, groupId: null, email })}`;
    const page = (await visitor.get(path)).text;
    expect(page).to.not.contain('Weekly').and.to.not.contain('<select');
    const fields = { [`list.${list.id}`]: 'on', language: 'de', [`group.${group.groupId}`]: 'off', action: 'save' };
    expect((await send(path, fields)).status).to.equal(200);
    expect(await reasons(email)).to.deep.equal([[group.groupId, 'UNSUBSCRIBE']]);
    expect(await environment.deps.db.contacts.countDocuments({ projectId: tenant.project._id, email })).to.equal(0);
  });

  it('writes the language that is chosen to the property of the project, and only when it changes', async () => {
    await environment
      .client(tenant.adminKey)
      .patch(`/account/projects/${tenant.project._id}`, { languageProperty: 'tongue' });
    const { path, contact } = await mailed();
    const propertiesOf = async () => (await tenant.client.get(`/contacts/${contact.id}`)).body.data.contactProperties;
    await choose(path, {}, { language: 'en' });
    expect(await propertiesOf()).to.deep.equal({});
    const page = await choose(path, {}, { language: 'fr' });
    expect(page).to.contain('<html lang="fr">').and.contain('Votre choix est enregistré');
    expect(await propertiesOf()).to.deep.equal({ tongue: 'fr' });
    await tenant.client.patch(`/contacts/${contact.id}`, { contactProperties: { tongue: 'de-AT' } });
    expect(await choose(path, {})).to.contain('<html lang="de">');
    expect(await propertiesOf()).to.deep.equal({ tongue: 'de-AT' });
    for (const language of ['xx', '', 'constructor', 'e'.repeat(9_000)]) await send(path, { language, action: 'save' });
    expect(await propertiesOf()).to.deep.equal({ tongue: 'de-AT' });
  });

  it('offers no language where the property of the project holds numbers', async () => {
    await make('/custom-fields', { fieldName: 'language', fieldType: 'number' });
    const { path, contact } = await mailed();
    expect((await visitor.get(path)).text).to.not.contain('<select');
    expect((await send(path, { language: 'de', action: 'save' })).status).to.equal(200);
    expect((await tenant.client.get(`/contacts/${contact.id}`)).body.data.contactProperties).to.deep.equal({});
  });

  it('says why the mail came: of a list since when, and since when the address is known', async () => {
    const list = await make('/contact-lists', { name: 'Weekly', isPublic: true });
    const { path, message } = await mailed({ listIds: [list.id] });
    const today = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
    const { text } = await visitor.get(path);
    expect(text).to.contain(
      `from the email “Spring &lt;b&gt;news” of ${today.format(message.sentAt)}. It was sent to many`,
    );
    expect(text).to.match(/You have been in the list “Weekly” since \w+ \d+, \d+\./);
    expect(text).to.match(/Own project has had your address since \w+ \d+, \d+\./);
    await environment.deps.db.messages.deleteOne({ _id: message._id, projectId: message.projectId });
    expect((await visitor.get(path)).text).to.contain('Nothing is stored about this email any more.');
  });

  it('refuses other actions and other bodies with 400 and 415, and changes nothing', async () => {
    const { path, email } = await mailed();
    for (const fields of [{}, { action: '' }, { action: 'all' }, { 'List-Unsubscribe': 'One-Click' }] as const)
      expect((await send(path, fields as Record<string, string>)).status).to.equal(400);
    const json = { body: '{"action":"everything-off"}', headers: { 'Content-Type': 'application/json' } };
    expect((await visitor.send('POST', path, json)).status).to.equal(415);
    expect(await reasons(email)).to.deep.equal([]);
  });

  it('is 404 for tokens that are not ours and for projects that are deleted', async () => {
    const { path, email } = await mailed();
    const foreign = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`;
    for (const bad of [foreign, '/p/guess', `/p/${'A'.repeat(4_000)}`]) {
      expect((await visitor.get(bad)).status).to.equal(404);
      const reply = await send(bad, { action: 'everything-off' });
      expect(reply.status).to.equal(404);
      expect(reply.text).to.contain('This link is not valid');
    }
    expect(await reasons(email)).to.deep.equal([]);
    const filter = { _id: tenant.project._id };
    await environment.deps.db.projects.updateOne(filter, { $set: { deletedAt: new Date() } });
    expect((await visitor.get(path)).status).to.equal(404);
    expect((await send(path, { action: 'everything-off' })).status).to.equal(404);
  });

  it('stays below 30 kB with 25 lists and 25 groups of long names', async () => {
    const name = 'A list with a name of ordinary length, and some more';
    const description = 'Each Monday, '.repeat(70);
    for (let count = 0; count < 25; count += 1) {
      await make('/contact-lists', { name: `${name} ${count}`, description, isPublic: true });
      await make('/suppression-groups', { name: `${name} ${count}`, description, isPublic: true });
    }
    const { path } = await mailed();
    const { text } = await visitor.get(path);
    expect(text.match(/type="checkbox"/g)).to.have.length(51);
    expect(Buffer.byteLength(text)).to.be.below(30_000);
  });
});
