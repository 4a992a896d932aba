import type { ContactList, CustomField, Form, SuppressionGroup, TemplatesPage } from '../../../client/index.ts';

/** The choices in the editor of a form. */
export interface Choices {
  form: Form | null;
  lists: readonly ContactList[];
  groups: readonly SuppressionGroup[];
  templates: TemplatesPage['templates'];
  customFields: readonly CustomField[];
}

/** Why a field cannot be typed into. */
export const whyReadOnly = 'Your role only reads forms.';
