import { readOpenToken } from '../compose/tokens.ts';
import type { MailDeps } from '../deps.ts';
import { bufferSignal } from './buffer.ts';

export interface Visitor {
  at: Date;
  agent: string;
  purpose: string;
  method: string;
}

/** Returns whether the token is one of ours. */
export function noteOpen(deps: MailDeps, token: string, visitor: Visitor): boolean {
  const ref = readOpenToken(deps.config, token);
  if (ref) bufferSignal(deps, { kind: 'open', ...ref, ...visitor });
  return ref !== null;
}
