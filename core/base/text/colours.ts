/** sRGB as WCAG 2.2 measures it. A colour is #rrggbb. */

/** The least contrast of text by WCAG 2.2 AA. */
export const CONTRAST_MIN = 4.5;
const MIXES = 64;

/** 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white, whichever can be read better: on every colour one of them has a contrast of at least 4.58. */
export function textOn(colour: string): string {
  return contrast('#000000', colour) >= contrast('#ffffff', colour) ? '#000000' : '#ffffff';
}

/** The colour, mixed with as little of `towards` as makes it readable on the paper. */
export function readableOn(paper: string, colour: string, towards: string): string {
  for (let step = 0; step < MIXES; step += 1) {
    const mixed = mix(colour, towards, step / MIXES);
    if (contrast(mixed, paper) >= CONTRAST_MIN) return mixed;
  }
  return towards;
}

function mix(colour: string, towards: string, share: number): string {
  const [from, to] = [channels(colour), channels(towards)];
  const mixed = from.map((channel, index) => Math.round(channel + (to[index]! - channel) * share));
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
