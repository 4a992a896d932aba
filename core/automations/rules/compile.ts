import {
  type Behaviour,
  behavioursOf,
  type DeclaredTypes,
  type Filter,
  type FilterSubject,
  isBehaviour,
  isFilter,
  parseFilter,
} from '../../contacts/filters/filters.ts';
import type { AutomationBranch, AutomationDefinition } from '../model.ts';
import { type CompiledEntry, compileCriteria, compileEntry } from './entry.ts';
import { type StepGraph, stepGraph } from './graph.ts';

/** A definition compiled for many contacts. */
export interface CompiledAutomation {
  definition: AutomationDefinition;
  graph: StepGraph;
  entry: CompiledEntry;
  /** The questions of its branches about behaviour. */
  behaviours: Behaviour[];
  holds(branch: AutomationBranch, subject: FilterSubject): boolean;
  /** The criteria of a branch, in words. */
  rule(branch: AutomationBranch): string;
}

export function compileAutomation(definition: AutomationDefinition, declared: DeclaredTypes): CompiledAutomation {
  const graph = stepGraph(definition.steps);
  const branches = definition.steps.flatMap((step) => (step.type === 'branch' ? step.branches : []));
  const tests = new Map(branches.map((branch) => [branch, compileCriteria(branch.filterCriteria, declared)]));
  return {
    definition,
    graph,
    entry: compileEntry(definition.entryCriteria, declared),
    behaviours: branches.flatMap(({ filterCriteria }) => behavioursAskedBy(filterCriteria, declared)),
    holds: (branch, subject) => tests.get(branch)?.(subject) ?? false,
    rule: (branch) => describeCriteria(branch.filterCriteria, declared),
  };
}

/** `contactProperties.plan equals "pro" AND email is_not_empty` */
function describeCriteria(criteria: Record<string, unknown> | null, declared: DeclaredTypes): string {
  if (!criteria) return 'always';
  const parsed = parseFilter(criteria, declared);
  if (!parsed.ok) return 'never: its criteria cannot be read';
  return describeFilter(parsed.filter);
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

function behavioursAskedBy(criteria: Record<string, unknown> | null, declared: DeclaredTypes): Behaviour[] {
  const parsed = criteria && parseFilter(criteria, declared);
  return parsed?.ok ? behavioursOf(parsed.filter) : [];
}
