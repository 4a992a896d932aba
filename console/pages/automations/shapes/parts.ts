import type { CreateAutomationBody, CreateEventBody } from '../../../../client/index.ts';
import type { Block, Content, Span } from '../../../../schemas/templates/block-types.ts';
import { footer } from '../../templates/starter.ts';

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

/** Words alone, or with variables between them. */
type Words = string | readonly Span[];

interface Mail {
  subject: string;
  previewText: string;
  heading: string;
  text: readonly Words[];
  button?: { label: string; href: string; isOnlyIf?: string };
}

export function mail({ subject, previewText, ...words }: Mail, more: Partial<ShapeStep> = {}): ShapeStep {
  const content = contentOf(words) as NonNullable<ShapeStep['email']>['content'];
  return { type: 'email', email: { subject, previewText, content }, ...more };
}

function contentOf({ heading, text, button }: Pick<Mail, 'heading' | 'text' | 'button'>): Content {
  const nodes = text.map((words) => ({ type: 'paragraph' as const, spans: spansOf(words) }));
  const blocks: Block[] = [
    { id: 'heading', type: 'heading', level: 1, spans: spansOf(heading) },
    { id: 'words', type: 'text', nodes },
    ...(button ? [buttonOf(button)] : []),
    footer,
  ];
  return { v: 1, blocks };
}

function spansOf(words: Words): Span[] {
  return typeof words === 'string' ? [{ text: words }] : [...words];
}

function buttonOf({ label, href, isOnlyIf }: NonNullable<Mail['button']>): Block {
  const button: Block = { id: 'button', type: 'button', spans: [{ text: label }], href };
  if (!isOnlyIf) return button;
  return { id: 'with-address', type: 'when', tests: [{ variable: isOnlyIf, is: 'set' }], blocks: [button] };
}

/** Waits until a person opens that mail, or clicks in it. */
export function untilAct(
  stepId: string,
  act: 'opened' | 'clicked',
  { mail: emailStepId, days, ...ways }: { mail: string; days: number; next: string; else: string },
): ShapeStep {
  const waitEvent = { eventName: `email.${act}`, emailStepId, timeout: { value: days, unit: 'days' as const } };
  return { type: 'wait_event', stepId, nextStepId: ways.next, timeoutStepId: ways.else, waitEvent };
}

/** A filter about what people did with mails, or about their events. */
export function did(behaviour: string, more: object) {
  return { logicalOperator: 'AND', groups: [{ behaviour, operator: 'at_least', count: 1, ...more }] };
}

export const HELLO: readonly Span[] = [{ text: 'Hello ' }, { variable: 'firstName', fallback: 'there' }, { text: ',' }];
