import type { Brand } from '../blocks/brand.ts';

/** A published layout or snippet as it was written: one of code and content. */
export interface Part {
  name: string;
  code: string | null;
  content: unknown;
}

/** All that is put into a mail, and the ids under which the parts are stored. */
export interface Parts {
  brand: Brand;
  layout: Part | null;
  snippets: ReadonlyMap<string, Part>;
  keys: readonly string[];
}

/** Snippets inside snippets. */
export const SNIPPET_DEPTH_MAX = 3;
/** Different ones in one mail. */
export const SNIPPETS_MAX = 50;

/** A name that cannot be put in, as the end of a sentence that begins with its place. null: it can. */
export function nameFault(
  name: string,
  part: Part | undefined,
  { trail, isCode }: { trail: readonly string[]; isCode: boolean },
): string | null {
  if (trail.includes(name)) return `the snippet "${name}" is inside itself`;
  if (trail.length >= SNIPPET_DEPTH_MAX) return `snippets stand more than ${SNIPPET_DEPTH_MAX} deep`;
  if (!part) return `there is no published snippet "${name}"`;
  if ((part.code !== null) === isCode) return null;
  return isCode
    ? `the snippet "${name}" is made of content blocks, and code takes code`
    : `the snippet "${name}" is code, and content blocks take content blocks`;
}
