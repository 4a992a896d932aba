import type { EntryCriteria } from '../../../../../client/index.ts';
import { Checkbox } from '../../../../parts/forms/choices.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import { useLinkedForm } from '../steps/step-form.ts';
import { errorsIn } from './errors.ts';
import { Offset } from './offset.tsx';

interface Props {
  entry: EntryCriteria;
  errors: Record<string, string>;
  why: string | null;
  onChange: (entry: EntryCriteria, field: string) => void;
}

/** Of an entry by a date of the contact. */
export function DateEntry(props: Props) {
  const { entry, errors, why, onChange } = props;
  const form = useLinkedForm({ value: entry, errors, onChange }, read, write);
  return (
    <>
      <Field
        form={form}
        name="property"
        label="Date"
        placeholder="contactProperties.birthday"
        hint="A field of the contact that holds a date."
        isMono
        why={why}
      />
      <Offset
        offset={entry.offset}
        errors={errorsIn(errors, 'offset')}
        why={why}
        onChange={(offset, field) => onChange(withOffset(entry, offset), `offset ${field}`)}
      />
      <Field form={form} name="time" label="At" type="time" isNarrow why={why} />
      <Checkbox
        form={form}
        name="yearly"
        label="Each year"
        hint="On each anniversary, as of a birthday. Else once for each date."
        isDisabled={why !== null}
      />
    </>
  );
}

function read({ property = '', time = '09:00', yearly = false }: EntryCriteria) {
  return { property, time, yearly };
}

function write(entry: EntryCriteria, typed: ReturnType<typeof read>): EntryCriteria {
  return { ...entry, ...typed };
}

function withOffset({ offset: _, ...entry }: EntryCriteria, offset: EntryCriteria['offset']): EntryCriteria {
  return offset ? { ...entry, offset } : entry;
}
