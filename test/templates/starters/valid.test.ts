import { expect } from 'chai';
import { Parser } from 'htmlparser2';
import { compileContent } from '../../../core/templates/blocks/content.ts';
import { compileTemplate, renderTemplate } from '../../../core/templates/language/templates.ts';
import { startersIn } from '../../../core/templates/starters/starters.ts';
import { starterLanguages } from '../../../schemas/templates/starters.ts';
import { useBrowser } from '../../support/browser/chromium.ts';

const DATA = {
  firstName: 'Ada <&>',
  plan: 'pro',
  order: {
    number: 'A-17',
    items: [{ name: 'Rye', amount: 2, price: '8.40' }],
    total: '8.40',
    url: 'https://a.example/',
  },
  items: [{ title: 'Slow dough', summary: 'Two days', url: 'https://a.example/dough' }],
};

describe('The HTML of mails to begin with', () => {
  const browser = useBrowser();

  it('is what a browser makes of it: nothing is left open, in a wrong place, or written twice', async () => {
    const page = await (await browser()).newPage();
    const built = (html: string) => page.evaluate(`(${BUILT})(${JSON.stringify(html)})`);
    for (const { id, content } of starterLanguages.flatMap((language) =>
      startersIn(language, 'https://mail.example.com'),
    ))
      for (const data of [DATA, {}]) {
        const html = rendered(compileContent(content).html, data);
        const { elements, faults } = written(html);
        expect(faults, id).to.deep.equal([]);
        expect(await built(html), id).to.deep.equal(elements);
      }
    for (const wrong of ['<p>x<div>y</div></p>', '<table><p>x</p></table>', '<a href="#">x<a href="#">y</a></a>']) {
      const html = `<html><head></head><body>${wrong}</body></html>`;
      const { elements, faults } = written(html);
      expect(faults.length > 0 || String(await built(html)) !== String(elements), wrong).to.equal(true);
    }
    await page.close();
  }).timeout(60_000);

  it('is refused by that measure with an end that is missing or too much, and with an attribute twice', () => {
    const faultsOf = (html: string) => written(`<html><head></head><body>${html}</body></html>`).faults;
    expect(faultsOf('<div><p>x</div>')).to.deep.equal(['no end of p']);
    expect(faultsOf('<p>x</p></b>')).to.deep.equal(['5 ends of 4 elements']);
    expect(faultsOf('<p id="a" id="b">x</p>')).to.deep.equal(['id twice']);
    expect(faultsOf('<p>x<br><img src="a" alt="">y</p>')).to.deep.equal([]);
  });
});

function rendered(source: string, data: object): string {
  const made = compileTemplate(source, 'html');
  if (!made.ok) throw new Error(made.message);
  return renderTemplate(made.template, data as Record<string, unknown>);
}

const VOID = new Set(['br', 'hr', 'img', 'meta', 'link', 'col']);

/** Elements as they are written, in their order, and what a strict reader refuses. */
function written(html: string): { elements: string[]; faults: string[] } {
  const elements: string[] = [];
  const faults: string[] = [];
  let names = new Set<string>();
  let closed = 0;
  const parser = new Parser({
    onopentagname: () => {
      names = new Set();
    },
    onattribute: (name) => {
      if (names.has(name)) faults.push(`${name} twice`);
      names.add(name);
    },
    onopentag: (name) => elements.push(name),
    onclosetag: (name, isImplied) => {
      elements.push(`/${name}`);
      if (VOID.has(name)) return;
      closed += 1;
      if (isImplied) faults.push(`no end of ${name}`);
    },
  });
  parser.end(html);
  const ends = html.replace(/<!--[\s\S]*?-->/g, '').match(/<\/[a-z]/gi)?.length ?? 0;
  if (faults.length === 0 && ends !== closed) faults.push(`${ends} ends of ${closed} elements`);
  return { elements: elements.filter((name) => !name.endsWith('tbody')), faults };
}

/** Runs in the page. The element that a browser adds to each table is left out. */
const BUILT = `(html) => {
  const all = [];
  const walk = (element) => {
    const name = element.localName;
    const isTbody = name === 'tbody';
    if (!isTbody) all.push(name);
    for (const child of element.children) walk(child);
    if (!isTbody) all.push('/' + name);
  };
  walk(new DOMParser().parseFromString(html, 'text/html').documentElement);
  return all;
}`;
