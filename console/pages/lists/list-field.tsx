import { useSignal } from '@preact/signals';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { listItem, lists } from '../../parts/choose/things.ts';
import type { Form } from '../../parts/forms/form.ts';
import { can } from '../../session.ts';
import { ListDialog } from './list-dialog.tsx';

type TextKey<V> = { [K in keyof V]: V[K] extends string ? K : never }[keyof V] & string;

/** A list or a segment, or a list that is made in place: nothing that was typed is left. */
export function ListField<V extends object>({
  form,
  name,
  none,
  why,
}: {
  form: Form<V>;
  name: TextKey<V>;
  none?: string;
  why?: string | null;
}) {
  const typed = useSignal<string | null>(null);
  const make = {
    label: 'Make the list',
    pick: (text: string) => {
      typed.value = text;
    },
  };
  return (
    <>
      <ChooserField
        {...{ form, name, none, why }}
        label="List or segment"
        placeholder="Choose a list or segment"
        things={lists}
        make={can('contactLists.create') ? make : undefined}
      />
      {typed.value !== null && (
        <ListDialog
          name={typed.value}
          onDone={(list) => form.set(name, listItem(list).value as V[TextKey<V>])}
          onClose={() => {
            typed.value = null;
          }}
        />
      )}
    </>
  );
}
