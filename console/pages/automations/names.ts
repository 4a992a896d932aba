import type { Automation, ContactList, Form, Template } from '../../../client/index.ts';
import { type Names as NamesOf, useNames } from '../../parts/choose/names.ts';
import { forms, lists, templates } from '../../parts/choose/things.ts';

/** The templates, lists and forms that an automation names. */
export interface Names {
  templates: NamesOf<Template>;
  lists: NamesOf<ContactList>;
  forms: NamesOf<Form>;
}

export function useAutomationNames(definitions: ReadonlyArray<Automation | null>): Names {
  const all = definitions.filter((one) => one !== null);
  const steps = all.flatMap((one) => one.steps);
  return {
    templates: useNames(templates, [...new Set(steps.flatMap(({ email }) => email?.templateId ?? []))]),
    lists: useNames(lists, [
      ...new Set([
        ...all.map(({ entryCriteria }) => entryCriteria.listId ?? ''),
        ...steps.flatMap(({ update }) => [...(update?.addListIds ?? []), ...(update?.removeListIds ?? [])]),
      ]),
    ]),
    forms: useNames(forms, [...new Set(all.map(({ entryCriteria }) => entryCriteria.formId ?? ''))]),
  };
}
