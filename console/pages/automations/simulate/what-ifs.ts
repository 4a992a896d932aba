import type { Automation, SimulateAutomationBody, Simulation } from '../../../../client/index.ts';
import { conditionsIn, fitting } from './made-up.ts';

/** The acts at single steps of a simulated way: 'opens the second mail after a day'. Pure. */

export interface WhatIf {
  /** comes: the event of a wait. silent: the webhook does not answer. */
  kind: 'opens' | 'clicks' | 'replies' | 'comes' | 'silent';
  /** After the mail, or after the wait began. */
  value: number;
  unit: keyof typeof UNIT_MS;
  /** Of a click; empty: any link. */
  url: string;
}

export type Asked = Required<Omit<SimulateAutomationBody, 'version' | 'preview'>>;

/** By step. */
export type WhatIfs = ReadonlyMap<string, WhatIf>;

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

type Step = Automation['steps'][number];

/** Of webhooks; none of them needs a time. */
export function settings(whatIfs: WhatIfs): Asked['answers'] {
  const silent = [...whatIfs].filter(([, { kind }]) => kind === 'silent');
  return Object.fromEntries(silent.map(([stepId]) => [stepId, { status: 503 }]));
}

/** With the acts that fall on what the answer says. */
export function withWhatIfs(body: Asked, steps: readonly Step[], whatIfs: WhatIfs, answer: Simulation): Asked {
  const next: Asked = { ...body, acts: [...body.acts], events: [...body.events] };
  for (const { at: sentAt, stepId } of answer.mails) {
    const whatIf = whatIfs.get(stepId);
    if (!whatIf) continue;
    const { kind, url } = whatIf;
    const at = timeOf(sentAt, whatIf);
    // A person opens a mail before clicking in it.
    if (kind === 'opens' || kind === 'clicks') next.acts.push({ at, kind: 'opens', stepId });
    if (kind === 'clicks') next.acts.push({ at, kind, stepId, ...(url && { url }) });
    if (kind === 'replies') next.acts.push({ at, kind, stepId });
  }
  for (const happening of answer.entries.flatMap((entry) => entry.steps)) {
    const whatIf = happening.type === 'wait' ? whatIfs.get(happening.stepId) : undefined;
    const step = steps.find(({ stepId }) => stepId === happening.stepId);
    if (whatIf?.kind !== 'comes' || !step?.waitEvent?.eventName) continue;
    next.events.push(eventOf(step.waitEvent, timeOf(happening.at, whatIf)));
  }
  return next;
}

/** Its properties are such that the conditions hold. */
function eventOf(
  { eventName = '', filterCriteria }: NonNullable<Step['waitEvent']>,
  at: string,
): Asked['events'][number] {
  const asked = conditionsIn(filterCriteria).flatMap((condition) => {
    const name = /^event\.properties\.(.+)$/.exec(condition.field)?.[1];
    const value = fitting(condition);
    return name && value !== undefined ? [[name, value] as const] : [];
  });
  return { at, eventName, ...(asked.length > 0 && { properties: Object.fromEntries(asked) }) };
}

function timeOf(at: string, { value, unit }: WhatIf): string {
  return new Date(Date.parse(at) + value * UNIT_MS[unit]).toISOString();
}
