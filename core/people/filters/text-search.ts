import { CONTACT_FIELDS, PROPERTIES_MAX } from '../../../schemas/people/contacts.ts';
import { sameCase } from '../../base/text/same-case.ts';

/** Up to here the search of the engine is the fastest, whatever the text is. */
const SHORT = 128;
/** All texts of one contact, with its address. */
const KEPT_MAX = PROPERTIES_MAX + CONTACT_FIELDS.length + 1;

/**
 * Finds a text in others, without case. The search of the engine takes the product of both lengths for some texts; this one takes two
 * steps for each character (Knuth, Morris and Pratt).
 */
export function searchFor(wanted: string): (text: string) => boolean {
  const folded = sameCase(wanted);
  const codes = codesOf(folded);
  const next = nextTries(codes);
  return (text) => {
    const own = keptText(text);
    if (text.length <= SHORT) return own.folded.includes(folded);
    own.codes ??= codesOf(own.folded);
    let at = 0;
    for (const code of own.codes) {
      while (at >= 0 && codes[at] !== code) at = next[at]!;
      at += 1;
      if (at === codes.length) return true;
    }
    return false;
  };
}

/** The text with one letter for all that are equal without case: it is folded once for all filters of a project. */
export function foldedOnce(text: string): string {
  return keptText(text).folded;
}

/** After a mismatch at each place: the place that is compared next, or -1 for the next character of the text. */
function nextTries(codes: Uint16Array): Int32Array {
  const next = new Int32Array(codes.length);
  next[0] = -1;
  for (let at = 1, border = 0; at < codes.length; at += 1) {
    next[at] = codes[at] === codes[border] ? next[border]! : border;
    while (border >= 0 && codes[at] !== codes[border]) border = next[border]!;
    border += 1;
  }
  return next;
}

interface Kept {
  folded: string;
  codes?: Uint16Array;
}

/** The texts of the contact that is compared, each of which is compared with many others. */
const kept = new Map<string, Kept>();

function keptText(text: string): Kept {
  const known = kept.get(text);
  if (known) return known;
  if (kept.size >= KEPT_MAX) kept.clear();
  const made = { folded: sameCase(text) };
  kept.set(text, made);
  return made;
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) codes[at] = text.charCodeAt(at);
  return codes;
}
