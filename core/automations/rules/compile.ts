import { type Condition, type DeclaredTypes, type FilterSubject, parseFilter } from '../../contacts/filters/filters.ts';
import type { AutomationBranch, AutomationDefinition } from '../model.ts';
import { type CompiledEntry, compileCriteria, compileEntry } from './entry.ts';
import { type StepGraph, stepGraph } from './graph.ts';

/** A definition compiled for many contacts. */
export interface CompiledAutomation {
  definition: AutomationDefinition;
  graph: StepGraph;
  entry: CompiledEntry;
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
    holds: (branch, subject) => tests.get(branch)?.(subject) ?? false,
    rule: (branch) => describeCriteria(branch.filterCriteria, declared),
  };
}

/** `contactProperties.plan equals "pro" AND email is_not_empty` */
function describeCriteria(criteria: Record<string, unknown> | null, declared: DeclaredTypes): string {
  if (!criteria) return 'always';
  const parsed = parseFilter(criteria, declared);
  if (!parsed.ok) return 'never: its criteria cannot be read';
  return parsed.filter.groups.map(describeCondition).join(` ${parsed.filter.logicalOperator} `);
}

function describeCondition({ field, operator, value }: Condition): string {
  const said = value === undefined ? '' : ` ${JSON.stringify(value)}`;
  return `${field} ${operator}${said}`;
}
