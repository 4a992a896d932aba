import { useSignal } from '@preact/signals';
import { Loaded } from '../../../../parts/page/loaded.tsx';
import { useQuery } from '../../../../parts/page/query.ts';
import { allFields } from '../../../contacts/fields.tsx';
import {
  fromCriteria,
  type GroupRow,
  type KnownField,
  knownFields,
  problemsOf,
  toCriteria,
} from '../../../lists/filter.ts';
import { FilterBuilder } from '../../../lists/filter-builder.tsx';

type Criteria = Record<string, unknown> | null;

/** The filter of a branch or of the entry, as a segment has it; null: everybody. */
export function Conditions(props: {
  criteria: Criteria;
  errors: Record<string, string>;
  isReadOnly: boolean;
  onChange: (criteria: Criteria) => void;
}) {
  const fields = useQuery(async (signal) => knownFields(await allFields(signal)));
  return <Loaded query={fields}>{(known) => <Builder {...props} fields={known} />}</Loaded>;
}

function Builder({
  criteria,
  errors,
  isReadOnly,
  fields,
  onChange,
}: Parameters<typeof Conditions>[0] & { fields: readonly KnownField[] }) {
  const group = useSignal<GroupRow>(fromCriteria(criteria, fields));
  const details = Object.entries(errors).map(([path, text]) => `${path}: ${text}`);
  const problems = problemsOf(details.join('; '), group.value);
  return (
    <FilterBuilder
      group={group.value}
      scene={{ fields, counts: new Map(), problems, isReadOnly }}
      onChange={(next) => {
        group.value = next;
        onChange(next.rows.length === 0 ? null : toCriteria(next, fields));
      }}
    />
  );
}
