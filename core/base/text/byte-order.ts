const SURROGATES = 0xd800;
const BEHIND_SURROGATES = 0xe000;

/**
 * The order of two texts as UTF-8 bytes, which is MongoDB's: negative when `a` comes first. JavaScript compares UTF-16 units, where
 * the surrogates of U+10000 and above come before U+E000.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= SURROGATES && unit < BEHIND_SURROGATES ? unit + 0x10000 : unit;
}
