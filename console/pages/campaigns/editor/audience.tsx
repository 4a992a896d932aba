import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CountedAudience } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Pairs } from '../../../parts/data/details.tsx';
import { count } from '../../../parts/data/format.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { sentenceOf } from '../../../parts/forms/form.ts';
import { Notice } from '../../../parts/page/notice.tsx';
import { useQuery, useWhenFound } from '../../../parts/page/query.ts';
import { to } from '../../../router.ts';
import { type Draft, GLOBAL, isAddressed } from './draft.ts';
import { localBody } from './local.ts';

const PAUSE_MS = 300;

export interface Audience {
  /** null: it is being counted, or could not be. */
  found: ReadonlySignal<CountedAudience | null>;
  error: ReadonlySignal<unknown>;
  /** As it is at this moment, and shown as such; null: it could not be counted, or another one was chosen since. */
  count(): Promise<CountedAudience | null>;
}

/** Counts who gets the mail while it is chosen; an answer that was overtaken is dropped. */
export function useAudience(draft: Draft): Audience {
  const { toLists, excludeLists, audience, unsubscribeGroupId } = draft;
  const localTime = draft.when === 'local' ? localBody(draft) : null;
  const found = useSignal<CountedAudience | null>(null);
  const error = useSignal<unknown>(null);
  const latest = useRef(async (): Promise<CountedAudience | null> => null);
  const ask = () => latest.current();
  useWhenFound(error, ask);
  useLayoutEffect(() => {
    const own = new AbortController();
    found.value = null;
    error.value = null;
    const body = {
      toLists: toLists.filter((id) => id !== GLOBAL),
      excludeLists: [...excludeLists],
      sendToGlobalList: toLists.includes(GLOBAL),
      unsubscribeGroupId: unsubscribeGroupId || null,
      ...(audience && toLists.length === 0 && { audience }),
      ...(localTime && { localTime }),
    };
    latest.current = async () => {
      const { data, error: fault } = await api.safe.campaigns.audience(body, { signal: own.signal });
      if (own.signal.aborted) return null;
      if (data) found.value = data;
      error.value = fault;
      return data;
    };
    const timer = isAddressed(draft) ? setTimeout(ask, PAUSE_MS) : undefined;
    return () => {
      clearTimeout(timer);
      own.abort();
    };
  }, [toLists, excludeLists, audience, unsubscribeGroupId, JSON.stringify(localTime)]);
  return { found, error, count: ask };
}

/** Where the people come from when no list says it. */
export function OtherAudience({ audience: { campaignId } }: { audience: NonNullable<Draft['audience']> }) {
  const campaign = useQuery((signal) => api.campaigns.get(campaignId, { signal }), [campaignId]);
  return (
    <Notice title="For those who did not open another campaign">
      They got{' '}
      <a class="link" href={to(`/campaigns/${campaignId}`)}>
        {campaign.data.value?.name ?? 'the campaign'}
      </a>{' '}
      and neither opened it nor clicked in it. They are chosen when sending starts. A list that you add takes their
      place.
    </Notice>
  );
}

export function NotCounted({ error, count: again }: Pick<Audience, 'error' | 'count'>) {
  const retry = (
    <Button isSmall icon="refresh" onClick={() => void again()}>
      Try again
    </Button>
  );
  return (
    <Notice kind="warn" title="The audience could not be counted" action={retry}>
      {sentenceOf(error.value)}
    </Notice>
  );
}

export function AudienceSum({ audience, isChosen }: { audience: Audience; isChosen: boolean }) {
  const found = audience.found.value;
  if (audience.error.value) return <NotCounted {...audience} />;
  if (!isChosen) return <p class="dim">Choose a list or a segment to see how many people get this mail.</p>;
  return (
    <div role="status">
      <p class="figure">
        {found ? count(found.willReceive) : '…'}{' '}
        <small>{found?.willReceive === 1 ? 'person gets this mail' : 'people get this mail'}</small>
      </p>
      {found && (
        <Pairs
          isNum
          pairs={[
            ['Chosen, each once, without those left out', count(found.total)],
            ['Suppressed', `− ${count(found.suppressed)}`],
            ['Get it', count(found.willReceive)],
          ]}
        />
      )}
      {found && !found.isExact && <p class="dim small">About: it is counted exactly when the campaign starts.</p>}
    </div>
  );
}
