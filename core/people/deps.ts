import type { Needs } from '../base/deps.ts';
import type { ConsentDeps } from '../consent/deps.ts';
import type { EventsDeps } from '../events/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type PeopleDeps = ConsentDeps &
  EventsDeps &
  Needs<
    'workflows',
    | 'contactFacts'
    | 'contactHistory'
    | 'contactLists'
    | 'contacts'
    | 'customFields'
    | 'importChunks'
    | 'importErrors'
    | 'imports'
    | 'listCounts'
    | 'listRemovals'
    | 'notedFacts'
    | 'previewSlots'
    | 'starts'
  >;
