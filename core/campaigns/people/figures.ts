import type { Filter } from 'mongodb';
import type { Figure } from '../../../schemas/campaigns/people.ts';
import { DELIVERED_STATES, type MessageState, states } from '../../mail/ledger/states.ts';
import type { Engagement } from '../../mail/messages/model.ts';
import type { Campaign } from '../model.ts';

type Act = 'openedAt' | 'humanOpenedAt' | 'clickedAt' | 'unsubscribedAt' | 'complainedAt';

export interface Acted {
  kind: 'acted';
  at: Act;
  index: string;
}

export interface InStates {
  kind: 'inStates';
  states: readonly MessageState[];
}

/** Delivered mail whose engagement has no such date. */
export interface DidNot {
  kind: 'didNot';
  act: Acted;
}

const acted = (at: Act, index: string): Acted => ({ kind: 'acted', at, index });
const inState = (state: MessageState): InStates => ({ kind: 'inStates', states: [state] });
const opened = acted('openedAt', 'opened');
const clicked = acted('clickedAt', 'clicked');

export const figures: Record<Figure, Acted | InStates | DidNot> = {
  sent: { kind: 'inStates', states: DELIVERED_STATES },
  bounced: inState(states.bounced),
  failed: inState(states.failed),
  suppressed: inState(states.suppressed),
  unknown: inState(states.unknown),
  opened,
  humanOpened: acted('humanOpenedAt', 'human_opened'),
  clicked,
  unsubscribed: acted('unsubscribedAt', 'unsubscribed'),
  complained: acted('complainedAt', 'complained'),
  notOpened: { kind: 'didNot', act: opened },
  notClicked: { kind: 'didNot', act: clicked },
};

type Tenant = Pick<Campaign, '_id' | 'projectId'>;

const ANY_TIME = new Date(0);

/** A link of the content by its position, or an address that was clicked; at most one of them. */
export interface ClickedLink {
  position?: number | undefined;
  url?: string | undefined;
}

/** A range of dates, which MongoDB answers from keys; it would read every document for `$exists`. */
export function actedIn(
  { _id, projectId }: Tenant,
  { at }: Acted,
  { position, url }: ClickedLink = {},
): Filter<Engagement> {
  const on = {
    ...(position === undefined ? {} : { 'clicks.link': position }),
    ...(url === undefined ? {} : { 'clicks.url': url }),
  };
  return { projectId, campaignId: _id, [at]: { $gte: ANY_TIME }, ...on };
}

export function indexOf({ index }: Acted, { position, url }: ClickedLink = {}): string {
  if (position !== undefined) return 'clicked_link';
  return url === undefined ? index : 'clicked_url';
}
