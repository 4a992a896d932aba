import type { Form, FormFieldInput, FormFieldType, FormTexts, UpdateFormBody } from '../../../client/index.ts';

/** A field as it is typed. */
export interface DraftField {
  /** Stays when it is moved. */
  key: number;
  name: string;
  label: string;
  type: FormFieldType;
  /** One a line. */
  options: string;
  required: boolean;
  initial: string;
}

type TextName = keyof FormTexts & string;

/** The fields of the editor as they are typed, called as the interface calls them in a refusal. */
export type Draft = {
  name: string;
  listIds: readonly string[];
  fields: readonly DraftField[];
  doubleOptIn: boolean;
  confirmationTemplateId: string;
  unsubscribeGroupIds: readonly string[];
  'redirectTo/submitted': string;
  'redirectTo/confirmed': string;
  /** One a line. */
  allowedOrigins: string;
} & { [Name in TextName as `texts/${Name}`]: string };

const texts: readonly TextName[] = [
  'title',
  'intro',
  'button',
  'consent',
  'submitted',
  'confirmed',
  'mailSubject',
  'mailText',
  'mailButton',
];

export function draftOf(form: Form | null): Draft {
  const words = texts.map((text) => [`texts/${text}`, form?.texts[text] ?? '']);
  return {
    name: form?.name ?? '',
    listIds: form?.listIds ?? [],
    fields: form?.fields.map(draftFieldOf) ?? [],
    doubleOptIn: form?.doubleOptIn ?? true,
    confirmationTemplateId: form?.confirmationTemplateId ?? '',
    unsubscribeGroupIds: form?.unsubscribeGroupIds ?? [],
    'redirectTo/submitted': form?.redirectTo.submitted ?? '',
    'redirectTo/confirmed': form?.redirectTo.confirmed ?? '',
    allowedOrigins: form?.allowedOrigins.join('\n') ?? '',
    ...(Object.fromEntries(words) as Record<`texts/${TextName}`, string>),
  };
}

let keys = 0;

function draftFieldOf({ name, label, type, options, required, default: initial }: Form['fields'][number]): DraftField {
  const typed = initial === null ? '' : String(initial);
  return { ...newField(), name, label, type, options: options?.join('\n') ?? '', required, initial: typed };
}

export function newField(): DraftField {
  keys += 1;
  return { key: keys, name: '', label: '', type: 'text', options: '', required: false, initial: '' };
}

export function bodyOf(draft: Draft): UpdateFormBody & { name: string; listIds: string[] } {
  return {
    name: draft.name,
    listIds: [...draft.listIds],
    fields: draft.fields.map(fieldOf),
    doubleOptIn: draft.doubleOptIn,
    texts: textsOf(draft),
    redirectTo: {
      submitted: draft['redirectTo/submitted'].trim() || null,
      confirmed: draft['redirectTo/confirmed'].trim() || null,
    },
    allowedOrigins: linesOf(draft.allowedOrigins),
    confirmationTemplateId: draft.confirmationTemplateId || null,
    unsubscribeGroupIds: [...draft.unsubscribeGroupIds],
  };
}

/** For a look at it: without fields that are not written to the end, and without values that may not fit. */
export function shownOf(draft: Draft): Pick<UpdateFormBody, 'fields' | 'doubleOptIn' | 'texts'> {
  const names = new Set<string>();
  const fields = draft.fields.filter(({ name, label, type, options }) => {
    const isWhole =
      /^\w{1,64}$/.test(name) && label.trim() !== '' && (type !== 'select' || linesOf(options).length > 0);
    const isFirst = !names.has(name);
    names.add(name);
    return isWhole && isFirst;
  });
  return {
    fields: fields.map((field) => fieldOf({ ...field, initial: '' })),
    doubleOptIn: draft.doubleOptIn,
    texts: textsOf(draft),
  };
}

function textsOf(draft: Draft): NonNullable<UpdateFormBody['texts']> {
  return Object.fromEntries(texts.map((text) => [text, draft[`texts/${text}`].trim() || null]));
}

function fieldOf({ name, label, type, options, required, initial }: DraftField): FormFieldInput {
  return {
    ...{ name: name.trim(), label: label.trim(), type, required },
    ...(type === 'select' && { options: linesOf(options) }),
    ...(initial.trim() !== '' && { default: typedValue(type, initial.trim()) }),
  };
}

/** A text that is no value of its type is sent as it was typed: the refusal says why. */
function typedValue(type: FormFieldType, text: string): string | number | boolean {
  if (type === 'checkbox') return text === 'true';
  if (type === 'number' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}
