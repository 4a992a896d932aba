import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** As the style sheet has it: the steps are a list, and the panel covers them. */
const NARROW = '(max-width: 900px)';

export function isNarrow(): boolean {
  return matchMedia(NARROW).matches;
}

/** The same, also after the window has another width. */
export function useNarrow(): boolean {
  const narrow = useSignal(isNarrow());
  useEffect(() => {
    const list = matchMedia(NARROW);
    const look = () => {
      narrow.value = list.matches;
    };
    list.addEventListener('change', look);
    return () => list.removeEventListener('change', look);
  }, []);
  return narrow.value;
}
