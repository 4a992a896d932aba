import type { ObjectId } from 'mongodb';
import { normalizeEmail } from '../base/text/addresses.ts';
import type { InboundDeps } from './deps.ts';
import type { InboundEnvelope, ParsedMail } from './mail.ts';
import type { InboundMessage } from './model.ts';

/** Mail that a person wrote to addresses of a project, as far as its headers and DMARC say. */
interface WrittenMail {
  projectId: ObjectId;
  messageId: ObjectId;
  /** Normal forms. */
  from: string;
  to: string[];
  /** Our mail that it answers. */
  inReplyTo: ObjectId | null;
  at: Date;
}

declare module '../base/deps.ts' {
  interface Subscribers {
    /** Called before the mail is answered, and again when it is delivered again. */
    writtenMail: ReadonlyArray<(deps: CallerDeps, mail: WrittenMail) => Promise<void>>;
  }
}

/** Reports and automatic answers have no sender in the envelope, or say so in their headers. */
export function isWritten(
  { status, dmarcVerdict }: InboundMessage,
  { mailFrom }: InboundEnvelope,
  { returned, complaint }: ParsedMail,
): boolean {
  return status === 'PROCESSED' && dmarcVerdict !== 'FAIL' && mailFrom !== '' && returned.kind === 'mail' && !complaint;
}

export async function followWritten(deps: InboundDeps, message: InboundMessage, to: string[]): Promise<void> {
  const { _id: messageId, projectId, inReplyToEmailActivityId: inReplyTo, receivedAt: at } = message;
  const from = normalizeEmail(message.from.email);
  if (!from) return;
  const mail = { projectId, messageId, from, to: [...new Set(to)], inReplyTo, at };
  for (const follow of deps.subscribers.writtenMail) await follow(deps, mail);
}
