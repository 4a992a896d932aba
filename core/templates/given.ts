import type { Described } from '../../schemas/schema.ts';
import type { updateTemplateBody } from '../../schemas/templates/templates.ts';
import { checkSource } from './check-source.ts';
import type { Template, TemplateContent, Translation } from './model.ts';

/** The fields of a template that a call gives. */
export type TemplateInput = Described<typeof updateTemplateBody> & {
  text?: string | null;
  usesBrand?: boolean;
  writtenCode?: string | null;
  parts?: string[];
  translations?: Translation[] | undefined;
  isFlagged?: boolean;
  /** A migrated template may have a source that cannot be sent yet: it is flagged, and a person corrects it. */
  source?: Template['source'];
};

const CONTENT = [
  'emailTemplate',
  'text',
  'usesBrand',
  'layoutId',
  'writtenCode',
  'parts',
  'translations',
  'subject',
  'previewText',
  'templateType',
  'editorJson',
  'parentBodyProperties',
  'trackingClick',
  'trackingOpen',
  'utm',
] as const;

const PLAIN = ['templateName', 'description', 'isFlagged'] as const;

/** null: no field of the content was given. */
export function contentGiven(input: TemplateInput): Partial<TemplateContent> | null {
  const builderType = builderOf(input.builderType);
  const given = { ...givenOf(input, CONTENT), ...(builderType ? { builderType } : {}) };
  return Object.keys(given).length > 0 ? given : null;
}

export function plainGiven(input: TemplateInput): Partial<Template> {
  return givenOf(input, PLAIN);
}

function givenOf(input: TemplateInput, names: readonly (keyof TemplateInput)[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));
}

export function checkGiven(input: TemplateInput): void {
  if (!(input.source === 'migration' && input.isFlagged)) checkSource(input);
}

export function builderOf(given: TemplateInput['builderType']): Template['builderType'] | undefined {
  return given === 'visual' ? 'editor' : given;
}
