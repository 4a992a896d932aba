import type { Automation, UpdateAutomationBody } from '../../../../client/index.ts';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import { linesOf as blockLines } from '../../../mail-editor/model/labels.ts';
import type { Parts } from '../../../parts/forms/overtaken.tsx';
import { nameOf } from '../graph/flow.ts';
import type { Step } from './model/steps.ts';
import type { SentStep } from './secrets.ts';

/** The content of an automation as the editor has it. */
export type Values = Pick<
  Automation,
  | 'name'
  | 'description'
  | 'entryCriteria'
  | 'reentry'
  | 'exitCriteria'
  | 'steps'
  | 'tags'
  | 'trackingOpen'
  | 'trackingClick'
  | 'utm'
> & {
  /** '' for the group of all marketing mail. */
  unsubscribeGroupId: string;
};

export function valuesOf(automation: Automation): Values {
  const { name, description, entryCriteria, reentry, exitCriteria, steps, unsubscribeGroupId = '' } = automation;
  const { tags, trackingOpen, trackingClick, utm } = automation;
  return {
    ...{ name, description, entryCriteria, reentry, exitCriteria, steps, unsubscribeGroupId },
    ...{ tags, trackingOpen, trackingClick, utm },
  };
}

/** An automation that runs, or ran, is changed by a draft of its next version. */
export function isSavedAsDraft({ status, draft }: Pick<Automation, 'status' | 'draft'>): boolean {
  return status !== 'draft' || draft !== null;
}

export type SentValues = Omit<Values, 'steps'> & { steps: readonly SentStep[] };

export function bodyOf({ unsubscribeGroupId, steps, ...values }: SentValues): UpdateAutomationBody {
  return { ...values, unsubscribeGroupId: unsubscribeGroupId || null, steps: steps.map(inputOf) };
}

/** A branch without conditions has none, instead of null. */
function inputOf({ branches, ...step }: SentStep): NonNullable<UpdateAutomationBody['steps']>[number] {
  if (!branches) return step;
  return {
    ...step,
    branches: branches.map(({ filterCriteria, ...branch }) => ({
      ...branch,
      ...(filterCriteria && { filterCriteria }),
    })),
  };
}

const countedWords = (isCounted: boolean) => (isCounted ? 'Counted' : 'Not counted');
const noTemplates = { of: () => null };

/** For two versions next to each other. */
export const parts: Parts<Values> = {
  name: 'Name',
  entryCriteria: { label: 'Entry', text: (entry) => linesOf(entry, '').join('\n') },
  reentry: 'Entering again',
  exitCriteria: 'Leaving early',
  unsubscribeGroupId: 'Unsubscribe group',
  description: 'Description',
  tags: { label: 'Tags', text: (tags) => tags.join(', ') },
  trackingOpen: { label: 'Opens', text: countedWords },
  trackingClick: { label: 'Clicks', text: countedWords },
  utm: { label: 'UTM parameters', text: (utm) => linesOf(utm ?? {}, '').join('\n') },
  steps: { label: 'Steps', text: (steps) => steps.map(lineOf).join('\n') },
};

/** The name, and a line for each value that is not empty: 'email subject: Hello'. */
function lineOf({ email, ...step }: Step): string {
  const content = contentIn(email);
  const { content: _, editorJson: __, htmlTemplate, ...fields } = email ?? {};
  const mail = content
    ? content.blocks.flatMap((block) => blockLines(block, '  '))
    : linesOf({ htmlTemplate }, '  email ');
  const name = nameOf({ ...step, ...(email && { email }) }, noTemplates);
  return [name, ...linesOf({ ...step, email: fields }, '  '), ...mail].join('\n');
}

/** The blocks of a mail: as written here, or as the interface answers them. */
export function contentIn(email: Step['email']): Content | null {
  return ((email?.content ?? email?.editorJson) as Content | undefined) ?? null;
}

function linesOf(value: object, path: string): string[] {
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, inner]) => {
      if (inner === null || inner === undefined || HIDDEN.includes(name)) return [];
      if (typeof inner === 'object') return linesOf(inner, `${path}${name} `);
      return [`${path}${name}: ${inner}`];
    });
}

/** The same in both, or read in the name. */
const HIDDEN = ['stepId', 'type', 'checkExitCriteria'];
