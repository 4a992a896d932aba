/** As the public pages make colours readable: sRGB as WCAG 2.2 measures it, colours as #rrggbb. */

/** The grounds of those pages. */
export const PAPER = { light: '#f4f5f7', dark: '#1b212b' };
/** Of a project that has chosen none. */
export const COLOUR = '#1d4fd8';
/** Of text. */
export const CONTRAST_MIN = 4.5;
const MIXES = 64;

export interface Colours {
  button: string;
  onButton: string;
  /** Of links, on each ground. */
  accent: { light: string; dark: string };
}

/** null: what was typed is no colour yet. */
export function coloursOf(typed: string): Colours | null {
  const button = typed.trim().toLowerCase() || COLOUR;
  if (!/^#[0-9a-f]{6}$/.test(button)) return null;
  return {
    button,
    onButton: textOn(button),
    accent: { light: readableOn(PAPER.light, button, '#000000'), dark: readableOn(PAPER.dark, button, '#ffffff') },
  };
}

/** Black or white, whichever can be read better. */
export function textOn(colour: string): string {
  return contrast('#000000', colour) >= contrast('#ffffff', colour) ? '#000000' : '#ffffff';
}

/** 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function readableOn(paper: string, colour: string, towards: string): string {
  for (let step = 0; step < MIXES; step += 1) {
    const mixed = mix(colour, towards, step / MIXES);
    if (contrast(mixed, paper) >= CONTRAST_MIN) return mixed;
  }
  return towards;
}

function mix(colour: string, towards: string, share: number): string {
  const to = channels(towards);
  const mixed = channels(colour).map((from, index) => Math.round(from + ((to[index] ?? 0) - from) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
