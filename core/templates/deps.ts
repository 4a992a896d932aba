import type { Needs } from '../base/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type TemplatesDeps = Needs<
  'clock' | 'config' | 'log' | 'media' | 'mongo' | 'signals' | 'state' | 'subscribers',
  'media' | 'mediaUsage' | 'projects' | 'republications' | 'templateLanguages' | 'templateVersions' | 'templates'
>;
