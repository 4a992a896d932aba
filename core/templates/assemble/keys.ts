/**
 * Layouts and snippets are templates of another kind: they are stored, versioned and published as templates are. The kind is the first
 * letter of the stored id, so that nothing that takes the id of a template finds them.
 */
export type PartKind = 'layout' | 'snippet';

/** A layout or a snippet, by the id that callers know: `L-...`, and the name in `{{> name}}`. */
export interface PartName {
  kind: PartKind;
  id: string;
}

export const SNIPPET_NAME = /^[a-z][a-z0-9-]{0,39}$/;
const LAYOUT_ID = /^L-[0-9a-f]{20}$/;
const SNIPPET_KEY = /^S-/;

/** The id that is stored. null: no layout and no snippet has this id. */
export function partKey({ kind, id }: PartName): string | null {
  if (kind === 'layout') return LAYOUT_ID.test(id) ? id : null;
  return SNIPPET_NAME.test(id) ? `S-${id}` : null;
}

/** null: it is the stored id of a template. */
export function partNamed(key: string): PartName | null {
  if (LAYOUT_ID.test(key)) return { kind: 'layout', id: key };
  return SNIPPET_KEY.test(key) ? { kind: 'snippet', id: key.slice(2) } : null;
}

/** For a query on stored ids. */
export const KEYS_OF = {
  template: { $gte: 'A-', $lt: 'A.' },
  layout: { $gte: 'L-', $lt: 'L.' },
  snippet: { $gte: 'S-', $lt: 'S.' },
} as const satisfies Record<PartKind | 'template', object>;
