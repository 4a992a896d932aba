import type { Message } from '../model.ts';

/** Of a suppressed mail: no entry stopped it, but the frequency cap of its project. */
export const FREQUENCY_CAP = 'FREQUENCY_CAP';

const IN_WORDS =
  'The person has had as many marketing mails as the frequency cap of the project allows. This one is not sent any more; a higher cap, or one that excepts its group, lets the next ones out.';

/** The reason that a mail shows, in a sentence. */
export function reasonInWords({ reason, suppressedBy }: Pick<Message, 'reason' | 'suppressedBy'>): string | null {
  return reason ?? (suppressedBy?.reason === FREQUENCY_CAP ? IN_WORDS : null);
}
