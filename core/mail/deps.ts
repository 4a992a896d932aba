import type { Needs } from '../base/deps.ts';
import type { ConsentDeps } from '../consent/deps.ts';
import type { DomainsDeps } from '../domains/deps.ts';
import type { EventsDeps } from '../events/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type MailDeps = ConsentDeps &
  DomainsDeps &
  EventsDeps &
  Needs<
    'dots' | 'evidence' | 'files' | 'members' | 'rawMails' | 'recentCounts',
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
