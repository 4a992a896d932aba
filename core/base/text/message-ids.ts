/** The id of one of our own mails in a Message-ID; null for any other. Copies of marketing mail have their index behind it. */
export function emailIdIn(messageId: string): string | null {
  return /^([0-9a-f]{24})(?:\.\d{1,2})?@[^@]+$/.exec(messageId)?.[1] ?? null;
}

/** The same for every copy of a mail, so that replies to any of them are one conversation. */
export function conversationOf(messageId: string): string {
  return messageId.replace(/^([0-9a-f]{24})\.\d{1,2}@/, '$1@');
}

const REFERENCES_LENGTH_MAX = 998;

/** In-Reply-To and References of a reply: the oldest ids of a long conversation are dropped, except the first, which names it. */
export function threadHeaders(
  messageId: string,
  references: readonly string[],
  inReplyTo: string | null,
): { inReplyTo: string; references: string } | null {
  const clean = (id: string) => /^[\x21-\x3b\x3d\x3f-\x7e]{1,900}$/.test(id);
  if (!clean(messageId)) return null;
  const before = (references.length > 0 ? references : inReplyTo ? [inReplyTo] : []).filter(clean);
  const ids = [...new Set([...before, messageId])].map((id) => `<${id}>`);
  while (ids.length > 2 && ids.join(' ').length > REFERENCES_LENGTH_MAX) ids.splice(1, 1);
  const joined = ids.join(' ');
  return { inReplyTo: `<${messageId}>`, references: joined.length > REFERENCES_LENGTH_MAX ? `<${messageId}>` : joined };
}

/** Puts "Re: " in front, once. */
export function replySubject(subject: string): string {
  const cut = subject.slice(0, 994);
  return /^\s*re\s*(?:\[\d+\]\s*)?:/i.test(cut) ? cut.trim() : `Re: ${cut}`;
}
