import { reply } from '../inbound/reply.ts';

/** A mail that arrives: what our Received line says of it, and by which it is known when it comes back. */
export interface Arrival {
  emailId: string;
  projectId: string;
  at: Date;
  mailHost: string;
  /** ESMTPA or ESMTPSA. */
  protocol: string;
}

const SERVICE = '(Everpost)';

/** RFC 5321 4.4. Without the client: the others were removed too, since they name machines of the sender. */
export function receivedLine({ emailId, at, mailHost, protocol }: Arrival): string {
  return `Received: by ${mailHost} ${SERVICE} with ${protocol} id ${emailId};\r\n ${at.toUTCString().replace('GMT', '+0000')}\r\n`;
}

/**
 * A mail that we sent and that the relay hands back to us would be taken for a repeat of itself, and never reach anybody. A submitted mail has
 * our Received line, a mail that we composed has the project in its Feedback-ID.
 */
export function refuseOwnMail(fields: readonly { name: string; value: string }[], own: Arrival): void {
  const start = `by ${own.mailHost} ${SERVICE} `;
  const isOurs = fields.some(
    ({ name, value }) =>
      (name === 'received' && value.startsWith(start)) ||
      (name === 'feedback-id' && value.split(':', 2)[1] === own.projectId),
  );
  if (isOurs)
    throw reply(
      554,
      '5.4.6 This mail was sent from here and has come back: the relay of SMTP_URL must not hand mail to this server',
    );
}
