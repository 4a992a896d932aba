import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { readClickToken } from '../../../core/mail/compose/tokens.ts';
import { done, publishFrench } from '../../support/client.ts';
import { useHands } from '../support.ts';

const block = (id: string, text: string) => ({ id, type: 'heading', level: 1, spans: [{ text }] });
const content = {
  v: 1,
  look: { language: 'en' },
  blocks: [block('title', 'Fresh bread'), { id: 'end', type: 'footer', unsubscribe: 'Leave' }],
};
const FRENCH = { subject: 'Du pain', texts: { title: { spans: 'Du pain frais' } } };

describe('A campaign of a template in several languages', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands();
  const french = async (): Promise<string> => {
    const { client } = stage.own;
    const given = { templateName: 'Bread', subject: 'Bread', templateType: 'marketing', content };
    const { templateId } = await done(client.post('/templates', given));
    await publishFrench(client, templateId, FRENCH);
    return templateId;
  };
  const readers = async (languages: readonly string[]): Promise<string> => {
    const name = new ObjectId().toHexString().slice(-8);
    const listId = await stage.list(languages.length, (index) => `${languages[index]}-${name}@example.org`);
    for (const language of languages)
      await done(
        stage.own.client.post('/contacts/email', {
          email: `${language}-${name}@example.org`,
          contactProperties: { language: language.toUpperCase() },
        }),
      );
    return listId;
  };
  /** Subject and title that each got, by the beginning of the address. */
  const got = async (id: string): Promise<string[]> => {
    const rows = await stage.messages(id);
    const lines = rows.map(async ({ _id, email }) => {
      const raw = stage.sink.ledger.messages.find(({ to }) => to[0] === email)?.raw ?? '';
      const seen = (await done(stage.own.client.get(`/emails/${_id}/content`))) as { subject: string; html: string };
      const { subject } = await done(stage.own.client.get(`/emails/${_id}`));
      expect([subject, /^Subject: (.*)\r$/m.exec(raw)?.[1] ?? '']).to.deep.equal([seen.subject, seen.subject]);
      const title = /<h1[^>]*>([^<]*)</.exec(seen.html)?.[1] ?? '';
      expect(raw.replaceAll('=\r\n', '')).to.include(title);
      return `${email.split('-')[0]}: ${subject}, ${title}`;
    });
    return (await Promise.all(lines)).sort();
  };

  it('is in the language that each recipient reads, as it was when sending began', async () => {
    const templateId = await french();
    const toLists = [await readers(['fr_ca', 'fr', 'de', 'en'])];
    const id = await stage.launch({ subject: 'Bread', templateId, htmlTemplate: undefined, toLists });
    const preview = async (body: object) => (await done(stage.act(id, 'preview', body))).subject;
    expect([await preview({ language: 'fr' }), await preview({})]).to.deep.equal(['Du pain', 'Bread']);
    const { client } = stage.own;
    // Frozen by the first step: what is published later does not reach it.
    await hands.advance(id);
    await publishFrench(client, templateId, { subject: 'Trop tard' });
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    expect(await got(id)).to.deep.equal([
      ...[
        'de: Bread, Fresh bread',
        'en: Bread, Fresh bread',
        'fr: Du pain, Du pain frais',
        'fr_ca: Du pain, Du pain frais',
      ],
    ]);
  });

  it('counts clicks in code of a language at the same links of the base, and the others by their address', async () => {
    const { client } = stage.own;
    const link = (name: string) => `<a href="https://example.com/${name}">x</a>`;
    const out = '<a href="{{unsubscribe}}">x</a>';
    const emailTemplate = `${link('a')}${link('b')}${link('a')}${out}`;
    const given = { templateName: 'Code', subject: 'Bread', templateType: 'marketing', emailTemplate };
    const { templateId } = await done(client.post('/templates', given));
    const own = { emailTemplate: `${link('c')}${link('b')}${link('a')}${out}${link('a')}${link('a')}` };
    await publishFrench(client, templateId, own);
    const toLists = [await readers(['fr', 'en'])];
    const id = await stage.launch({ subject: 'Bread', templateId, htmlTemplate: undefined, toLists });
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    const links = (language: string) => {
      const message = stage.sink.ledger.messages.findLast(({ to }) => to[0]?.startsWith(`${language}-`));
      const tokens = (message?.raw ?? '').replaceAll('=\r\n', '').matchAll(/href=3D"[^"]*\/t\/c\/([\w-]+)/g);
      const read = [...tokens].map(([, token = '']) => readClickToken(stage.deps.config, token)!);
      return read.map(({ target, link }) => `${target.slice(-1)}${link ?? ''}`);
    };
    expect(links('en')).to.deep.equal(['a1', 'b2', 'a3']);
    expect(links('fr')).to.deep.equal(['c', 'b2', 'a1', 'a3', 'a']);
  });

  it('has its own subject in all languages', async () => {
    const toLists = [await readers(['fr', 'en'])];
    const id = await stage.launch({ subject: 'Ours', templateId: await french(), htmlTemplate: undefined, toLists });
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    expect(await got(id)).to.deep.equal(['en: Ours, Fresh bread', 'fr: Ours, Du pain frais']);
  });

  it('is copied with the languages of the mail that is written in it', async () => {
    const { client } = stage.own;
    const { id, templateId } = await done(stage.create({ subject: 'Bread', htmlTemplate: undefined, content }));
    await publishFrench(client, templateId, FRENCH);
    const copy = await done(stage.act(id, 'duplicate', {}));
    expect(copy.templateId).to.not.equal(templateId);
    const rows = await stage.deps.db.templateLanguages.find({ templateId: copy.templateId }).toArray();
    expect(rows.map(({ language, subject }) => `${language} ${subject}`)).to.deep.equal(['fr Du pain']);
    expect((await done(stage.act(copy.id, 'preview', { language: 'fr' }))).html).to.include('Du pain frais');
  });

  it('is tested in a language', async () => {
    const { id } = await done(stage.create({ subject: 'Bread', templateId: await french(), htmlTemplate: undefined }));
    const { emailIds } = await done(stage.act(id, 'test', { emails: ['t@in.test'], language: 'fr-BE' }));
    expect((await done(stage.own.client.get(`/emails/${emailIds[0]}`))).subject).to.equal('[Test] Du pain');
    const fault = await stage.act(id, 'test', { emails: ['t@in.test'], language: 'f' });
    expect([fault.status, fault.body.error.details]).to.deep.equal([
      ...[400, 'language: must be a language tag such as fr or pt-BR'],
    ]);
  });
});
