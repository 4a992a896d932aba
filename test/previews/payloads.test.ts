import { expect } from 'chai';
import { Parser } from 'htmlparser2';
import { useEnvironment } from '../support/environment.ts';
import { payloads } from './payloads.ts';
import { shownFields } from './shown-fields.ts';

describe('HTML of tenants and strangers', () => {
  const environment = useEnvironment();

  for (const { field, show, isHtml } of shownFields(environment))
    it(`runs nowhere: ${field}`, async () => {
      for (const payload of payloads) {
        const page = await fetch(await show(payload));
        const html = await page.text();
        expect(page.status, payload).to.equal(200);
        expect(scriptsAllowedBy(page.headers), payload).to.deep.equal([]);
        if (!isHtml) expect(scriptsIn(html), `${payload} in ${html.slice(0, 4_000)}`).to.deep.equal([]);
      }
    });

  it('is found by the test where it would run', () => {
    for (const payload of payloads.filter((text) => text.startsWith('<') || text.startsWith('"')))
      expect(scriptsIn(`<p title="${payload}">${payload}</p>`), payload).to.not.deep.equal([]);
    const headers = (policy: string) =>
      new Headers({
        'Content-Security-Policy': policy,
        'Content-Type': 'text/html; charset=utf-8',
        'X-Content-Type-Options': 'nosniff',
      });
    expect(scriptsAllowedBy(headers("default-src 'self'"))).to.not.deep.equal([]);
    expect(scriptsAllowedBy(headers("sandbox allow-scripts; default-src 'none'"))).to.not.deep.equal([]);
    expect(scriptsAllowedBy(headers("default-src 'none'; script-src 'unsafe-inline'"))).to.not.deep.equal([]);
    expect(scriptsAllowedBy(new Headers({ 'Content-Type': 'text/html' }))).to.not.deep.equal([]);
  });
});

/** Reasons for which a page with these headers could run a script; none: its policy allows none. */
function scriptsAllowedBy(headers: Headers): string[] {
  const policy = new Map(
    (headers.get('content-security-policy') ?? '').split(';').map((directive) => {
      const [name = '', ...values] = directive.trim().split(/\s+/);
      return [name, values.join(' ')] as const;
    }),
  );
  return [
    policy.get('default-src') === "'none'" ? [] : ['default-src is not none'],
    [...policy.keys()].filter((name) => name.startsWith('script-src') || name === 'object-src' || name === 'frame-src'),
    policy.get('base-uri') === "'none'" ? [] : ['base-uri is not none'],
    policy.has('sandbox') && policy.get('sandbox') !== '' ? ['the sandbox allows something'] : [],
    headers.get('x-content-type-options') === 'nosniff' ? [] : ['the type may be guessed'],
    headers.get('content-type') === 'text/html; charset=utf-8' ? [] : ['the characters may be guessed'],
  ].flat();
}

const URL_ATTRIBUTES = ['href', 'src', 'action', 'formaction', 'data', 'poster', 'background', 'xlink:href', 'srcdoc'];
const RUNNING_TAGS = ['script', 'iframe', 'object', 'embed', 'base', 'meta', 'link', 'svg', 'math'];
/** Of our own pages. */
const OWN_META = ['utf-8', 'viewport', 'robots'];

/** Elements and attributes that could run a script, as a browser reads the page. */
function scriptsIn(html: string): string[] {
  const found: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      const isOwn = name === 'meta' && OWN_META.includes(attributes.charset ?? attributes.name ?? '');
      if (RUNNING_TAGS.includes(name) && !isOwn) found.push(`<${name}>`);
      for (const [attribute, value] of Object.entries(attributes)) {
        if (attribute.startsWith('on')) found.push(`${name} ${attribute}`);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers pass over them.
        const address = value.replace(/[\u0000-\u0020]/g, '').toLowerCase();
        if (URL_ATTRIBUTES.includes(attribute) && /^(javascript|data:text|vbscript)/.test(address))
          found.push(`${name} ${attribute}=${address.slice(0, 20)}`);
      }
    },
  });
  parser.end(html);
  return found;
}
