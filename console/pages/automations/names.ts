import type { Automation, ContactList, Template } from '../../../client/index.ts';
import { type Names as NamesOf, useNames } from '../../parts/choose/names.ts';
import { lists, templates } from '../../parts/choose/things.ts';

/** The templates and lists that an automation names. */
export interface Names {
  templates: NamesOf<Template>;
  lists: NamesOf<ContactList>;
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
  };
}
