import type { Mailing } from './people.ts';
import type { Json } from './protocol.ts';

/** The user ticks a box, so that a client which accepts forms by itself confirms nothing. */
export function questionOf({ people, what }: Mailing): Json {
  const number = `${people.toLocaleString('en-US')} ${people === 1 ? 'person' : 'people'}`;
  return {
    message: `Everpost: this call sends to ${number}: ${what}. Suppressed addresses are left out. Send?`,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: `Send to ${number}`, default: false } },
      required: ['confirm'],
    },
  };
}

/** An answer without the tick is a no. */
export function isYes(answer: unknown): boolean {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { confirm?: unknown } };
  return action === 'accept' && content?.confirm === true;
}

export const refusals = {
  declined: 'The user did not confirm; nothing was sent. Do not repeat this call unless the user asks for it.',
  expired: 'There was no answer within five minutes; nothing was sent.',
  used: 'This confirmation is unknown, has expired, or is for another call; this call sent nothing. See whether an earlier call with it sent something before you call again without it.',
  begun:
    'The user confirmed this call before, and it was made then; a later refusal does not stop it. See what became of it.',
  withdrawn: 'The question was withdrawn; nothing was sent.',
  grown: 'The number of people grew after each confirmation; nothing was sent. Call again later.',
  noForms:
    'This call sends to several people, and the user has to confirm their number. The client does not support elicitation, so it cannot be done here; it can with POST to the REST interface, or with a client that supports elicitation.',
} as const;
