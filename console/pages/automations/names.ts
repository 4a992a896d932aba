import type { Automation, ContactList, Template } from '../../../client/index.ts';
import { type Names as NamesOf, useNames } from '../../parts/choose/names.ts';
import { lists, templates } from '../../parts/choose/things.ts';

/** The templates and lists that an automation names. */
export interface Names {
  templates: NamesOf<Template>;
  lists: NamesOf<ContactList>;
}

export function useAutomationNames(automation: Automation | null): Names {
  const { entryCriteria, steps = [] } = automation ?? {};
  return {
    templates: useNames(templates, [...new Set(steps.flatMap(({ email }) => email?.templateId ?? []))]),
    lists: useNames(lists, [
      ...new Set([
        entryCriteria?.listId ?? '',
        ...steps.flatMap(({ update }) => [...(update?.addListIds ?? []), ...(update?.removeListIds ?? [])]),
      ]),
    ]),
  };
}
