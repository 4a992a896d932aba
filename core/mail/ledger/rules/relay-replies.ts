import type { Reply } from '../relay.ts';

const RATE_TEXT =
  /\b(too many(?! recipients)|too much|rate.?limit(ed|s)?|rate limited|(sending|message|connection|mail) rate|throttl(ed|ing)|slow down|concurrent connections|connection limit)\b/i;

/** The relay asks us to slow down, or turns us away: its own state, not the recipient's (4.2.x is a mailbox's). */
export function isThrottle({ code, enhanced, text }: Reply): boolean {
  if (code === 421) return true;
  return code >= 400 && code < 500 && !enhanced?.startsWith('4.2.') && RATE_TEXT.test(text);
}

/** Its disk is full, or its queue: MAIL names no recipient, so the reply is about the relay itself (RFC 3463, 3.4; RFC 5321, 4.2.2). */
export function isOutOfOrder({ code, enhanced }: Reply): boolean {
  return code >= 400 && code < 500 && (enhanced?.startsWith('4.3.') ?? code === 452);
}

/** The relay refuses our login: the reply is not about a message, and an operator has to look. */
export function isAuthFault({ code }: Reply): boolean {
  return code === 530 || code === 534 || code === 535 || code === 538 || code === 454;
}

export function formatReply({ code, enhanced, text }: Reply): string {
  return [code || '', enhanced ?? '', text].filter(Boolean).join(' ');
}
