import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Form, useForm } from '../../../../parts/forms/form.ts';
import type { IconName } from '../../../../parts/icon.tsx';
import type { Content, Outcome, Step, Steps } from '../model/steps.ts';
import type { Secrets } from '../secrets.ts';

/** In the menu of "+". */
export interface KindOffered {
  label: string;
  hint: string;
  icon: IconName;
  /** A new one. */
  make(): Content;
}

/** A type of step, in the menu and in the panel. One file each; `kinds.ts` has them all. */
export interface Kind extends KindOffered {
  Form(props: StepFormProps): ComponentChildren;
}

export interface StepFormProps {
  step: Step;
  steps: Steps;
  /** By the path within the step, in the words of the interface. */
  errors: Record<string, string>;
  /** Why it cannot be edited. */
  why: string | null;
  /** `field` was written: what is typed into one field is one act. */
  onChange(step: Step, field: string): void;
  onAct(outcome: Outcome): void;
  nameOf(step: Step): string;
  secrets: Secrets;
  /** The event by which people enter; null: they enter otherwise. */
  entryEvent: string | null;
}

/** The fields of a step, typed as texts. */
export function useStepForm<V extends object>(
  { step, errors, onChange }: Pick<StepFormProps, 'step' | 'errors' | 'onChange'>,
  read: (step: Step) => V,
  write: (step: Step, values: V) => Step,
): Form<V> {
  const changed = (next: Step, field: string) => onChange(next, `${step.stepId} ${field}`);
  return useLinkedForm({ value: step, errors, onChange: changed }, read, write);
}

/** A form of texts over a value that is changed with each key. */
export function useLinkedForm<T, V extends object>(
  {
    value,
    errors,
    onChange,
  }: { value: T; errors: Record<string, string>; onChange: (value: T, field: string) => void },
  read: (value: T) => V,
  write: (value: T, values: V) => T,
): Form<V> {
  const form = useForm(read(value));
  const latest = useRef({ value, onChange, write });
  latest.current = { value, onChange, write };
  useLayoutEffect(() => {
    let before = form.values.peek();
    return form.values.subscribe((values) => {
      const field = (Object.keys(values) as Array<keyof V & string>).find((name) => values[name] !== before[name]);
      before = values;
      const now = latest.current;
      if (field) now.onChange(now.write(now.value, values), field);
    });
  }, [form]);
  const said = JSON.stringify(errors);
  useEffect(() => {
    form.errors.value = errors;
  }, [said]);
  return form;
}
