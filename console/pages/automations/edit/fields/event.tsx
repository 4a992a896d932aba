import { ChooserField } from '../../../../parts/choose/chooser.tsx';
import { events } from '../../../../parts/choose/things.ts';
import type { Form } from '../../../../parts/forms/form.ts';

type TextKey<V> = { [K in keyof V]: V[K] extends string ? K : never }[keyof V] & string;

/** An event of the project. */
export function EventField<V extends object>({
  form,
  name,
  why,
}: {
  form: Form<V>;
  name: TextKey<V>;
  why: string | null;
}) {
  return <ChooserField form={form} name={name} label="Event" placeholder="Choose an event" things={events} why={why} />;
}
