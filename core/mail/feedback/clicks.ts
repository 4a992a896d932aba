import { readClickToken } from '../compose/tokens.ts';
import type { MailDeps } from '../deps.ts';
import { bufferSignal } from './buffer.ts';
import type { Visitor } from './opens.ts';

const SAFE_TARGET = /^https?:\/\/[^\s\\\p{Cc}]+$/iu;

/** The target of the link, which exists only inside the signed token; null for a token that is not ours. HEAD does not count as a click. */
export function noteClick(deps: MailDeps, token: string, { at, agent, method }: Visitor): string | null {
  const read = readClickToken(deps.config, token);
  if (!read || !SAFE_TARGET.test(read.target)) return null;
  const { target, ...ref } = read;
  if (method !== 'HEAD') bufferSignal(deps, { kind: 'click', ...ref, at, agent, url: target });
  return target;
}
