import type { Needs } from '../base/deps.ts';
import type { DomainsDeps } from '../domains/deps.ts';
import type { PeopleDeps } from '../people/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type MailDeps = PeopleDeps &
  DomainsDeps &
  Needs<
    'dots' | 'evidence' | 'files' | 'members' | 'rawMails' | 'recentCounts',
    | 'attachmentChunks'
    | 'attachmentFiles'
    | 'automations'
    | 'backlogSeats'
    | 'campaignBlocks'
    | 'campaignClaims'
    | 'campaigns'
    | 'contactErasures'
    | 'contacts'
    | 'contents'
    | 'engagements'
    | 'frequencyPlaces'
    | 'idempotency'
    | 'linkSets'
    | 'messages'
    | 'previews'
    | 'sandboxReports'
    | 'upkeep'
  >;
