import { expect } from 'chai';
import type { ObjectId } from 'mongodb';
import { publishedTemplate } from '../../core/templates/find.ts';
import { VERSIONS_KEPT } from '../../core/templates/versions.ts';
import { admin } from '../accounts/processes.ts';
import { type SignedIn, signIn } from '../accounts/signed-in.ts';
import { png } from '../providers/images.ts';
import { type Client, done, type Reply } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';

const html = (text: string) => `<p>${text}</p>`;

describe('The versions of a template', () => {
  const environment = useEnvironment();
  let key: Client;
  let author: SignedIn;
  let editor: SignedIn;
  before(async () => {
    key = environment.own.client;
    author = await signIn(environment, environment.own, 'author');
    editor = await signIn(environment, environment.own, 'editor');
  });
  const make = async (client = key, more: object = {}): Promise<string> =>
    (await done(client.post('/templates', { templateName: 'Welcome', emailTemplate: html('1'), ...more }))).templateId;
  const save = (client: Client, templateId: string, text: string, more: object = {}) =>
    client.patch(`/templates/${templateId}`, { emailTemplate: html(text), ...more });
  const draft = (templateId: string, text: string) => done(save(key, templateId, text, { draft: true }));
  const publish = (templateId: string, version: number, client = key) =>
    client.post(`/templates/${templateId}/publish`, { version });
  const restore = (templateId: string, body: object, client = key) =>
    client.post(`/templates/${templateId}/restore`, body);
  const shown = (templateId: string, query = '') => done(key.get(`/templates/${templateId}${query}`));
  /** Version, state and text of each, the newest first. */
  const listed = async (templateId: string) => {
    const { versions } = await done(key.get(`/templates/${templateId}/versions?limit=100`));
    return versions.map(({ version, state }: { version: number; state: string }) => `${version} ${state}`);
  };
  const refusalOf = ({ status, body }: Reply) => [status, body.error?.code];
  const CONFLICT = [409, 'INVALID_STATE'];
  const GONE = [404, 'TEMPLATE_VERSION_NOT_FOUND'];

  it('begin with the first, which is published at once', async () => {
    const templateId = await make();
    const fields = { version: 1, publishedVersion: 1, draftVersion: null, newestVersion: 1, isDraftOutdated: false };
    const first = await shown(templateId);
    expect(first).to.include(fields);
    expect(first.publishedAt).to.equal(first.createdAt);
    expect(await listed(templateId)).to.deep.equal(['1 published']);
    const { templates } = await done(key.get('/templates'));
    expect(templates.find((one: { templateId: string }) => one.templateId === templateId)).to.include(fields);
  });

  it('a draft changes nothing of what is published, until it is published', async () => {
    const templateId = await make();
    const saved = await draft(templateId, '2');
    expect(saved).to.include({ emailTemplate: html('2'), version: 2, publishedVersion: 1, draftVersion: 2 });
    expect(await shown(templateId)).to.include({ emailTemplate: html('1'), version: 1, draftVersion: 2 });
    expect(await shown(templateId, '?version=draft')).to.include({ emailTemplate: html('2'), version: 2 });
    expect(await listed(templateId)).to.deep.equal(['2 draft', '1 published']);
    // A draft is continued field by field.
    await done(key.patch(`/templates/${templateId}`, { draft: true, subject: 'Third' }));
    expect(await shown(templateId, '?version=draft')).to.include({ emailTemplate: html('2'), subject: 'Third' });
    const published = await done(publish(templateId, 3, editor.client));
    expect(published).to.include({
      emailTemplate: html('2'),
      subject: 'Third',
      publishedVersion: 3,
      draftVersion: null,
    });
    const answered = await shown(templateId, '?version=draft');
    expect(answered, 'no draft: what is published').to.include({ version: 3, draftVersion: null });
    const { versions } = await done(key.get(`/templates/${templateId}/versions`));
    const memberId = editor.member._id.toHexString();
    expect(versions[0]).to.include({ state: 'published', createdBy: null, publishedBy: memberId });
    expect(versions[0].publishedAt).to.equal(published.publishedAt);
    expect(versions[2]).to.include({ state: 'earlier', publishedAt: null });
  });

  it('each is shown by its number for good; an unknown one is 404, and a word is 400', async () => {
    const templateId = await make();
    for (const text of ['2', '3']) await done(save(key, templateId, text));
    for (const version of [1, 2, 3])
      expect(await shown(templateId, `?version=${version}`)).to.include({ emailTemplate: html(`${version}`), version });
    expect(refusalOf(await key.get(`/templates/${templateId}?version=4`))).to.deep.equal(GONE);
    expect((await key.get(`/templates/${templateId}?version=newest`)).status).to.equal(400);
    const preview = (version: string) => key.post(`/templates/${templateId}/preview`, { version });
    expect((await done(preview('1'))).html).to.equal(html('1'));
    expect((await done(preview('draft'))).html).to.equal(html('3'));
    expect(refusalOf(await preview('9'))).to.deep.equal(GONE);
  });

  it('a change without draft is published at once; an open draft stays and is older', async () => {
    const templateId = await make();
    await draft(templateId, 'draft');
    expect(await done(save(editor.client, templateId, 'now'))).to.include({
      ...{ emailTemplate: html('now'), version: 3, publishedVersion: 3, draftVersion: 2, isDraftOutdated: true },
    });
    expect(await shown(templateId, '?version=draft')).to.include({
      emailTemplate: html('draft'),
      isDraftOutdated: true,
    });
    expect(await listed(templateId)).to.deep.equal(['3 published', '2 outdated', '1 earlier']);
    const refused = await publish(templateId, 2);
    expect(refusalOf(refused)).to.deep.equal(CONFLICT);
    expect(refused.body.error.message).to.match(/Version 3 was published after draft 2 was saved.*restore version 2/);
    await done(restore(templateId, { version: 2 }));
    expect(await done(publish(templateId, 4))).to.include({ emailTemplate: html('draft'), publishedVersion: 4 });
  });

  it('equal content makes no version', async () => {
    const templateId = await make();
    await done(save(key, templateId, '1'));
    await draft(templateId, '1');
    await done(restore(templateId, { version: 1 }));
    expect(await listed(templateId)).to.deep.equal(['1 published']);
    await draft(templateId, '2');
    await draft(templateId, '2');
    expect(await listed(templateId)).to.deep.equal(['2 draft', '1 published']);
    // The published content is saved again: the draft stays.
    await done(save(key, templateId, '1'));
    expect(await listed(templateId)).to.deep.equal(['2 draft', '1 published']);
    // The content of the draft is published: it is that version.
    expect(await done(save(key, templateId, '2'))).to.include({ publishedVersion: 2, draftVersion: null });
    expect(await listed(templateId)).to.deep.equal(['2 published', '1 earlier']);
    // A name is no content.
    await done(key.patch(`/templates/${templateId}`, { templateName: 'Renamed', description: 'Later' }));
    expect(await shown(templateId)).to.include({ templateName: 'Renamed', newestVersion: 2 });
  });

  it('a draft that is made equal to what is published is no draft any more', async () => {
    const templateId = await make();
    await draft(templateId, 'old');
    await done(save(key, templateId, '3'));
    await draft(templateId, '3');
    expect(await shown(templateId)).to.include({ newestVersion: 3, draftVersion: null });
  });

  it('publish takes the newest draft alone: 409 says what to do', async () => {
    const templateId = await make();
    const none = await publish(templateId, 1);
    expect(refusalOf(none)).to.deep.equal(CONFLICT);
    expect(none.body.error.message).to.contain('has no draft');
    await draft(templateId, '2');
    await draft(templateId, '3');
    for (const version of [1, 2, 4]) {
      const refused = await publish(templateId, version);
      expect(refusalOf(refused)).to.deep.equal(CONFLICT);
      expect(refused.body.error.message).to.contain('publish that').and.contain('version 3');
    }
    await done(publish(templateId, 3));
    expect(refusalOf(await publish(templateId, 3)), 'a second time').to.deep.equal(CONFLICT);
  });

  it('restore makes a draft of an earlier version, and refuses when the caller has not seen the newest', async () => {
    const templateId = await make();
    await done(save(key, templateId, '2'));
    const restored = await done(restore(templateId, { version: 1, newestVersion: 2 }, author.client));
    expect(restored).to.include({ emailTemplate: html('1'), version: 3, publishedVersion: 2, draftVersion: 3 });
    expect(await shown(templateId)).to.include({ emailTemplate: html('2') });
    const late = await restore(templateId, { version: 1, newestVersion: 2 });
    expect(refusalOf(late)).to.deep.equal(CONFLICT);
    expect(late.body.error.details).to.equal('newestVersion: is 3');
    expect(refusalOf(await save(key, templateId, 'late', { newestVersion: 2 }))).to.deep.equal(CONFLICT);
    expect(refusalOf(await restore(templateId, { version: 9 }))).to.deep.equal(GONE);
    expect(await shown(templateId)).to.include({ newestVersion: 3 });
  });

  it('the last 100 and those in use are kept; the write that makes a new one removes the older', async () => {
    const templateId = await make();
    await draft(templateId, 'kept draft');
    for (let n = 3; n <= VERSIONS_KEPT + 4; n += 1) await done(save(key, templateId, `${n}`));
    const newest = VERSIONS_KEPT + 4;
    const { db } = environment.deps;
    const numbers = async () =>
      (await db.templateVersions.find({ templateId }).sort({ version: -1 }).toArray()).map(({ version }) => version);
    const last = Array.from({ length: VERSIONS_KEPT }, (_, index) => newest - index);
    expect(await numbers()).to.deep.equal([...last, 2]);
    expect(refusalOf(await restore(templateId, { version: 4 }))).to.deep.equal(GONE);
    expect(await shown(templateId, '?version=draft')).to.include({ emailTemplate: html('kept draft') });
    await done(restore(templateId, { version: 2 }));
    expect(await numbers(), 'the former draft is not in use any more').to.deep.equal([
      newest + 1,
      ...last.slice(0, -1),
    ]);
    for (let n = 0; n < VERSIONS_KEPT + 2; n += 1) await draft(templateId, `draft ${n}`);
    expect(await numbers(), 'the published one is kept')
      .to.include(newest)
      .and.have.length(VERSIONS_KEPT + 1);
    expect(await shown(templateId)).to.include({ emailTemplate: html(`${newest}`) });
  });

  it('calls at the same time get numbers of their own, and each version keeps its content', async () => {
    const templateId = await make();
    const saves = Array.from({ length: 4 }, (_, n) => save(key, templateId, `at once ${n}`, { draft: n % 2 === 0 }));
    const answers = await Promise.all(saves);
    for (const { status, text } of answers) expect(status, text).to.equal(200);
    const { versions } = await done(key.get(`/templates/${templateId}/versions`));
    expect(versions.map(({ version }: { version: number }) => version)).to.deep.equal([5, 4, 3, 2, 1]);
    const texts = new Set<string>();
    for (let version = 2; version <= 5; version += 1)
      texts.add((await shown(templateId, `?version=${version}`)).emailTemplate);
    expect(texts.size).to.equal(4);
    const published = (await shown(templateId)).publishedVersion;
    expect(await shown(templateId, `?version=${published}`)).to.include({
      emailTemplate: (await shown(templateId)).emailTemplate,
    });
  });

  it('a draft is published as it was seen, or not at all, when another one is saved at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const templateId = await make();
      await draft(templateId, 'seen');
      const [published, saved] = await Promise.all([
        publish(templateId, 2, editor.client),
        save(author.client, templateId, 'unseen'),
      ]);
      expect(saved.status, saved.text).to.equal(200);
      expect(refusalOf(published)).to.be.deep.oneOf([[200, undefined], CONFLICT]);
      const now = await shown(templateId);
      expect(now.emailTemplate).to.equal(published.status === 200 ? html('seen') : html('1'));
      expect(now.draftVersion).to.equal(3);
    }
  });

  /** Runs before the first time that a version is read. */
  async function beforeReading<T>(interrupt: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
    const { db } = environment.deps;
    const { templateVersions } = db;
    let isFirst = true;
    const findOne = async (...given: Parameters<typeof templateVersions.findOne>) => {
      const isInterrupted = isFirst;
      isFirst = false;
      if (isInterrupted) await interrupt();
      return templateVersions.findOne(...given);
    };
    db.templateVersions = new Proxy(templateVersions, {
      get: (target, name) => {
        if (name === 'findOne') return findOne;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return work().finally(() => {
      db.templateVersions = templateVersions;
    });
  }

  const interrupts: [string, (templateId: string) => Promise<unknown>][] = [
    ['saved as a draft', (templateId) => save(author.client, templateId, 'unseen')],
    ['published', (templateId) => save(editor.client, templateId, 'unseen')],
  ];
  for (const [says, interrupt] of interrupts)
    it(`a draft is not published when another version is ${says} after it was looked at`, async () => {
      const templateId = await make();
      await draft(templateId, 'seen');
      const published = await beforeReading(
        () => interrupt(templateId),
        () => publish(templateId, 2),
      );
      expect(refusalOf(published)).to.deep.equal(CONFLICT);
      const kept =
        says === 'published' ? { publishedVersion: 3, draftVersion: 2 } : { publishedVersion: 1, draftVersion: 3 };
      expect(await shown(templateId)).to.include({ ...kept, newestVersion: 3 });
    });

  it('of two calls that publish the same draft one is refused', async () => {
    const templateId = await make();
    await draft(templateId, '2');
    const replies = await Promise.all([publish(templateId, 2), publish(templateId, 2), publish(templateId, 2)]);
    expect(replies.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409]);
  });

  it('a source that does not parse is refused in a draft too, and nothing is kept of it', async () => {
    const templateId = await make();
    const refused = await key.patch(`/templates/${templateId}`, { draft: true, emailTemplate: '{{#if a}}' });
    expect([refused.status, refused.body.error.details]).to.match(/400,emailTemplate: line 1/);
    expect(await listed(templateId)).to.deep.equal(['1 published']);
  });

  it('go with their template', async () => {
    const templateId = await make();
    await draft(templateId, '2');
    expect((await key.delete(`/templates/${templateId}`)).status).to.equal(200);
    expect(await environment.deps.db.templateVersions.countDocuments({ templateId })).to.equal(0);
    for (const reply of [
      await key.get(`/templates/${templateId}/versions`),
      await publish(templateId, 2),
      await restore(templateId, { version: 1 }),
    ])
      expect(refusalOf(reply)).to.deep.equal([404, 'TEMPLATE_NOT_FOUND']);
  });

  it('a picture that a draft shows cannot be deleted', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(png(3, 3))]), 'shown.png');
    const { id, url } = await done(key.send('POST', '/v1/media', { body: form }));
    const templateId = await make();
    await draft(templateId, `<img src="${url}">`);
    expect(refusalOf(await key.delete(`/v1/media/${id}`))).to.deep.equal(CONFLICT);
    await draft(templateId, '1');
    expect((await key.delete(`/v1/media/${id}`)).status).to.equal(200);
  });

  describe('of a template that was never published', () => {
    it('an author makes one, and so does draft: true; it is shown, and published by its first version', async () => {
      for (const [client, more] of [
        [author.client, {}],
        [author.client, { draft: false }],
        [editor.client, { draft: true }],
      ] as const) {
        const templateId = await make(client, more);
        const unpublished = { publishedVersion: null, draftVersion: 1, publishedAt: null, version: 1 };
        expect(await shown(templateId)).to.include({ ...unpublished, emailTemplate: html('1') });
        await done(save(author.client, templateId, '2', { draft: false }));
        expect(await shown(templateId)).to.include({
          emailTemplate: html('2'),
          publishedVersion: null,
          draftVersion: 2,
        });
        expect(await listed(templateId)).to.deep.equal(['2 draft', '1 earlier']);
        expect((await publish(templateId, 2, author.client)).status, 'an author').to.equal(403);
        expect(await done(publish(templateId, 2, editor.client))).to.include({
          publishedVersion: 2,
          draftVersion: null,
        });
      }
    });

    it('a change by an editor publishes it; a change of its name does not', async () => {
      const templateId = await make(author.client);
      await done(editor.client.patch(`/templates/${templateId}`, { templateName: 'Renamed' }));
      expect(await shown(templateId)).to.include({ publishedVersion: null, templateName: 'Renamed' });
      expect(await done(save(editor.client, templateId, '2'))).to.include({ publishedVersion: 2, draftVersion: null });
      const equal = await make(author.client);
      expect(await done(save(editor.client, equal, '1'))).to.include({ publishedVersion: 1, newestVersion: 1 });
    });
  });

  describe('that was stored before there were versions', () => {
    const old = async () => {
      const templateId = await make();
      const gone = { newestVersion: 1, publishedVersion: 1, draftVersion: 1, publishedAt: 1, publishedBy: 1 } as const;
      await environment.deps.db.templates.updateOne({ templateId }, { $unset: gone });
      await environment.deps.db.templateVersions.deleteMany({ templateId });
      return templateId;
    };
    /** The last line of the command. */
    const setup = async () => {
      const { code, output } = await admin(environment, environment.deps.config.secretKeys.join(','), 'setup');
      expect(code, output).to.equal(0);
      return JSON.parse(output.trim().split('\n').at(-1) ?? '').carriedOver;
    };
    const carriedOver = async () => {
      const templateId = await old();
      await setup();
      return templateId;
    };
    const lookedAt = async (templateId: string) => {
      expect(await shown(templateId)).to.include({ publishedVersion: 1, draftVersion: null, version: 1 });
      expect(await shown(templateId, '?version=1')).to.include({ emailTemplate: html('1') });
      expect(await listed(templateId)).to.deep.equal(['1 published']);
    };

    it('is sent and not changed before setup carries it over', async () => {
      const { deps, own } = environment;
      const templateId = await old();
      expect((await publishedTemplate(deps, own.project, templateId)).emailTemplate).to.equal(html('1'));
      const stored = await deps.db.templates.findOne({ templateId });
      for (const refused of [save(key, templateId, '2'), save(key, templateId, '2', { draft: true })])
        expect(refusalOf(await refused)).to.deep.equal(CONFLICT);
      expect(await deps.db.templates.findOne({ templateId })).to.deep.equal(stored);
      expect(await deps.db.templateVersions.countDocuments({ templateId })).to.equal(0);
    });

    it('is published with version 1 by setup, and keeps that version when it is changed', async () => {
      const templateId = await carriedOver();
      await lookedAt(templateId);
      expect((await done(key.get(`/templates/${templateId}/versions?page=2`))).versions).to.deep.equal([]);
      await draft(templateId, '2');
      expect(await listed(templateId)).to.deep.equal(['2 draft', '1 published']);
      await done(publish(templateId, 2));
      expect(await shown(templateId, '?version=1')).to.include({ emailTemplate: html('1') });
      const changed = await carriedOver();
      await done(save(key, changed, '2'));
      expect(await shown(changed, '?version=1')).to.include({ emailTemplate: html('1') });
    });

    it('is carried over by setup, once, and is the same afterwards', async () => {
      const { deps } = environment;
      const [templateId, untouched] = [await old(), await make()];
      const before = await deps.db.templates.findOne({ templateId: untouched });
      const carried = await setup();
      expect(carried).to.have.property('automations', 0);
      expect(carried).to.have.property('templates').greaterThan(0);
      await lookedAt(templateId);
      const version = await deps.db.templateVersions.findOne({ templateId });
      expect(version).to.include({ version: 1, emailTemplate: html('1') });
      expect(Object.values(await setup()).filter((count) => count !== 0)).to.deep.equal([]);
      expect(await deps.db.templates.findOne({ templateId: untouched })).to.deep.equal(before);
    });
  });

  it('each publication is an event: at creation, at once, and of a draft; a draft is none', async () => {
    const tenant = await environment.newTenant('Listening');
    const { client, project } = tenant;
    await done(client.post('/webhooks', { url: 'https://hooks.example.com/t', events: ['template.published'] }));
    const templateId = await make(client);
    await done(save(client, templateId, '2'));
    await done(save(client, templateId, '3', { draft: true }));
    const member = await signIn(environment, tenant, 'editor');
    await done(publish(templateId, 3, member.client));
    await done(member.client.patch(`/templates/${templateId}`, { templateName: 'Renamed' }));
    const events = await environment.deps.db.projectEvents.find({ projectId: project._id }).sort({ _id: 1 }).toArray();
    const published = events.map(({ type, data }) => ({ type, ...data }));
    const by = (version: number) => published.find((one) => (one as { version?: number }).version === version);
    expect(published).to.have.length(3);
    expect(by(1)).to.include({ type: 'template.published', templateId, templateName: 'Welcome', publishedBy: null });
    expect(by(2)).to.include({ templateId });
    expect(String((by(3) as { publishedBy?: ObjectId }).publishedBy)).to.equal(member.member._id.toHexString());
    const deliveries = await environment.deps.db.webhookDeliveries.countDocuments({ projectId: project._id });
    expect(deliveries).to.equal(3);
  });
});
