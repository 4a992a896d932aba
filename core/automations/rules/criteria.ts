import {
  type Behaviour,
  behavioursOf,
  compileFilter,
  type DeclaredTypes,
  type Filter,
  type FilterSubject,
  isBehaviour,
  isFilter,
  parseFilter,
} from '../../people/filters/filters.ts';

/** The criteria of an entry or a branch, read once. */
interface CompiledCriteria {
  matches(subject: FilterSubject): boolean;
  /** The questions about behaviour. */
  behaviours: Behaviour[];
  /** `contactProperties.plan equals "pro" AND email is_not_empty` */
  describe(): string;
}

/** Absent criteria match every contact; criteria that cannot be read any more (a type was declared again) match none. */
export function compileCriteria(criteria: Record<string, unknown> | null, declared: DeclaredTypes): CompiledCriteria {
  if (!criteria) return { matches: () => true, behaviours: [], describe: () => 'always' };
  const parsed = parseFilter(criteria, declared);
  if (!parsed.ok) return { matches: () => false, behaviours: [], describe: () => 'never: its criteria cannot be read' };
  const { filter } = parsed;
  return {
    matches: compileFilter(filter),
    behaviours: behavioursOf(filter),
    describe: () => describeFilter(filter),
  };
}

function describeFilter({ logicalOperator, groups }: Filter): string {
  return groups.map(describeEntry).join(` ${logicalOperator} `);
}

function describeEntry(entry: Filter['groups'][number]): string {
  if (isFilter(entry)) return `(${describeFilter(entry)})`;
  if (isBehaviour(entry)) return describeBehaviour(entry);
  const { field, operator, value } = entry;
  const said = value === undefined ? '' : ` ${JSON.stringify(value)}`;
  return `${field} ${operator}${said}`;
}

/** `clicked at_least 2, withinDays 30, url "https://example.com/"` */
function describeBehaviour({ id: _, behaviour, operator, count, ...rest }: Behaviour): string {
  const said = Object.entries(rest).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`);
  return `${behaviour} ${operator}${operator === 'at_least' ? ` ${count ?? 1}` : ''}${said.join('')}`;
}
