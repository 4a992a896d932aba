import type { CreateAutomationBody, CreateEventBody } from '../../../../client/index.ts';

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

interface Mail {
  subject: string;
  previewText: string;
  heading: string;
  /** Paragraphs, in HTML. */
  text: readonly string[];
  button?: { label: string; href: string; isOnlyIf?: string };
}

export function mail({ subject, previewText, ...body }: Mail, more: Partial<ShapeStep> = {}): ShapeStep {
  return { type: 'email', email: { subject, previewText, htmlTemplate: htmlOf(body) }, ...more };
}

/** A filter about what people did with mails, or about their events. */
export function did(behaviour: string, more: object) {
  return { logicalOperator: 'AND', groups: [{ behaviour, operator: 'at_least', count: 1, ...more }] };
}

const P = 'margin: 0 0 16px';
const BUTTON =
  'display: inline-block; padding: 12px 20px; background: #18181b; color: #ffffff; text-decoration: none; border-radius: 6px';

function htmlOf({ heading, text, button }: Pick<Mail, 'heading' | 'text' | 'button'>): string {
  const paragraphs = text.map((one) => `                <p style="${P}">${one}</p>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body style="margin: 0; background: #f4f4f5">
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
      <tr>
        <td align="center" style="padding: 24px 8px">
          <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width: 600px; background: #ffffff">
            <tr>
              <td style="padding: 24px; font: 16px/24px Arial, sans-serif; color: #1c1c1f">
                <h1 style="margin: 0 0 16px; font-size: 24px; line-height: 32px">${heading}</h1>
${[...paragraphs, ...buttonOf(button)].join('\n')}
              </td>
            </tr>
            <tr>
              <td style="padding: 16px 24px; font: 12px/18px Arial, sans-serif; color: #6b6b72">
                You get this mail because you are on our list.
                <a href="{{unsubscribe}}" style="color: #6b6b72">Unsubscribe</a>
              </td>
            </tr>
          </table>
        </td>
      </tr>
    </table>
  </body>
</html>
`;
}

function buttonOf(button: Mail['button']): string[] {
  if (!button) return [];
  const line = `                <p style="margin: 0"><a href="${button.href}" style="${BUTTON}">${button.label}</a></p>`;
  return button.isOnlyIf ? [`                {{#if ${button.isOnlyIf}}}\n${line}\n                {{/if}}`] : [line];
}

export const HELLO = 'Hello{{#if firstName}} {{firstName}}{{/if}},';
