import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const STYLES = 'console/styles';
const SIBLING_OF_ANY_TYPE = /[+~]\s*\*/;

describe('The drawing of a graph of 200 steps', () => {
  it('is not styled as a whole when one line is added: no rule of a style sheet ends at a sibling of any type', () => {
    const sheets = readdirSync(STYLES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));
    const selectors = sheets.flatMap((name) => {
      const rules = readFileSync(`${STYLES}/${name}`, 'utf8')
        .replace(/\/\*.*?\*\//gs, '')
        .split('{');
      return rules.flatMap((rule) => (rule.split('}').at(-1) ?? '').split(',')).map((selector) => selector.trim());
    });
    expect(selectors).to.include('.graph .edge');
    const heads = selectors.filter((selector) => SIBLING_OF_ANY_TYPE.test(selector));
    // A class before it keeps the rule to the siblings of that class.
    expect(heads.filter((selector) => !/\.[\w-]+\s*[+~]\s*\*/.test(selector))).to.deep.equal([]);
  });
});
