import type { Span } from '../../../../schemas/templates/block-types.ts';
import { addressFault, htmlAddress, textAddress } from './addresses.ts';
import type { Fault, Place } from './kind.ts';
import { fallbackFault, htmlLiteral, tagOf, textLiteral, variableFault, wordsFault } from './variables.ts';

type Spans = readonly Span[];

export function spansFaults(spans: Spans, field: string, links: 'links' | 'no links' = 'links'): Fault[] {
  return spans.flatMap((span, index) => {
    const at = `${field}/${index}`;
    return [
      ...fault(at, ownFault(span)),
      ...fault(`${at}/text`, wordsFault(span.text)),
      ...fault(`${at}/variable`, span.variable === undefined ? undefined : variableFault(span.variable)),
      ...fault(`${at}/fallback`, fallbackFault(span.fallback)),
      ...fault(`${at}/href`, span.href === undefined ? undefined : linkFault(span.href, links)),
    ];
  });
}

export function fault(field: string, sentence: string | undefined): Fault[] {
  return sentence === undefined ? [] : [{ field, sentence }];
}

function ownFault({ text, variable, fallback, break: line }: Span): string | undefined {
  if ([text, variable, line].filter((one) => one !== undefined).length !== 1)
    return 'must have one of text, variable and break';
  return fallback !== undefined && variable === undefined ? 'must have a fallback beside a variable alone' : undefined;
}

function linkFault(href: string, links: 'links' | 'no links'): string | undefined {
  return links === 'links'
    ? addressFault(href, 'href')
    : 'must be left out here, as the whole block is one link or has none';
}

/** Neighbours with one address are one link. */
export function spansHtml(spans: Spans, { look, colours }: Place, linkColour = look.accent): string {
  return linksOf(spans)
    .map(({ href, spans: inner }) => {
      const html = inner.map((span) => spanHtml(span, colours)).join('');
      if (href === undefined) return html;
      const style = `color:${linkColour};text-decoration:underline`;
      return `<a href="${htmlAddress(href)}" class="ep-link" style="${style}">${html}</a>`;
    })
    .join('');
}

function spanHtml({ text, variable, fallback, break: line, bold, italic, colour }: Span, colours: Set<string>): string {
  if (line) return '<br>';
  let html = variable === undefined ? htmlLiteral(text ?? '') : tagOf({ variable, fallback });
  if (italic) html = `<em>${html}</em>`;
  if (bold) html = `<strong>${html}</strong>`;
  if (colour === undefined) return html;
  const own = colour.toLowerCase();
  colours.add(own);
  return `<span class="ep-c${own.slice(1)}" style="color:${own}">${html}</span>`;
}

/** Addresses in brackets after the words of their links. */
export function spansText(spans: Spans): string {
  return linksOf(spans)
    .map(({ href, spans: inner }) => linkText(inner.map(spanText).join(''), href))
    .join('');
}

/** A link that is called by its address has it once. */
export function linkText(words: string, href: string | undefined): string {
  if (href === undefined) return words;
  const address = textAddress(href);
  if (words.trim() === '' || words === address) return address;
  return address === `mailto:${words}` ? words : `${words} (${address})`;
}

function spanText({ text, variable, fallback, break: line }: Span): string {
  if (line) return '\n';
  return variable === undefined ? textLiteral(text ?? '') : tagOf({ variable, fallback });
}

function linksOf(spans: Spans): Array<{ href: string | undefined; spans: Span[] }> {
  const links: Array<{ href: string | undefined; spans: Span[] }> = [];
  for (const span of spans) {
    const last = links.at(-1);
    if (last && last.href === span.href) last.spans.push(span);
    else links.push({ href: span.href, spans: [span] });
  }
  return links;
}
