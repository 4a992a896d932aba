import { useMemo } from 'preact/hooks';
import type { Step } from './model/steps.ts';

/**
 * The values of headers that were typed and are not saved. They are no part of the steps: no undo, no text kept in this browser and no
 * comparison of versions has them.
 */
export interface Secrets {
  set(stepId: string, name: string, value: string): void;
  /** The steps with the values, for sending. */
  fill(steps: readonly Step[]): SentStep[];
  /** Values that were sent are stored, and are not needed any more. */
  forget(sent: readonly SentStep[]): void;
}

type Header = { name: string; value?: string };
export type SentStep = Omit<Step, 'webhook'> & {
  webhook?: Omit<NonNullable<Step['webhook']>, 'headers'> & { headers?: Header[] };
};

export function useSecrets(): Secrets {
  return useMemo(createSecrets, []);
}

function createSecrets(): Secrets {
  const values = new Map<string, string>();
  const keyOf = (stepId: string, name: string) => `${stepId} ${name.toLowerCase()}`;
  return {
    set: (stepId, name, value) => values.set(keyOf(stepId, name), value),
    fill: (steps) =>
      steps.map((step) => {
        const headers = step.webhook?.headers;
        if (!step.webhook || !headers) return step;
        const filled = headers.map(({ name }): Header => {
          const value = values.get(keyOf(step.stepId, name));
          return { name, ...(value !== undefined && { value }) };
        });
        return { ...step, webhook: { ...step.webhook, headers: filled } };
      }),
    forget(sent) {
      for (const { stepId, webhook } of sent)
        for (const { name, value } of webhook?.headers ?? [])
          if (value !== undefined && values.get(keyOf(stepId, name)) === value) values.delete(keyOf(stepId, name));
    },
  };
}
