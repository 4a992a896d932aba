/** A hole is carried through HTML and text as its number between two private-use characters. */
export const OPEN = '\ue000';
export const CLOSE = '\ue001';

/** Blocks and unescaped values may contain markup, so that every recipient's HTML has to be read. */
const MAY_HOLD_MARKUP = /\{\{~?[{#^&]/;
/** The two characters themselves, also as entities: a reader of HTML would take them for a hole. */
const HAS_MARKS = /[\ue000\ue001]|&#(?:x0{0,6}e00[01]|0{0,6}5734[45])/i;

/** Holes cannot be used in this source: it has to be rendered whole for each recipient. */
export function needsWhole(source: string): boolean {
  return MAY_HOLD_MARKUP.test(source) || hasMarks(source);
}

export function hasMarks(source: string): boolean {
  return HAS_MARKS.test(source);
}
