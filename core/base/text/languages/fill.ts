import { escapeHtml } from '../html.ts';

const PLACE = /\{(\w+)\}/g;

/** HTML that is put into a text as it is. */
interface Html {
  html: string;
}

/** A text with its places filled, as plain text: of a subject or a text part. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(PLACE, (place, name: string) => (Object.hasOwn(values, name) ? values[name]! : place));
}

/** The same as HTML: text and values are escaped, but for values that are HTML already. */
export function fillHtml(text: string, values: Record<string, string | Html> = {}): string {
  return escapeHtml(text).replace(PLACE, (place, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name]! : place;
    return typeof value === 'string' ? escapeHtml(value) : value.html;
  });
}

/** The names of the places of a text, in order. */
export function placesOf(text: string): string[] {
  return [...text.matchAll(PLACE)].map(([, name]) => name as string);
}
