import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CountedAudience } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Pairs } from '../../parts/data/details.tsx';
import { count } from '../../parts/data/format.ts';
import { sentenceOf } from '../../parts/forms/form.ts';
import { Notice } from '../../parts/page/notice.tsx';
import { GLOBAL } from './draft.ts';

export interface Audience {
  toLists: readonly string[];
  excludeLists: readonly string[];
  unsubscribeGroupId: string;
}

const PAUSE_MS = 300;

/** Counts who gets the mail while it is chosen; an answer that was overtaken is dropped. */
export function useAudience({ toLists, excludeLists, unsubscribeGroupId }: Audience) {
  const found = useSignal<CountedAudience | null>(null);
  const error = useSignal<unknown>(null);
  useEffect(() => {
    const own = new AbortController();
    found.value = null;
    error.value = null;
    const body = {
      toLists: toLists.filter((id) => id !== GLOBAL),
      excludeLists: [...excludeLists],
      sendToGlobalList: toLists.includes(GLOBAL),
      unsubscribeGroupId: unsubscribeGroupId || null,
    };
    const ask = () =>
      api.campaigns.audience(body, { signal: own.signal }).then(
        (answer) => {
          if (!own.signal.aborted) found.value = answer;
        },
        (fault: unknown) => {
          if (!own.signal.aborted) error.value = fault;
        },
      );
    const timer = toLists.length > 0 ? setTimeout(ask, PAUSE_MS) : undefined;
    return () => {
      clearTimeout(timer);
      own.abort();
    };
  }, [toLists, excludeLists, unsubscribeGroupId]);
  return { found, error };
}

export function AudienceSum({
  found,
  error,
  isChosen,
}: {
  found: CountedAudience | null;
  error: unknown;
  isChosen: boolean;
}) {
  if (error)
    return (
      <Notice kind="warn" title="The audience could not be counted">
        {sentenceOf(error)}
      </Notice>
    );
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
            ['On the lists, each once, without those left out', count(found.total)],
            ['Suppressed', `− ${count(found.suppressed)}`],
            ['Get it', count(found.willReceive)],
          ]}
        />
      )}
      {found && !found.isExact && <p class="dim small">About: it is counted exactly when the campaign starts.</p>}
    </div>
  );
}
