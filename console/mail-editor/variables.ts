import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Contact } from '../../client/index.ts';
import { api } from '../api.ts';
import { useQuery } from '../parts/page/query.ts';
import type { Pick } from './pick-menu.tsx';

const FIELDS_MAX = 100;

const standard: readonly Pick[] = [
  { value: 'firstName', label: 'First name', hint: 'firstName' },
  { value: 'lastName', label: 'Last name', hint: 'lastName' },
  { value: 'email', label: 'Address', hint: 'email' },
  { value: 'mobile', label: 'Mobile number', hint: 'mobile' },
  { value: 'userId', label: 'Id with you', hint: 'userId' },
];

/** Every mail to people has these too. */
const ofMail = ['unsubscribe', 'preferencesUrl', 'viewInBrowserUrl'];

export interface Variables {
  picks: readonly Pick[];
  /** null: they come with the call. */
  names: ReadonlySet<string> | null;
  values: ReadonlySignal<Readonly<Record<string, string>> | null>;
}

/** Fields of people, and the values of the chosen one. */
export function useVariables(isMarketing: boolean, person: ReadonlySignal<string>): Variables {
  const fields = useQuery(
    async (signal) =>
      isMarketing ? (await api.customFields.list({ limit: FIELDS_MAX }, { signal })).customFields : [],
    [isMarketing],
  );
  const found = useQuery(
    async (signal) =>
      person.value ? (await api.contacts.findByEmail({ emails: [person.value] }, { signal })).contacts[0] : undefined,
    [person.value],
  );
  const values = useMemo(() => computed(() => (found.data.value ? valuesOf(found.data.value) : null)), []);
  const custom = (fields.data.value ?? []).map(({ fieldName, label }) => ({
    value: fieldName,
    label: label || fieldName,
    hint: fieldName,
  }));
  const picks = isMarketing ? [...standard, ...custom] : [];
  const isKnown = isMarketing && fields.data.value !== null && custom.length < FIELDS_MAX;
  return { picks, names: isKnown ? new Set([...picks.map(({ value }) => value), ...ofMail]) : null, values };
}

function valuesOf({ contactProperties, ...contact }: Contact): Record<string, string> {
  const { email, firstName, lastName, mobile, userId } = contact;
  const all = { ...contactProperties, email, firstName, lastName, mobile, userId };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value === null ? '' : String(value)]));
}

/** A name that is typed: a variable of a call, or of an item. */
export function typedName(text: string): Pick | null {
  return /^(@root\.)?[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$/.test(text)
    ? { value: text, label: text, hint: 'by this name' }
    : null;
}
