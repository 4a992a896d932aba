import { useSignal } from '@preact/signals';
import type { EventDefinition } from '../../../../../client/index.ts';
import { api } from '../../../../api.ts';
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

interface Props {
  criteria: Criteria;
  /** Its properties can be asked for too. */
  eventName?: string | null | undefined;
  errors: Record<string, string>;
  isReadOnly: boolean;
  onChange: (criteria: Criteria) => void;
}

/** The filter of a step or of the entry, as a segment has it; null: everybody. */
export function Conditions(props: Props) {
  const { eventName } = props;
  const fields = useQuery(
    async (signal) => {
      const [known, event] = await Promise.all([allFields(signal), eventName ? eventNamed(eventName, signal) : null]);
      return { of: eventName, all: [...fieldsOf(event), ...knownFields(known)] };
    },
    [eventName],
  );
  return <Loaded query={fields}>{(known) => <Builder key={known.of ?? ''} {...props} fields={known.all} />}</Loaded>;
}

function Builder({ criteria, errors, isReadOnly, fields, onChange }: Props & { fields: readonly KnownField[] }) {
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

async function eventNamed(eventName: string, signal: AbortSignal): Promise<EventDefinition | null> {
  for await (const event of api.events.list({ search: eventName, limit: 100 }, { signal }))
    if (event.eventName === eventName) return event;
  return null;
}

function fieldsOf(event: EventDefinition | null): KnownField[] {
  return (event?.properties ?? []).map(({ propertyName, type }) => ({
    ...{ path: `event.properties.${propertyName}`, label: `Event: ${propertyName}`, type },
  }));
}
