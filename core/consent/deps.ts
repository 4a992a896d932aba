import type { Needs } from '../base/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type ConsentDeps = Needs<
  'clock' | 'config' | 'mongo' | 'state' | 'subscribers',
  'consents' | 'projects' | 'suppressionGroups' | 'suppressions'
>;
