import type { ComponentChildren } from 'preact';
import type { InboundMessage, InboundStatus, Mailbox } from '../../../client/index.ts';
import { State, type Tone } from '../../parts/data/state.tsx';

const states: Record<InboundStatus, { tone: Tone; word: string }> = {
  PROCESSED: { tone: 'idle', word: 'Received' },
  PROCESSING: { tone: 'open', word: 'Being read' },
  FAILED: { tone: 'bad', word: 'Could not be read' },
  BLOCKED_UNVERIFIED: { tone: 'warn', word: 'Domain was not verified' },
  BLOCKED_UNROUTED: { tone: 'warn', word: 'Had no place to go' },
};

export function Arrival({ mail: { status } }: { mail: InboundMessage }) {
  const { tone, word } = states[status];
  return <State tone={tone}>{word}</State>;
}

export function isOrdinary({ status }: InboundMessage): boolean {
  return status === 'PROCESSED';
}

/** Its writer was deleted as a contact, and the mail was erased with it. */
export function isErased({ from }: InboundMessage): boolean {
  return from.email === '';
}

/** Names may be written from right to left, which must not turn the words around them. */
export function writerOf(mail: InboundMessage): ComponentChildren {
  if (isErased(mail)) return <span class="dim">deleted contact</span>;
  return <bdi>{mail.from.name || mail.from.email}</bdi>;
}

export function subjectOf(mail: InboundMessage): ComponentChildren {
  return mail.subject ? <bdi>{mail.subject}</bdi> : <span class="dim">no subject</span>;
}

export function Addresses({ of }: { of: readonly Mailbox[] }) {
  return (
    <>
      {of.map(({ email, name }, index) => (
        <p key={index}>
          <bdi>{name ? `${name} <${email}>` : email}</bdi>
        </p>
      ))}
    </>
  );
}
