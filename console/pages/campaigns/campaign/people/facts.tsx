import type { CampaignFigure, CampaignReasons, CampaignRecipient } from '../../../../../client/index.ts';
import type { Query } from '../../../../parts/page/query.ts';
import { place } from '../../../../router.ts';
import type { Known } from '../figures.ts';

export const LIMIT = 20;

/** By what people did; the states of mail are the other half of the table. */
export const acts = {
  sent: 'Handed over',
  opened: 'Opened',
  humanOpened: 'Opened by a person',
  clicked: 'Clicked',
  notOpened: 'Not opened',
  notClicked: 'Not clicked',
  bounced: 'Bounced',
  unsubscribed: 'Unsubscribed',
  complained: 'Complained',
} satisfies Partial<Record<CampaignFigure, string>>;
export type Act = keyof typeof acts;

export function isAct(name: string | undefined): name is Act {
  return name !== undefined && Object.hasOwn(acts, name);
}

export interface Facts {
  campaignId: string;
  name: string;
  known: Known;
  reasons: Query<CampaignReasons>;
}

/** Opens the story of one person. */
export function PersonLink({ contactId, email }: Pick<CampaignRecipient, 'contactId' | 'email'>) {
  const name = email ?? <span class="dim">Deleted contact</span>;
  if (!contactId) return <>{name}</>;
  const query = new URLSearchParams(place.value.query);
  query.set('person', contactId);
  return <a href={`${location.pathname}?${query}`}>{name}</a>;
}

/** A link of the content is named by its position, one that is grouped by its address. */
export function linkQuery(link: string | undefined): { position: number } | { url: string } | null {
  if (link === undefined) return null;
  return /^\d{1,5}$/.test(link) ? { position: Number(link) } : { url: link };
}
