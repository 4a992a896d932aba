import type { ContactList } from '../../../client/index.ts';
import { useNames } from '../../parts/choose/names.ts';
import { lists } from '../../parts/choose/things.ts';
import type { Form } from '../../parts/forms/form.ts';
import type { Parts } from '../../parts/forms/overtaken.tsx';
import {
  behaviours,
  fromCriteria,
  type GroupRow,
  type KnownField,
  leavesOf,
  memberships,
  needsValue,
  operators,
  type Row,
} from './filter.ts';

/** The form of the page. */
export interface Draft {
  name: string;
  group: GroupRow;
}

/** The parts of the editor as the page calls them, for two versions next to each other. */
export function useParts(
  newest: ContactList | null,
  form: Form<Draft>,
  { fields }: Pick<Known, 'fields'>,
): Parts<Draft> {
  // Only then are the names of both needed.
  const groups = newest ? [fromCriteria(newest.filterCriteria, fields), form.values.value.group] : [];
  const ids = groups.flatMap(leavesOf).flatMap((row) => (row.kind === 'list' ? [row.listId] : []));
  const names = useNames(lists, ids);
  return {
    name: 'Name',
    group: { label: 'Who belongs to it', text: (group) => wordsOf(group, { fields, nameOf: names.name }) },
  };
}

interface Known {
  fields: readonly KnownField[];
  nameOf: (listId: string) => string;
}

/** A filter as text, a condition a line, for two versions next to each other. */
function wordsOf({ join, rows }: GroupRow, known: Known): string {
  return rows
    .flatMap((row, index) => {
      const [first = '', ...more] = lineOf(row, known).split('\n');
      return [index === 0 ? first : `${join === 'OR' ? 'or' : 'and'} ${first}`, ...more];
    })
    .join('\n');
}

function lineOf(row: Row, { fields, nameOf }: Known): string {
  switch (row.kind) {
    case 'group':
      return `(${wordsOf(row, { fields, nameOf }).replaceAll('\n', '\n  ')})`;
    case 'other':
      return JSON.stringify(row.entry);
    case 'list':
      return `${labelIn(memberships, row.operator)} ${nameOf(row.listId)}`;
    case 'behaviour': {
      const { behaviour, operator, count, withinDays, ...about } = row;
      const often = operator === 'never' ? 'never' : `at least ${count} times`;
      const of = [about.campaignId, about.automationId, about.url, about.eventName].filter(Boolean);
      const within = withinDays === '' ? [] : [`in the last ${withinDays} days`];
      return [labelIn(behaviours, behaviour), ...of, often, ...within].join(', ');
    }
    case 'field': {
      const { label = row.field, type = 'string' } = fields.find(({ path }) => path === row.field) ?? {};
      const values = needsValue(row.operator) ? [row.value, ...(row.operator === 'between' ? [row.upper] : [])] : [];
      return `${label} ${labelIn(operators[type], row.operator)} ${values.join(' and ')}`.trim();
    }
  }
}

function labelIn(choices: ReadonlyArray<{ value: string; label: string }>, value: string): string {
  return choices.find((choice) => choice.value === value)?.label ?? value;
}
