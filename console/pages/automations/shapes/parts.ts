import type { CreateAutomationBody, CreateEventBody } from '../../../../client/index.ts';
import { htmlOf, type Written } from '../../../parts/mail/html-of.ts';

/** Shared by the shapes that an automation begins with. */

export type ShapeStep = NonNullable<CreateAutomationBody['steps']>[number];

export interface Shape {
  label: string;
  hint: string;
  /** Of the automation, until it gets another. */
  name: string;
  /** The events that it asks for, as they are often called. The first one lets people in. */
  events?: readonly CreateEventBody[];
  entryCriteria: NonNullable<CreateAutomationBody['entryCriteria']>;
  reentry?: NonNullable<CreateAutomationBody['reentry']>;
  steps: readonly ShapeStep[];
}

type Unit = 'minutes' | 'hours' | 'days';

export function wait(value: number, unit: Unit, more: Partial<ShapeStep> = {}): ShapeStep {
  return { type: 'wait', delay: { value, unit }, ...more };
}

/** The place of a step on a way of a fork. */
export function on(parentBranchStepId: string, parentBranchId: string) {
  return { parentBranchStepId, parentBranchId };
}

type Mail = Written & { subject: string; previewText: string };

export function mail({ subject, previewText, ...body }: Mail, more: Partial<ShapeStep> = {}): ShapeStep {
  return { type: 'email', email: { subject, previewText, htmlTemplate: htmlOf(body) }, ...more };
}

/** A filter about what people did with mails, or about their events. */
export function did(behaviour: string, more: object) {
  return { logicalOperator: 'AND', groups: [{ behaviour, operator: 'at_least', count: 1, ...more }] };
}

export const HELLO = 'Hello{{#if firstName}} {{firstName}}{{/if}},';
