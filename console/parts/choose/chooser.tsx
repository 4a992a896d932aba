import { FieldFrame } from '../forms/field.tsx';
import type { Form } from '../forms/form.ts';
import { type Names, useNames } from './names.ts';
import { SearchChoice, type SearchChoiceProps } from './search-choice.tsx';
import type { Item, Things } from './things.ts';

type Shared<T> = Pick<SearchChoiceProps<T>, 'none' | 'make' | 'placeholder' | 'look'> & {
  things: Things<T>;
  label: string;
  /** Of a page that shows the names elsewhere too. */
  names?: Names<T>;
  /** The texts of values that are no ids. */
  others?: Readonly<Record<string, string>>;
};

/** One thing, of any number: shown by its name, wherever it is in the order, and named as deleted when it was. */
export function Chooser<T>({
  value,
  names,
  others = {},
  isInvalid = false,
  onPick,
  ...choice
}: Shared<T> &
  Pick<SearchChoiceProps<T>, 'id' | 'describedBy' | 'isInvalid' | 'isReadOnly'> & {
    value: string;
    /** `value` is '' for none. */
    onPick: (item: Item<T>) => void;
  }) {
  const isId = value !== '' && others[value] === undefined;
  const own = useNames(choice.things, names || !isId ? [] : [value]);
  const { of, name, learn } = names ?? own;
  const shown = isId ? name(value) : (others[value] ?? choice.none ?? '');
  return (
    <SearchChoice
      {...choice}
      value={value}
      shown={shown}
      isInvalid={isInvalid || (isId && of(value) === null)}
      onPick={(item) => {
        if (item.value !== '') learn(item);
        onPick(item);
      }}
    />
  );
}

type TextKey<V> = { [K in keyof V]: V[K] extends string ? K : never }[keyof V] & string;

/** The same as a field of a form. */
export function ChooserField<V extends object, T>({
  form,
  name,
  hint,
  why,
  onPick,
  ...choice
}: Shared<T> & {
  form: Form<V>;
  name: TextKey<V>;
  hint?: string;
  why?: string | false | null | undefined;
  /** After the value was set. */
  onPick?: (item: Item<T>) => void;
}) {
  return (
    <FieldFrame form={form} name={name} label={choice.label} hint={why || hint}>
      {({ id, describedBy, error }) => (
        <Chooser
          {...choice}
          id={id}
          describedBy={describedBy}
          value={String(form.values.value[name])}
          isInvalid={error !== undefined}
          isReadOnly={Boolean(why)}
          onPick={(item) => {
            form.set(name, item.value as V[TextKey<V>]);
            onPick?.(item);
          }}
        />
      )}
    </FieldFrame>
  );
}
