import { EverpostError } from '../../../../client/index.ts';
import { fieldErrors, sentenceOf } from '../../../parts/forms/form.ts';
import type { Step } from './model/steps.ts';

/** A line of a refusal, as the interface says it, with the step that it is about. */
export interface Fault {
  /** null: of the automation as a whole. */
  stepId: string | null;
  /** Within the step: 'email/subject'. */
  field: string;
  text: string;
}

/** `steps` are those that were sent: the interface counts them. */
export function faultsIn(error: unknown, steps: readonly Step[]): Fault[] {
  const found = Object.entries(fieldErrors(error)).map(([path, text]) => faultAt(path, text, steps));
  if (found.length > 0) return found;
  const details = error instanceof EverpostError ? error.details : null;
  return [{ stepId: null, field: '', text: details ?? sentenceOf(error) }];
}

export function faultAt(path: string, text: string, steps: readonly Step[]): Fault {
  const [, index, field = ''] = /^steps\/(\d+)(?:\/(.+))?$/.exec(path) ?? [];
  if (index === undefined) return { stepId: null, field: path, text };
  return { stepId: steps[Number(index)]?.stepId ?? null, field, text };
}

/** By field, of one step. */
export function errorsOf(faults: readonly Fault[], stepId: string | null): Record<string, string> {
  return Object.fromEntries(faults.filter((one) => one.stepId === stepId).map(({ field, text }) => [field, text]));
}
