import type { Deps } from '../base/deps.ts';
import { readClickToken } from '../composing/tokens.ts';
import { bufferSignal } from './buffer.ts';
import type { Visitor } from './opens.ts';

const SAFE_TARGET = /^https?:\/\/[^\s\\\p{Cc}]+$/iu;

/** Where the link leads, which is inside the signed token and nowhere else; null for a token that is not ours. HEAD is no visit. */
export function noteClick(deps: Deps, token: string, { at, agent, method }: Visitor): string | null {
  const read = readClickToken(deps.config, token);
  if (!read || !SAFE_TARGET.test(read.target)) return null;
  const { target, ...ref } = read;
  if (method !== 'HEAD') bufferSignal(deps, { kind: 'click', ...ref, at, agent, url: target });
  return target;
}
