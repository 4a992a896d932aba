import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RecipientStatus } from '../../../../../client/index.ts';
import { place, to } from '../../../../router.ts';
import { isAsked } from '../../../lists/from-campaign.ts';
import { type Act, isAct } from './facts.tsx';

/** Which people the table at the end of the page shows: those in a state, or those who did something. */
export interface View {
  status?: RecipientStatus | undefined;
  reason?: string | undefined;
  did?: Act | undefined;
  /** With `did` clicked: of one link. */
  link?: string | undefined;
}

const NAMES = ['status', 'reason', 'did', 'link', 'page', 'person'] as const;
export const PEOPLE_ID = 'people';

/** Of the address. */
export function currentView(): View {
  const { query } = place.value;
  const read = (name: string) => query.get(name) || undefined;
  const did = read('did');
  return {
    status: read('status') as RecipientStatus | undefined,
    reason: read('reason'),
    did: isAct(did) ? did : undefined,
    link: read('link'),
  };
}

export function hrefOf(view: View): string {
  const query = new URLSearchParams(place.value.query);
  for (const name of NAMES) query.delete(name);
  for (const [name, value] of Object.entries(view)) if (value) query.set(name, value);
  const text = query.toString();
  return location.pathname + (text && `?${text}`);
}

/** The page of a new segment of these people; null when no filter finds them. */
export function segmentOf(campaignId: string, did: string | undefined): string | null {
  return isAsked(did) ? to('/lists/new', { campaign: campaignId, did }) : null;
}

/** A figure that counts people leads to them, on the same page. */
export function Door({ view, children }: { view: View; children: ComponentChildren }) {
  return <a href={hrefOf(view)}>{children}</a>;
}

/** Scrolls to the people when a figure was followed that is far above them. */
export function useFollowDoors(): void {
  const key = JSON.stringify(currentView());
  const before = useRef(key);
  useEffect(() => {
    if (before.current === key) return;
    before.current = key;
    const target = document.getElementById(PEOPLE_ID);
    const box = target?.getBoundingClientRect();
    if (!target || !box || (box.top < innerHeight / 2 && box.bottom > 0)) return;
    target.scrollIntoView({ block: 'start' });
  }, [key]);
}
