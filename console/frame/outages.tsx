import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { apiLost, callsOpen, sessionEnded } from '../api.ts';
import { liveState } from '../live.ts';
import { Notice } from '../parts/page/notice.tsx';

const SLOW_MS = 400;

/** A moving line at the top while an answer takes longer than one waits without a thought. */
export function Loading() {
  const isSlow = useSignal(false);
  const isBusy = useComputed(() => callsOpen.value > 0);
  useEffect(() => {
    isSlow.value = false;
    if (!isBusy.value) return;
    const timer = setTimeout(() => {
      isSlow.value = true;
    }, SLOW_MS);
    return () => clearTimeout(timer);
  }, [isBusy.value]);
  return isSlow.value && isBusy.value ? <div class="loading" aria-hidden="true" /> : null;
}

/** Above the work for what concerns every page. Each trouble has its own words, and the worst is shown. */
export function Outages() {
  return (
    <div class="outages" aria-live="polite">
      <Outage />
    </div>
  );
}

function Outage() {
  if (sessionEnded.value)
    return (
      <Notice
        kind="warn"
        title="Your session has ended"
        action={
          <a class="btn small" href="/console/sign-in" target="_blank" rel="noopener">
            Sign in again
          </a>
        }
      >
        <p>
          You were signed out here or on another device. Sign in in another tab and come back: what you typed stays
          here.
        </p>
      </Notice>
    );
  if (apiLost.value)
    return (
      <Notice kind="bad" title="The API cannot be reached">
        <p>What you see may be old, and nothing can be saved. The console goes on by itself when it is back.</p>
      </Notice>
    );
  if (liveState.value === 'lost')
    return (
      <Notice kind="warn" title="Live figures have stopped">
        <p>The stream was cut off and is being opened again. Buttons work; nothing that happens is lost.</p>
      </Notice>
    );
  if (liveState.value === 'slow')
    return (
      <Notice kind="warn" title="Live figures are late">
        <p>The stream is open and slow. The figures catch up by themselves.</p>
      </Notice>
    );
  return null;
}
