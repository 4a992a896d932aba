import type { CustomField, Form } from '../../../client/index.ts';

/** Loaded before the editor of a form is shown. */
export interface Choices {
  form: Form | null;
  customFields: readonly CustomField[];
}

/** Why a field cannot be typed into. */
export const whyReadOnly = 'Your role only reads forms.';
