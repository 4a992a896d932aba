import { expect } from 'chai';
import { fill, fillHtml, placesOf } from '../../core/base/text/languages/fill.ts';
import { LANGUAGES, languageFor, languageOf, languageOfTag, textsIn } from '../../core/base/text/languages/index.ts';

describe('The languages of public pages and mails', () => {
  const english = leaves(textsIn('en'));

  it('are English, German, French, Spanish and Italian', () => {
    expect(LANGUAGES).to.have.members(['en', 'de', 'fr', 'es', 'it']);
  });

  for (const language of LANGUAGES)
    it(`have equal texts, with equal places and none empty: ${language}`, () => {
      const texts = leaves(textsIn(language));
      expect([...texts.keys()]).to.deep.equal([...english.keys()]);
      for (const [key, text] of texts) {
        expect(text.trim(), key).to.equal(text).and.not.equal('');
        expect(placesOf(text).toSorted(), key).to.deep.equal(placesOf(english.get(key)!).toSorted());
      }
      expect(textsIn(language).tag).to.equal(language);
    });

  it('except English are translated: hardly a text is that of English', () => {
    for (const language of LANGUAGES.filter((one) => one !== 'en')) {
      const same = [...leaves(textsIn(language))].filter(([key, text]) => text === english.get(key));
      expect(same.length, `${language}: ${same.map(([key]) => key)}`).to.be.below(english.size / 10);
    }
  });

  it('are found by a tag with or without a region', () => {
    for (const tag of ['de', 'DE', 'de-AT', 'de_CH', ' de-Latn-DE ']) expect(languageOfTag(tag), tag).to.equal('de');
    for (const tag of [
      '',
      'pl',
      'deu',
      'german',
      '__proto__',
      'constructor',
      'd'.repeat(100_000),
      7,
      true,
      null,
      undefined,
    ])
      expect(languageOfTag(tag), String(tag).slice(0, 20)).to.equal(null);
  });

  it('are chosen by the contact, then by the weights of the browser, else English', () => {
    const chosen = (property: unknown, acceptLanguage?: string) => languageFor({ property, acceptLanguage });
    expect(chosen('de-AT', 'fr')).to.equal('de');
    expect(chosen('pl', 'fr')).to.equal('fr');
    expect(chosen(null, 'pl, it;q=0.5, es;q=0.8')).to.equal('es');
    expect(chosen(null, 'fr;q=0, de;q=0.001')).to.equal('de');
    expect(chosen(null, 'fr;q=0')).to.equal('en');
    expect(chosen(null, 'de-CH, en;q=0.9')).to.equal('de');
    expect(chosen(null, 'en;q=0.5, de;q=0.5')).to.equal('en');
    expect(chosen(null, 'de;level=1;q=0.4,es;Q=0.3')).to.equal('de');
    expect(chosen(null, 'de;q=nothing, es;q=0.1')).to.equal('es');
    for (const header of ['', '*', ';;;', ',,,', 'q=1', undefined]) expect(chosen(undefined, header)).to.equal('en');
    expect(chosen(null, `${'pl,'.repeat(1_000_000)}de`)).to.equal('en');
  });

  it('are read from the property that the project names, never from what every object has', () => {
    const contact = { contactProperties: { language: 'fr', sprache: 'de' } };
    expect(languageOf({}, contact, 'it')).to.equal('fr');
    expect(languageOf({ languageProperty: 'sprache' }, contact, 'it')).to.equal('de');
    expect(languageOf({ languageProperty: 'constructor' }, contact, 'it')).to.equal('it');
    expect(languageOf({}, null, 'it')).to.equal('it');
    expect(languageOf({}, null)).to.equal('en');
  });
});

describe('The places of a text', () => {
  it('are filled once, so that a value with braces stays as it is', () => {
    expect(fill('{a} and {b} and {c}', { a: '{b}', b: '$& $1' })).to.equal('{b} and $& $1 and {c}');
  });

  it('are escaped in HTML with the text, but for values that are HTML', () => {
    expect(fillHtml('<{a}> {b}', { a: '<i>', b: { html: '<b>1</b>' } })).to.equal('&lt;&lt;i&gt;&gt; <b>1</b>');
  });
});

/** Texts by their path. */
function leaves(texts: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, value]): Array<[string, string]> => {
      const at = path === '' ? key : `${path}.${key}`;
      return typeof value === 'string' ? [[at, value]] : [...leaves(value as object, at)];
    }),
  );
}
