import { hash } from 'node:crypto';
import type { Behaviour, FilterSubject } from '../../people/filters/filters.ts';
import type { AutomationBranch, AutomationDefinition, AutomationShare, AutomationStep } from '../model/definition.ts';
import { type AutomationTypes, type AwaitedEvents, compileAwaited } from './awaited.ts';
import { compileCriteria } from './criteria.ts';
import { type CompiledEntry, compileEntry, type Person } from './entry.ts';
import { type StepGraph, stepGraph } from './graph/graph.ts';
import type { Zones } from './waits.ts';

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
  /** The share of a split that a person is in: the same in every run and simulation, and after a crash. */
  shareOf(step: SplitStep, person: Person): AutomationShare;
  zones: Zones;
  awaited: AwaitedEvents;
}

type SplitStep = AutomationStep & { type: 'split' };
const HUNDREDTHS = 2 ** 32 / 100;

/** `_id` is the automation's, so that the sides of a person in two automations have nothing to do with each other. */
export function compileAutomation(
  definition: AutomationDefinition,
  declared: AutomationTypes,
  { _id }: { _id: { toHexString(): string } },
  zones: Zones,
): CompiledAutomation {
  const graph = stepGraph(definition.steps);
  const branches = definition.steps.flatMap((step) => (step.type === 'branch' ? step.branches : []));
  const rules = new Map(branches.map((branch) => [branch, compileCriteria(branch.filterCriteria, declared)]));
  return {
    definition,
    graph,
    zones,
    awaited: compileAwaited({ _id }, definition.steps, graph, declared),
    entry: compileEntry(definition.entryCriteria, declared),
    behaviours: [...rules.values()].flatMap(({ behaviours }) => behaviours),
    holds: (branch, subject) => rules.get(branch)?.matches(subject) ?? false,
    rule: (branch) => rules.get(branch)?.describe() ?? '',
    shareOf({ stepId, shares }, person) {
      const text = `${_id.toHexString()} ${stepId} ${person._id.toHexString()}`;
      const place = hash('sha256', text, 'buffer').readUInt32BE(0) / HUNDREDTHS;
      let end = 0;
      const taken = shares.find(({ share }) => {
        end += share;
        return place < end;
      });
      return taken ?? (shares.at(-1) as AutomationShare);
    },
  };
}
