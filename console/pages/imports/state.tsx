import type { ContactImport } from '../../../client/index.ts';
import { State, type Tone } from '../../parts/data/state.tsx';

const states: Record<ContactImport['status'], { tone: Tone; word: string }> = {
  queued: { tone: 'open', word: 'Waits to start' },
  running: { tone: 'live', word: 'Running' },
  completed: { tone: 'good', word: 'Completed' },
  completed_with_errors: { tone: 'warn', word: 'Completed, some rows refused' },
  failed: { tone: 'bad', word: 'Failed' },
};

export function ImportState({ status }: Pick<ContactImport, 'status'>) {
  const { tone, word } = states[status];
  return <State tone={tone}>{word}</State>;
}
