import { computed, effect, signal } from '@preact/signals';
import type { ProjectSummary } from '../../client/index.ts';
import { subscribe } from '../live.ts';
import { current } from '../session.ts';

/** The newest figures of the project, from the stream; null until they have come. The navigation and the page Now show them. */
export const summary = signal<ProjectSummary | null>(null);

interface Mark {
  n: number;
  tone: 'live' | 'bad';
  /** For screen readers. */
  meaning: string;
}

/** Small figures in the navigation, by path. */
export const marks = computed<Readonly<Record<string, Mark>>>(() => {
  const { campaigns = [], attention = [] } = summary.value ?? {};
  const running = campaigns.filter(({ status }) => status === 'sending').length;
  const holding = attention.filter(({ kind }) => kind === 'migration').length;
  return {
    ...(running > 0 && { '/campaigns': { n: running, tone: 'live', meaning: 'running' } }),
    ...(holding > 0 && { '/migrations': { n: holding, tone: 'bad', meaning: 'need attention' } }),
  };
});

/** Once, for all pages: the first summary comes as soon as the stream is open. */
export function followSummary(): void {
  subscribe(['project.summary'], ({ data }) => {
    summary.value = data;
  });
  // By id: each way to another page makes `current` again.
  const projectId = computed(() => current.value?.project.id);
  effect(() => {
    projectId.value;
    summary.value = null;
  });
}
