import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ContactList } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useQuery } from '../../parts/page/query.ts';

/** The first hundred lists and segments, for choices and for the names of ids; empty until they are loaded. */
export function useLists(): ReadonlySignal<readonly ContactList[]> {
  const lists = useQuery((signal) => api.contactLists.list({ limit: 100 }, { signal }));
  return useMemo(() => computed(() => lists.data.value?.lists ?? []), []);
}
