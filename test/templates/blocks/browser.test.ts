import { expect } from 'chai';
import fc from 'fast-check';
import { codeFault } from '../../../core/templates/blocks/kit/code.ts';
import { useBrowser } from '../../support/browser/chromium.ts';

const CODES = 6_000;
const NAMES = 'div b p a s li h1 i ul font center td tr tbody table caption th colgroup'.split(' ');

/** Elements inside elements, and tables as they should be: most of the first are refused. */
function codes(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return fc.constantFrom('x', '<br>', '<col>', '</b>', '</ p>', '{{#if a}}<b>x</b>{{/if}}');
  const inner = codes(depth - 1);
  return fc.oneof(
    inner,
    fc.array(inner, { maxLength: 3 }).map((all) => all.join('')),
    fc.tuple(fc.constantFrom(...NAMES), inner).map(([name, code]) => `<${name}>${code}</${name}>`),
    fc.tuple(inner, inner).map(([cell, head]) => `<table><tr><td>${cell}</td><th>${head}</th></tr></table>`),
  );
}

describe('HTML of an author, in a browser', () => {
  const browser = useBrowser();

  it('stays inside its cell: the cells of the mail around it are the same', async () => {
    const taken = [...new Set(fc.sample(codes(5), CODES))].filter((code) => codeFault(code) === undefined);
    expect(taken.length).to.be.above(100);
    const page = await (await browser()).newPage();
    const escaped = (all: string[]) => page.evaluate(`(${ESCAPED})(${JSON.stringify(all)})`);
    expect(await escaped(taken)).to.deep.equal([]);
    expect(await escaped(['x', '</td><td>', '<table>'])).to.deep.equal(['</td><td>', '<table>']);
    await page.close();
  }).timeout(60_000);
});

/** Runs in the page. */
const ESCAPED = `(all) => all.filter((code) => {
  const mail = '<table id="mail"><tr><td>' + code + '</td></tr><tr><td id="end">end</td></tr></table>';
  const { body } = new DOMParser().parseFromString('<!doctype html><body>' + mail, 'text/html');
  const cells = body.querySelectorAll('#mail > tbody > tr > td');
  return body.children.length !== 1 || cells.length !== 2 || cells[1].id !== 'end' || cells[1].innerHTML !== 'end';
})`;
