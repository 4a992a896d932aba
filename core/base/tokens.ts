import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[\w-]{43}$/;

/** Of a link or a session: sent once, and stored as its hash. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** null: this cannot be a token. */
export function hashOf(token: string): Buffer | null {
  return TOKEN_FORM.test(token) ? hashToken(token) : null;
}

/** Tokens of sessions and links are 256 random bits, so a plain hash is enough. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
