import type { Needs } from '../base/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type DomainsDeps = Needs<
  'clock' | 'config' | 'dns' | 'log' | 'mongo' | 'signals' | 'state' | 'subscribers' | 'workflows',
  'domains' | 'senders' | 'starts'
>;
