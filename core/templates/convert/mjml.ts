import type { Element } from './tree.ts';

/** Elements of MJML as the elements of HTML that they make, with the attributes that say what they look like. */
const AS_HTML: Readonly<Record<string, string>> = {
  mjml: 'div',
  'mj-body': 'body',
  'mj-wrapper': 'div',
  'mj-hero': 'div',
  'mj-section': 'mj-row',
  'mj-group': 'div',
  'mj-column': 'div',
  'mj-text': 'div',
  'mj-raw': 'div',
  'mj-table': 'table',
  'mj-image': 'img',
  'mj-divider': 'hr',
  'mj-head': 'head',
};

export function asHtml(element: Element): Element {
  const name = AS_HTML[element.name];
  if (name === undefined) return element;
  // A table for layout has no head; one of MJML is always a table of data.
  const role: Record<string, string> = element.name === 'mj-table' ? { role: 'table' } : {};
  return { ...element, name, attributes: { ...element.attributes, ...role } };
}
