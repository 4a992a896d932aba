import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type Client, done } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const content = (title = 'Fresh bread') => ({
  v: 1,
  look: { language: 'en' },
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text: title }] },
    { id: 'hero', type: 'image', src: 'https://example.com/a.png', alt: '=cmd Three loaves' },
    { id: 'own', type: 'html', html: '<p>\n  Two "lines"\r\n</p>' },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
});

describe('The table of the translations of a template', () => {
  const environment = useEnvironment();
  let key: Client;
  before(() => {
    key = environment.own.client;
  });
  const make = async (): Promise<string> =>
    (await done(key.post('/templates', { templateName: 'Bread', subject: 'Bread', content: content() }))).templateId;
  const path = (templateId: string) => `/templates/${templateId}/translations`;
  const put = (templateId: string, language: string, body: object) => key.put(`${path(templateId)}/${language}`, body);
  const table = async (templateId: string) => (await key.get(`${path(templateId)}.csv`)).text;
  const post = (templateId: string, body: string | Buffer, query = '') =>
    key.send('POST', `${path(templateId)}.csv${query}`, { headers: { 'Content-Type': 'text/csv' }, body });
  const texts = async (templateId: string, language: string) => {
    const { subject, texts: ofBlocks, outdated } = await done(key.get(`${path(templateId)}/${language}`));
    return { subject, texts: ofBlocks, outdated };
  };
  const line = /[^\p{Cc}\u2028\u2029\ufffd]/u;
  /** Words of one line, with all that spreadsheets and the table treat as special. */
  const words = fc
    .array(fc.oneof(fc.constantFrom('=', "'", '"', ',', ';', '-', '+', ' ', '&amp;'), fc.string({ unit: 'grapheme' })))
    .map((some) => [...some.join('')].filter((one) => line.test(one) && !'{}<\\'.includes(one)).join(''));

  it('has the base and a column for each language, and no cell begins a formula', async () => {
    const templateId = await make();
    await done(put(templateId, 'fr', { subject: '=Du pain', texts: { hero: { alt: '+Trois' } } }));
    await done(put(templateId, 'de', { texts: { title: { spans: 'Frisches <b>Brot</b>' } } }));
    const rows: string[][] = parse(await table(templateId));
    expect(rows).to.deep.include.members([
      ['block', 'field', 'base', 'de', 'fr'],
      ['', 'subject', 'Bread', '', "'=Du pain"],
      ['title', 'spans', 'Fresh bread', 'Frisches <b>Brot</b>', ''],
      ['hero', 'alt', "'=cmd Three loaves", '', "'+Trois"],
      ['own', 'html', '<p>\n  Two "lines"\r\n</p>', '', ''],
    ]);
  });

  it('is read back byte for byte, whatever the texts are, and makes no version then', async () => {
    const templateId = await make();
    await fc.assert(
      fc.asyncProperty(words, words, words, async (subject, spans, alt) => {
        await done(
          put(templateId, 'fr', {
            subject,
            texts: { title: { spans }, hero: { alt }, own: { html: `<p>\n${alt}</p>` } },
          }),
        );
        const [before, file] = [await texts(templateId, 'fr'), await table(templateId)];
        const { newestVersion } = await done(key.get(`/templates/${templateId}`));
        await done(post(templateId, file));
        expect(await texts(templateId, 'fr')).to.deep.equal(before);
        expect(await table(templateId)).to.equal(file);
        const after = await done(key.get(`/templates/${templateId}?version=draft`));
        expect(after.newestVersion).to.equal(newestVersion);
        expect(JSON.stringify(after.editorJson)).to.equal(JSON.stringify(content()));
      }),
      { numRuns: 25 },
    );
  }).timeout(60_000);

  it('adds languages, empties texts, and leaves alone what it does not have', async () => {
    const templateId = await make();
    await done(
      put(templateId, 'fr', { subject: 'Du pain', texts: { hero: { alt: 'Trois' }, end: { unsubscribe: 'Non' } } }),
    );
    await done(put(templateId, 'es', { subject: 'Pan' }));
    await done(post(templateId, '\ufeffblock;field;base;FR;de\n;subject;Bread;;Brot\nhero;alt;Three;Deux;\n'));
    expect(await texts(templateId, 'fr')).to.deep.include({
      subject: null,
      texts: { end: { unsubscribe: 'Non' }, hero: { alt: 'Deux' } },
    });
    expect((await texts(templateId, 'de')).subject).to.equal('Brot');
    expect((await texts(templateId, 'es')).subject).to.equal('Pan');
    // Translated from the base as the file has it.
    expect((await texts(templateId, 'fr')).outdated).to.deep.equal(['hero/alt']);
  });

  it('is refused with the line, and nothing is written', async () => {
    const templateId = await make();
    const head = 'block,field,base,fr\n';
    const faults: Array<[string | Buffer, RegExp]> = [
      ['', /^file: line 1: names no columns/],
      ['a,b,c\n', /^file: line 1: must begin with block, field, base/],
      ['block,field,base\n', /^file: line 1: names no language/],
      ['block,field,base,french\n', /^file: line 1: "french" is no language tag/],
      ['block,field,base,fr,FR\n', /^file: line 1: "FR" stands twice/],
      ['block,field,base,en\n', /^file: line 1: "en" is the language of the template itself/],
      [`${head},subject,x,Pain\nnope,alt,x,y\n`, /^file: line 3: "nope\/alt" names no text of the template/],
      [`${head},subject,x,a\n,subject,x,b\n`, /^file: line 3: "subject" stands twice/],
      [`${head},subject,x,a,b\n`, /^file: line 2: has more cells/],
      [`${head}title,spans,x,<u>x</u>\n`, /^fr\/texts\/title\/spans: may have no other tags/],
      [`${head},subject,x,"Pain\n`, /^file: A row does not end/],
      [Buffer.from([0x62, 0xff]), /^file: the file is not valid UTF-8/],
    ];
    for (const [file, details] of faults) {
      const { status, body, text } = await post(templateId, file);
      expect([status, body.error?.code], text).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.match(details);
    }
    expect((await post(templateId, head, '?newestVersion=7')).status).to.equal(409);
    const form = new FormData();
    form.set('newestVersion', '7');
    form.set('file', new Blob([head], { type: 'text/csv' }), 'texts.csv');
    expect((await key.send('POST', `${path(templateId)}.csv`, { body: form })).status).to.equal(409);
    expect((await key.post(`${path(templateId)}.csv`, {})).status).to.equal(415);
    expect((await post(templateId, Buffer.alloc(8 * 1024 * 1024 + 1, 'x'))).status).to.equal(413);
    expect((await done(key.get(`/templates/${templateId}`))).newestVersion).to.equal(1);
  });
});
