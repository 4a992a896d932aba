import type { AutomationUpdate } from '../../../../client/index.ts';

/** The changes that a step makes of a person, in words. Pure. */

/** 'Set plan, add to a list': the name of the step. */
export function updateName({ contactProperties = {}, addListIds = [], removeListIds = [] }: AutomationUpdate): string {
  const names = Object.keys(contactProperties);
  const parts = [
    names.length > 0 && `set ${names.length === 1 ? names[0] : `${names.length} fields`}`,
    addListIds.length > 0 && `add to ${lists(addListIds)}`,
    removeListIds.length > 0 && `remove from ${lists(removeListIds)}`,
  ];
  const name = parts.filter(Boolean).join(', ');
  return name === '' ? 'Change the person' : name.charAt(0).toUpperCase() + name.slice(1);
}

/** One line for each property and list. */
export function updateLines(update: AutomationUpdate, listName: (id: string) => string): Array<[string, string]> {
  const { contactProperties = {}, addListIds = [], removeListIds = [] } = update;
  return [
    ...Object.entries(contactProperties).map(([name, value]): [string, string] => [
      name,
      value === null ? 'is removed' : value === '' ? 'becomes empty' : String(value),
    ]),
    ...addListIds.map((id): [string, string] => ['joins', listName(id)]),
    ...removeListIds.map((id): [string, string] => ['leaves', listName(id)]),
  ];
}

function lists(ids: readonly string[]): string {
  return ids.length === 1 ? 'a list' : `${ids.length} lists`;
}
