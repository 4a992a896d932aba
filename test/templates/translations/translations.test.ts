import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { bestLanguage } from '../../../core/base/text/languages/tags.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { templateWithPicture } from '../../../core/templates/media/media.ts';
import { republicationQueue } from '../../../core/templates/parts/run.ts';
import { type SignedIn, signIn } from '../../accounts/signed-in.ts';
import { type Client, done, type Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const SENDER = { email: 'news@languages.example.com' };
const content = (title = 'Fresh bread') => ({
  v: 1,
  look: { language: 'en' },
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text: title, bold: true }] },
    { id: 'hero', type: 'image', src: 'https://example.com/a.png', alt: 'Three loaves' },
    {
      id: 'pro',
      type: 'when',
      tests: [{ variable: 'plan', is: 'set' }],
      blocks: [{ id: 'hello', type: 'heading', level: 2, spans: [{ text: 'Hello ' }, { variable: 'firstName' }] }],
    },
    { id: 'end', type: 'footer', brand: true },
  ],
});
const FRENCH = {
  subject: 'Du pain',
  texts: { title: { spans: 'Du <b>pain</b> frais &amp; &lt;chaud>' }, end: { unsubscribe: 'Se désabonner' } },
};

describe('The translations of a template', () => {
  const environment = useEnvironment();
  let key: Client;
  let author: SignedIn;
  before(async () => {
    key = environment.own.client;
    author = await signIn(environment, environment.own, 'author');
    await seedVerifiedDomain(environment.deps, environment.own.project, 'languages.example.com', new ObjectId());
  });
  const make = async (more: object = { content: content() }): Promise<string> =>
    (await done(key.post('/templates', { templateName: 'Bread', subject: 'Bread', ...more }))).templateId;
  const path = (templateId: string, language = '') =>
    `/templates/${templateId}/translations${language && `/${language}`}`;
  const put = (templateId: string, language: string, body: object, client = key) =>
    client.put(path(templateId, language), body);
  const publish = (templateId: string, version: number) =>
    done(key.post(`/templates/${templateId}/publish`, { version }));
  const published = async (more?: object): Promise<string> => {
    const templateId = await make(more);
    const { newestVersion } = await done(put(templateId, 'fr', FRENCH));
    await publish(templateId, newestVersion);
    return templateId;
  };
  const faultOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.details];
  const sent = async (body: object) => {
    const { emailId } = await done(key.post('/mails/send', { from: SENDER, to: { email: 'a@in.test' }, ...body }));
    return (await done(key.get(`/emails/${emailId}/content`))) as { subject: string; html: string; text: string };
  };

  it('are saved as a draft, listed with what is missing, and published with it', async () => {
    const templateId = await make();
    const saved = await done(put(templateId, 'FR', FRENCH));
    expect(saved).to.deep.include({ ...FRENCH, language: 'fr', previewText: null, emailTemplate: null, outdated: [] });
    expect(saved.missing).to.deep.equal(['hero/alt', 'hello/spans']);
    expect(saved).to.include({ version: 2, publishedVersion: 1, draftVersion: 2, newestVersion: 2 });
    expect(saved.bases.map(({ name }: { name: string }) => name)).to.include.members(['hero/src', 'end/unsubscribe']);
    expect(await done(key.get(path(templateId)))).to.deep.include({
      language: 'en',
      translations: [{ language: 'fr', missing: ['hero/alt', 'hello/spans'], outdated: [] }],
    });
    expect((await sent({ templateId, language: 'fr' })).subject).to.equal('Bread');
    await publish(templateId, 2);
    expect((await sent({ templateId, language: 'fr' })).subject).to.equal('Du pain');
    expect((await key.get(`${path(templateId)}?version=1`)).body.data.translations).to.deep.equal([]);
  });

  it('fall back block by block to the base, and name their language in the HTML', async () => {
    const templateId = await published();
    const { html, text } = await sent({
      templateId,
      language: 'fr-CA',
      dynamicData: { plan: 'pro', firstName: 'Ada' },
    });
    expect(html).to.include('<html lang="fr"').and.include('Du <strong>pain</strong> frais &amp; &lt;chaud&gt;');
    expect(html).to.include('Three loaves').and.include('Hello Ada').and.include('Se désabonner</a>');
    expect(text).to.include('Se désabonner (').and.include('Hello Ada');
  });

  it('are older where the base was changed since, until they are changed or looked at', async () => {
    const templateId = await published();
    await done(key.patch(`/templates/${templateId}`, { content: content('Stale bread') }));
    const at = async () => (await done(key.get(path(templateId, 'fr')))).outdated;
    expect(await at()).to.deep.equal(['title/spans']);
    expect((await done(put(templateId, 'fr', FRENCH))).outdated).to.deep.equal(['title/spans']);
    expect((await done(put(templateId, 'fr', { ...FRENCH, reviewed: ['title/spans'] }))).outdated).to.deep.equal([]);
    expect(await at()).to.deep.equal([]);
  });

  it('are chosen by the language of the contact, and by the one that the call names before it', async () => {
    const templateId = await published();
    const people: Array<[string, unknown]> = [
      ['ca', 'fr_ca'],
      ['de', 'de'],
      ['en', 'en-GB'],
      ['odd', 12],
    ];
    for (const [name, language] of people)
      await done(key.post('/contacts/email', { email: `${name}@in.test`, contactProperties: { language } }));
    const of = async (name: string, more = {}) =>
      (await sent({ templateId, to: { email: `${name}@in.test` }, ...more })).subject;
    expect(await Promise.all(people.map(([name]) => of(name)))).to.deep.equal(['Du pain', 'Bread', 'Bread', 'Bread']);
    expect(await of('ca', { language: 'en' })).to.equal('Bread');
    expect(await of('de', { language: 'fr' })).to.equal('Du pain');
    expect(await of('ca', { subject: 'Own' })).to.equal('Own');
    expect(await of('nobody')).to.equal('Bread');
  });

  it('are chosen for each recipient of a bulk mail', async () => {
    const templateId = await published();
    await done(key.post('/contacts/email', { email: 'bulk@in.test', contactProperties: { language: 'fr' } }));
    const recipients = [
      { email: 'bulk@in.test' },
      { email: 'named@in.test', language: 'fr' },
      { email: 'base@in.test' },
      { email: 'not an address', language: 'fr' },
      { email: 'english@in.test', language: 'en' },
    ];
    const answer = await done(key.post('/mails/bulk', { from: SENDER, templateId, recipients }));
    expect(answer).to.include({ totalRecipients: 5, successCount: 4, failedCount: 1 });
    const { emails } = await done(key.get(`/emails?batchId=${answer.batchId}&limit=100`));
    const subjects = emails.map(({ email, subject }: Record<string, string>) => `${email} ${subject}`).sort();
    expect(subjects).to.deep.equal([
      ...['base@in.test Bread', 'bulk@in.test Du pain', 'english@in.test Bread', 'named@in.test Du pain'],
    ]);
    for (const { id, email } of emails) {
      const { html } = await done(key.get(`/emails/${id}/content`));
      expect(html, email).to.include(/bulk|named/.test(email) ? '<html lang="fr"' : '<html lang="en"');
    }
  });

  it('leave no file of a scheduled bulk mail that is refused, since the one of a later language cannot be had', async () => {
    const { deps } = environment;
    const { files } = deps;
    const templateId = await published();
    let asked = 0;
    deps.files = {
      async fetch() {
        asked += 1;
        if (asked === 3) return { kind: 'never', reason: 'It is gone.' };
        return { kind: 'fetched', bytes: Buffer.from('%PDF-1.7'), contentType: 'application/pdf' };
      },
    };
    const stored = () => deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.files').countDocuments();
    const before = await stored();
    const bulk = {
      ...{ from: SENDER, templateId, scheduledAt: new Date(environment.clock.now().getTime() + 3_600_000) },
      recipients: ['en', 'fr'].map((language) => ({ email: `${language}@in.test`, language })),
      attachments: ['a', 'b'].map((name) => ({ fileName: name, fileUrl: `https://files.example.com/${name}` })),
    };
    try {
      expect(faultOf(await key.post('/mails/bulk', bulk))[2]).to.match(/^attachments\/0\/fileUrl: could not be used/);
      expect([asked, await stored()]).to.deep.equal([3, before]);
      expect(await done(key.post('/mails/bulk', bulk))).to.include({ successCount: 2 });
      expect([asked, await stored()]).to.deep.equal([7, before + 4]);
    } finally {
      deps.files = files;
    }
  });

  it('are the nearest of the language that is read: fr-CA, then fr; the base is one of them', () => {
    const best = (wanted: unknown, base: string | null = 'de-AT') =>
      bestLanguage(['de', 'fr', 'zh-Hant'], base, wanted);
    expect(['fr_ca', 'zh-Hant-TW', 'de-CH'].map((tag) => best(tag))).to.deep.equal(['fr', 'zh-Hant', 'de']);
    expect([best('de-at'), best('de-at', null), best('zh'), best('x'), best(12)]).to.deep.equal([
      ...[null, 'de', null, null, null],
    ]);
  });

  it('are shown by previews, of a draft too, in a language or as a person reads it', async () => {
    const templateId = await make();
    await done(put(templateId, 'fr', FRENCH));
    await done(key.post('/contacts/email', { email: 'seen@in.test', contactProperties: { language: 'fr' } }));
    const preview = async (body: object) => (await done(key.post(`/templates/${templateId}/preview`, body))).subject;
    expect(await preview({ version: 'draft', language: 'fr' })).to.equal('Du pain');
    expect(await preview({ version: 'draft', email: 'seen@in.test' })).to.equal('Du pain');
    expect(await preview({ version: 'draft', email: 'seen@in.test', language: 'en' })).to.equal('Bread');
    expect(await preview({ language: 'fr' })).to.equal('Bread');
    const test = { emails: ['t@in.test'], from: SENDER, version: 'draft', language: 'fr' };
    const { emailIds } = await done(key.post(`/templates/${templateId}/test`, test));
    expect((await done(key.get(`/emails/${emailIds[0]}`))).subject).to.equal('[Test] Du pain');
  });

  it('come back with a version that is restored, and are removed from the draft alone', async () => {
    const templateId = await published();
    await done(key.delete(path(templateId, 'fr')));
    expect((await key.get(path(templateId, 'fr'))).status).to.equal(404);
    expect((await sent({ templateId, language: 'fr' })).subject).to.equal('Du pain');
    await publish(templateId, 3);
    expect((await sent({ templateId, language: 'fr' })).subject).to.equal('Bread');
    await done(key.post(`/templates/${templateId}/restore`, { version: 2 }));
    await publish(templateId, 4);
    expect((await sent({ templateId, language: 'fr' })).subject).to.equal('Du pain');
    expect(await done(key.get(path(templateId, 'fr')))).to.deep.include(FRENCH);
  });

  it('are drafted by authors, and refused with 409 to a caller who did not see the newest version', async () => {
    const templateId = await make();
    const saved = await done(put(templateId, 'fr', { ...FRENCH, newestVersion: 1 }, author.client));
    expect(saved).to.include({ publishedVersion: 1, draftVersion: 2 });
    const late = await put(templateId, 'de', { subject: 'Brot', newestVersion: 1 });
    expect(faultOf(late)).to.deep.equal([409, 'INVALID_STATE', 'newestVersion: is 2']);
    expect((await key.delete(`${path(templateId, 'fr')}?newestVersion=1`)).status).to.equal(409);
    const { translations } = await done(key.get(path(templateId)));
    expect(translations.map(({ language }: { language: string }) => language)).to.deep.equal(['fr']);
  });

  it('are whole code where the template is code, with the way out that it has', async () => {
    const code = '<p>Hello</p><a href="{{unsubscribe}}">Leave</a>';
    const templateId = await make({ emailTemplate: code, templateType: 'marketing' });
    expect(faultOf(await put(templateId, 'fr', { emailTemplate: '<p>Bonjour</p>' }))).to.deep.equal([
      ...[400, 'VALIDATION_ERROR', 'emailTemplate: needs {{unsubscribe}} or {{preferencesUrl}}, as the template has'],
    ]);
    const french = '<p>Bonjour</p><a href="{{unsubscribe}}">Quitter</a>';
    expect((await done(put(templateId, 'fr', { subject: 'Du pain' }))).missing).to.deep.equal(['emailTemplate']);
    const { newestVersion, missing } = await done(put(templateId, 'fr', { emailTemplate: french }));
    expect(missing).to.deep.equal(['subject']);
    await publish(templateId, newestVersion);
    expect((await sent({ templateId, language: 'fr' })).html)
      .to.include('Bonjour')
      .and.include('Quitter');
    // The base that gets a way out later needs one in each language.
    const other = await make({ emailTemplate: '<p>Hello</p>' });
    const draft = await done(put(other, 'fr', { emailTemplate: '<p>Bonjour</p>' }));
    await publish(other, draft.newestVersion);
    expect(faultOf(await key.patch(`/templates/${other}`, { emailTemplate: code }))).to.deep.equal([
      ...[
        400,
        'VALIDATION_ERROR',
        'translations/fr/emailTemplate: needs {{unsubscribe}} or {{preferencesUrl}}, as the template has',
      ],
    ]);
  });

  it('at fault are 400 with the text, and nothing is written', async () => {
    const templateId = await make();
    const faults: Array<[string, object, RegExp]> = [
      ['fr', { texts: { nope: { spans: 'x' } } }, /^texts\/nope\/spans: names no text of a block/],
      ['fr', { texts: { title: { label: 'x' } } }, /^texts\/title\/label: names no text/],
      ['fr', { texts: { title: { spans: '<u>x</u>' } } }, /^texts\/title\/spans: may have no other tags than/],
      ['fr', { texts: { title: { spans: '<b>x' } } }, /^texts\/title\/spans: has <b> without <\/b>/],
      ['fr', { texts: { title: { spans: '{{#if x}}' } } }, /^texts\/blocks\/0\/spans\/0\/text \(block "title"\)/],
      ['fr', { texts: { title: { spans: '<a href="javascript:x">x</a>' } } }, /block "title"\): must be an address/],
      ['fr', { texts: { title: { spans: '\u0001' } } }, /block "title"\): must be one line/],
      ['fr', { subject: '{{#if' }, /^subject: line 1/],
      ['fr', { texts: { title: { spans: 'x' } }, emailTemplate: '<p>x</p>' }, /emailTemplate: must be left out/],
      ['fr', { reviewed: ['title/spans'] }, /^reviewed: "title\/spans" names no text of this call/],
      ['fr', { texts: { title: 'x' } }, /texts\/title/],
      ['en', { subject: 'x' }, /^language: is the one of the template itself/],
      ...['french', 'xx', 'xx-notatag', 'fr-notatag', 'fr-QQ'].map((tag): [string, object, RegExp] => {
        return [tag, { subject: 'x' }, /^language: must be a language tag/];
      }),
      ['fr', { newestVersion: 0 }, /newestVersion/],
    ];
    for (const [language, body, details] of faults) {
      const reply = await put(templateId, language, body);
      expect([reply.status, reply.body.error?.code], reply.text).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(reply.body.error.details).to.match(details);
    }
    expect((await done(key.get(`/templates/${templateId}`))).newestVersion).to.equal(1);
    const code = await make({ emailTemplate: '<p>x</p>' });
    expect(faultOf(await put(code, 'fr', { texts: { a: { alt: 'x' } } }))[2]).to.match(/the template is code/);
    const bulk = { from: SENDER, templateId, recipients: [{ email: 'a@in.test', language: 'x' }] };
    expect(faultOf(await key.post('/mails/bulk', bulk))[2]).to.match(
      /^recipients\/0\/language: must be a language tag/,
    );
    const mail = { from: SENDER, templateId, to: { email: 'a@in.test' }, language: 'fr-' };
    expect(faultOf(await key.post('/mails/send', mail))[2]).to.match(/^language: must be a language tag/);
  });

  it('have limits: 20 languages, and 2 MiB of texts together', async () => {
    const templateId = await make({ emailTemplate: '<p>x</p>' });
    const whole = (length: number) => ({ emailTemplate: `<p>${'x'.repeat(length)}</p>` });
    await done(put(templateId, 'fr', whole(1_000_000)));
    await done(put(templateId, 'de', whole(1_000_000)));
    expect(faultOf(await put(templateId, 'it', whole(1_000_000)))[2]).to.match(/^texts: have with those of other/);
    for (const language of ['fr', 'de']) await done(put(templateId, language, { subject: 'x' }));
    const regions = 'AR BO CL CO CR CU DO EC ES GT HN MX NI PA PE PR PY SV'.split(' ');
    const tags = regions.map((region) => `es-${region}`);
    for (const tag of tags) await done(put(templateId, tag, { subject: 'x' }));
    expect(faultOf(await put(templateId, 'pt', { subject: 'x' }))[2]).to.match(/^language: is one of more than 20/);
    await done(put(templateId, 'fr', { subject: 'y' }));
  });

  it('have the layout of the template, in their own language, and its snippets', async () => {
    const block = (id: string, text: string) => ({ id, type: 'heading', level: 2, spans: [{ text }] });
    const around = { v: 1, blocks: [block('top', 'Example Bakery'), { id: 'mail', type: 'content' }] };
    const { id: layoutId } = await done(key.post('/layouts', { name: 'News', content: around }));
    await done(key.post('/snippets', { name: 'hours', content: { v: 1, blocks: [block('open', 'Open at six')] } }));
    const given = content();
    const blocks = [...given.blocks, { id: 'when', type: 'snippet', name: 'hours' }];
    const templateId = await published({ content: { ...given, blocks }, layoutId });
    const { bases } = await done(key.get(path(templateId, 'fr')));
    expect(bases.map(({ name }: { name: string }) => name)).to.not.include('when/name');
    const { html } = await sent({ templateId, language: 'fr' });
    expect(html).to.include('<html lang="fr"').and.include('Example Bakery').and.include('<strong>pain</strong>');
    expect(html).to.include('Open at six');
    const code = await done(key.post('/layouts', { name: 'Code', emailTemplate: '<h1>Ours</h1>{{{content}}}' }));
    const other = await make({ emailTemplate: '<p>Hello</p>', layoutId: code.id });
    const draft = await done(put(other, 'fr', { emailTemplate: '<p>Bonjour</p>' }));
    expect(draft.bases.at(-1)).to.include({ name: 'emailTemplate', base: '<p>Hello</p>' });
    await publish(other, draft.newestVersion);
    expect((await sent({ templateId: other, language: 'fr' })).html)
      .to.include('Ours')
      .and.include('Bonjour');
    const lost = await put(other, 'fr', { emailTemplate: '<p>{{> nowhere}}</p>' });
    expect(faultOf(lost)[2]).to.match(/^emailTemplate: line 1, column 4: there is no published snippet/);
  });

  it('keep a snippet that their own code alone names, and are published again with it', async () => {
    const footer = (text: string) => ({ emailTemplate: `<p>${text}</p>` });
    await done(key.post('/snippets', { name: 'pied', ...footer('Rue du Four 1') }));
    const templateId = await make({ emailTemplate: '<p>Hello</p>' });
    const { newestVersion } = await done(put(templateId, 'fr', { emailTemplate: '<p>Bonjour</p>{{> pied}}' }));
    const refused = await key.delete('/snippets/pied');
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      409,
      'The snippet is used by template "Bread"; take it out there first.',
    ]);
    await publish(templateId, newestVersion);
    expect((await done(key.get('/snippets/pied'))).usedBy).to.deep.equal([
      { kind: 'template', id: templateId, name: 'Bread' },
    ]);
    const touched = async () =>
      (await done(key.get('/snippets/pied/touched'))).templates.map((one: { templateId: string }) => one.templateId);
    expect(await touched()).to.deep.equal([]);
    await done(key.patch('/snippets/pied', footer('Rue du Four 2')));
    expect(await touched()).to.deep.equal([templateId]);
    expect((await sent({ templateId, language: 'fr' })).html).to.include('Rue du Four 1');
    const { id } = await done(key.post('/templates/republish', { snippet: 'pied' }));
    const { runs } = await republicationQueue(environment.deps).take(environment.own.project._id, 1);
    for (const run of runs) await run();
    const job = await done(key.get(`/templates/republications/${id}`));
    expect(job).to.include({ status: 'completed', published: 1, unchanged: 0, failed: 0 });
    expect((await sent({ templateId, language: 'fr' })).html).to.include('Rue du Four 2');
    expect(await touched()).to.deep.equal([]);
    await publish(templateId, (await done(put(templateId, 'fr', { emailTemplate: '<p>Bonjour</p>' }))).newestVersion);
    await done(key.delete('/snippets/pied'));
  });

  it('keep the pictures that they alone show', async () => {
    const { deps, own } = environment;
    const name = `${'c'.repeat(64)}.png`;
    const templateId = await make();
    expect(await templateWithPicture(deps, { projectId: own.project._id, name })).to.equal(null);
    await done(put(templateId, 'fr', { texts: { hero: { src: `https://mail.example.com/media/${name}` } } }));
    const used = await templateWithPicture(deps, { projectId: own.project._id, name });
    expect(used).to.equal('the draft of the template "Bread"');
  });

  it('leave nothing behind when the template is deleted', async () => {
    const templateId = await published();
    const stored = () => environment.deps.db.templateLanguages.countDocuments({ templateId });
    expect(await stored()).to.equal(1);
    await done(key.delete(`/templates/${templateId}`));
    expect(await stored()).to.equal(0);
  });
});
