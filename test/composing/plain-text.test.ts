import { expect } from 'chai';
import { textOfHtml } from '../../core/mail/compose/plain-text.ts';
import { htmlToText } from '../../core/templates/html/links.ts';
import { compileTemplate, renderTemplate } from '../../core/templates/language/templates.ts';

const MAILS: Array<[source: string, variables: Record<string, unknown>, text: string]> = [
  ['<p>Hi {{name}}</p><p>Bye</p>', { name: 'A & <b>"x"</b> &amp; \'y\'' }, 'Hi A & <b>"x"</b> &amp; \'y\'\n\nBye'],
  ['<p>Hi {{name}}</p><p>Bye</p>', {}, 'Hi\n\nBye'],
  ['<p>Hi {{name}}</p>', { name: 'one\r\n  two\tthree' }, 'Hi one two three'],
  ['<a href="{{url}}">go</a>', { url: 'https://a.test/?a=1&b=2' }, 'go (https://a.test/?a=1&b=2)'],
  ['<a href="{{url}}">{{url}}</a>', { url: 'https://a.test/' }, 'https://a.test/'],
  ['<a href="{{url}}">go</a>', { url: 'javascript:alert(1)' }, 'go'],
  ['<a href="{{url}}">go</a> there', {}, 'go there'],
  ['<td>{{a}}</td><img alt="{{b}}"><td>€ {{c}}</td>', { a: 'ü', b: 'none', c: '{{a}}' }, 'ü\n\n€ {{a}}'],
  ['{{#each list}}<p>{{this}}</p>{{/each}}', { list: ['a', 'b'] }, 'a\n\nb'],
  ['<b>{{{html}}}</b>', { html: '<p>one</p><p>two</p>' }, 'one\n\ntwo'],
  ['a {{~#if yes}}<p>b</p>{{~/if}}', { yes: true }, 'a\n\nb'],
  ['a {{~^yes}}<p>b</p>{{/yes}}', {}, 'a\n\nb'],
  ['<b>{{~{html}~}}</b>', { html: '<p>one</p>&#1114112;' }, 'one\n\n\ufffd'],
  ['<b>{{~&html}}</b>', { html: '<p>one</p><p>two</p>' }, 'one\n\ntwo'],
  ['a{{x}}\ue0000\ue001', { x: 'b' }, 'ab\ue0000\ue001'],
];

describe('the text part made of HTML', () => {
  for (const [source, variables, text] of MAILS)
    it(`${JSON.stringify(source)} with ${JSON.stringify(variables)}: as if the finished HTML had been read`, () => {
      const result = compileTemplate(source, 'html');
      if (!result.ok) throw new Error(result.message);
      expect(textOfHtml(result.template, source, variables)).to.equal(text);
      expect(htmlToText(renderTemplate(result.template, variables)).replace(/ +$/gm, '')).to.equal(text);
    });

  it('is the same when it is asked for again, and another with other values', () => {
    const result = compileTemplate('<p>{{a}}</p>', 'html');
    if (!result.ok) throw new Error(result.message);
    const texts = ['x', 'x', 'y'].map((a) => textOfHtml(result.template, '<p>{{a}}</p>', { a }));
    expect(texts).to.deep.equal(['x', 'x', 'y']);
  });
});
