import type { Automation, AutomationStep } from '../../../../client/index.ts';
import { ENTRY } from './flow.ts';

/** The changes of a draft, by the ids of steps. Added steps are in the draft alone, removed ones in what runs. */

export type Mark = 'added' | 'changed' | 'removed';

export interface Differences {
  /** Of steps, and of ENTRY. */
  marks: ReadonlyMap<string, Mark>;
  /** Steps that both have come in another order. */
  isReordered: boolean;
  /** The rest, in words: 'name', 'tags'. */
  others: readonly string[];
}

const OTHERS = {
  name: 'name',
  description: 'description',
  tags: 'tags',
  reentry: 'entering again',
  exitCriteria: 'way to leave early',
  unsubscribeGroupId: 'unsubscribe group',
  trackingOpen: 'tracking of opens',
  trackingClick: 'tracking of clicks',
  utm: 'UTM parameters',
} as const;

export type Definition = Pick<Automation, keyof typeof OTHERS | 'entryCriteria' | 'steps'>;

export function compareDefinitions(running: Definition, draft: Definition): Differences {
  const marks = new Map<string, Mark>();
  if (!isSame(running.entryCriteria, draft.entryCriteria)) marks.set(ENTRY, 'changed');
  const before = new Map(running.steps.map((step) => [step.stepId, step]));
  const after = new Map(draft.steps.map((step) => [step.stepId, step]));
  for (const stepId of before.keys()) if (!after.has(stepId)) marks.set(stepId, 'removed');
  for (const [stepId, step] of after) {
    const old = before.get(stepId);
    if (!old) marks.set(stepId, 'added');
    else if (!isSame(old, step)) marks.set(stepId, 'changed');
  }
  const names = Object.keys(OTHERS) as Array<keyof typeof OTHERS>;
  return {
    marks,
    isReordered: idsOf(running.steps, after).join('\n') !== idsOf(draft.steps, before).join('\n'),
    others: names.filter((name) => !isSame(running[name], draft[name])).map((name) => OTHERS[name]),
  };
}

/** '2 steps added, 1 changed; name and tags changed', or that there is no difference. */
export function differenceWords({ marks, isReordered, others }: Differences): string {
  const steps = [...marks].filter(([stepId]) => stepId !== ENTRY);
  const parts = (['added', 'changed', 'removed'] as const).flatMap((mark) => {
    const n = steps.filter(([, one]) => one === mark).length;
    return n === 0 ? [] : [`${n} ${mark}`];
  });
  const [first, ...rest] = parts;
  const said = [
    first && [first.replace(/^(\d+)/, (n) => `${n} ${n === '1' ? 'step' : 'steps'}`), ...rest].join(', '),
    isReordered && 'steps in another order',
    (marks.has(ENTRY) || others.length > 0) && `${listed([...(marks.has(ENTRY) ? ['entry'] : []), ...others])} changed`,
  ].filter(Boolean);
  return said.length === 0 ? 'no difference' : said.join('; ');
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function idsOf(steps: readonly AutomationStep[], known: ReadonlyMap<string, AutomationStep>): string[] {
  return steps.map(({ stepId }) => stepId).filter((stepId) => known.has(stepId));
}

const PARTS: Readonly<Record<string, string>> = {
  delay: 'how long',
  until: 'until when',
  branches: 'ways',
  shares: 'ways',
  update: 'what is set',
  waitEvent: 'what is waited for',
  webhook: 'what is posted',
  eventName: 'event',
  filterCriteria: 'conditions',
  checkExitCriteria: 'leaving early',
  'email/subject': 'subject',
  'email/previewText': 'preview text',
  'email/htmlTemplate': 'text of the mail',
  'email/text': 'text of the mail',
  'email/editorJson': 'text of the mail',
  'email/templateId': 'template',
  'email/senderEmail': 'sender',
  'email/senderName': 'sender',
  'email/senderReplyToEmail': 'address for answers',
  'email/senderReplyToName': 'address for answers',
  'email/tags': 'tags',
  'email/inlinePictures': 'place of the pictures',
  'email/whenCapped': 'frequency cap',
};

/** The parts of a step that differ, in words: 'subject', 'where it leads'. */
export function changedParts(before: AutomationStep, after: AutomationStep): string[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  const names = new Set([...old.keys(), ...now.keys()]);
  const changed = [...names].filter((name) => !isSame(old.get(name), now.get(name)));
  return [...new Set(changed.map((name) => PARTS[name] ?? (name.startsWith('email/') ? 'mail' : 'where it leads')))];
}

function partsOf({ email = {}, ...step }: AutomationStep): Map<string, unknown> {
  const ofMail = Object.entries(email).map(([name, value]) => [`email/${name}`, value] as const);
  return new Map([...Object.entries(step), ...ofMail]);
}

/** Whatever the order of keys; an absent field as null. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  );
}
