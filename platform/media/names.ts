/** Names are hashes that we make; nothing else is ever joined to a path, a key or a URL. */
const NAME = /^[0-9a-f]{64}\.(png|jpg|gif|webp)$/;

export function isName(name: string): boolean {
  return NAME.test(name);
}

export function requireName(name: string): void {
  if (!isName(name)) throw new Error('not a valid media file name');
}
