import type { Behaviour, DeclaredTypes, FilterSubject } from '../../people/filters/filters.ts';
import type { AutomationBranch, AutomationDefinition } from '../model.ts';
import { compileCriteria } from './criteria.ts';
import { type CompiledEntry, compileEntry } from './entry.ts';
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
  const rules = new Map(branches.map((branch) => [branch, compileCriteria(branch.filterCriteria, declared)]));
  return {
    definition,
    graph,
    entry: compileEntry(definition.entryCriteria, declared),
    behaviours: [...rules.values()].flatMap(({ behaviours }) => behaviours),
    holds: (branch, subject) => rules.get(branch)?.matches(subject) ?? false,
    rule: (branch) => rules.get(branch)?.describe() ?? '',
  };
}
