import { humanLinks, isAutomatedClick, LINKS_KEPT_MAX, linkKey, placeOf } from '../messages/clicks.ts';
import type { ClickSignal, Engagement } from '../messages/model.ts';

/**
 * Clicks of a batch that are kept with the mail: the first click on each link, and later ones while no person is known to have clicked
 * that link.
 */
export class KeptClicks {
  readonly first: ClickSignal[] = [];
  readonly later: ClickSignal[] = [];
  readonly counts: Record<string, number> = {};
  readonly #known: Engagement | null;
  readonly #automatedSeconds: number;
  readonly #places: Set<string>;

  constructor(known: Engagement | null, automatedSeconds: number) {
    this.#known = known;
    this.#automatedSeconds = automatedSeconds;
    this.#places = new Set((known?.clicks ?? []).map(placeOf));
  }

  /** False for a link that is not kept any more. */
  add(click: ClickSignal): boolean {
    const place = placeOf(click);
    const isKnown = this.#places.has(place);
    if (!isKnown && this.#places.size >= LINKS_KEPT_MAX) return false;
    const key = linkKey(click);
    this.counts[`linkClicks.${key}`] = (this.counts[`linkClicks.${key}`] ?? 0) + 1;
    this.#places.add(place);
    if (!isKnown) this.first.push(click);
    else if (this.#mayBeTheFirstOfAPerson(click, key)) this.later.push(click);
    return true;
  }

  /** Those by a person, the first on each link. */
  human(): ClickSignal[] {
    if (this.first.length + this.later.length === 0) return [];
    const { clicks = [], laterClicks = [] } = this.#known ?? {};
    const kept = { clicks: [...clicks, ...this.first], laterClicks: [...laterClicks, ...this.later] };
    const links = humanLinks(kept, this.#automatedSeconds);
    return [...this.first, ...this.later].filter(
      (click) => links.has(linkKey(click)) && !isAutomatedClick(click, this.#automatedSeconds),
    );
  }

  #mayBeTheFirstOfAPerson(click: ClickSignal, key: string): boolean {
    const { clicks = [], laterClicks = [] } = this.#known ?? {};
    if (laterClicks.length + this.later.length >= LINKS_KEPT_MAX) return false;
    if (isAutomatedClick(click, this.#automatedSeconds)) return false;
    const kept = { clicks: [...clicks, ...this.first], laterClicks: [...laterClicks, ...this.later] };
    return !humanLinks(kept, this.#automatedSeconds).has(key);
  }
}
