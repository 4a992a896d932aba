import type { Look } from '../../../../schemas/templates/block-types.ts';
import { readableOn } from '../../../base/text/colours.ts';

export const LOOK: Required<Look> = {
  width: 600,
  background: '#f2f3f5',
  paper: '#fdfdfd',
  colour: '#22252a',
  accent: '#1a5fb4',
  font: 'sans',
  families: [],
  language: 'en',
};

/** Neither black nor white: mail programs that turn colours around leave these nearly as they are. */
export const DARK = { background: '#121417', paper: '#1d2025', colour: '#e8eaed', line: '#4a4f57' };
const LIGHTEST = '#f5f6f8';

const FONTS = {
  sans: "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  serif: "Georgia,'Times New Roman',serif",
  mono: "Menlo,Consolas,'Courier New',monospace",
};

const FROM_RIGHT = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

export function completed(look: Look | undefined): Required<Look> {
  return { ...LOOK, ...look };
}

/** The fonts of a brand come first: most mail programs have none of them. */
export function fontOf({ font, families }: Required<Look>): string {
  return [...families.map((family) => `'${family}'`), FONTS[font]].join(',');
}

export function directionOf({ language }: Required<Look>): 'ltr' | 'rtl' {
  return FROM_RIGHT.has(language.split('-', 1)[0]!.toLowerCase()) ? 'rtl' : 'ltr';
}

/** The colour in its place on dark paper. */
export function onDark(colour: string): string {
  return readableOn(DARK.paper, colour, LIGHTEST);
}
