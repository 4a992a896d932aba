import type { Message } from '../model.ts';

/** Of a suppressed mail: no entry stopped it, but the frequency cap of its project. */
export const FREQUENCY_CAP = 'FREQUENCY_CAP';

/** The same: the time of day at which the campaign was to reach the person was over before it began. */
export const LOCAL_TIME_OVER = 'LOCAL_TIME_OVER';

const IN_WORDS = new Map<string | undefined, string>([
  [
    FREQUENCY_CAP,
    'The person has had as many marketing mails as the frequency cap of the project allows. This one is not sent any more; a higher cap, or one that excepts its group, lets the next ones out.',
  ],
  [
    LOCAL_TIME_OVER,
    'Where the person is, the time for this mail was over before the campaign began, and such people get nothing.',
  ],
]);

/** The reason that a mail shows, in a sentence. */
export function reasonInWords({ reason, suppressedBy }: Pick<Message, 'reason' | 'suppressedBy'>): string | null {
  return reason ?? IN_WORDS.get(suppressedBy?.reason) ?? null;
}
