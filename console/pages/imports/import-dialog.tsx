import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { ContactImportPreview, ContactList } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Checkbox } from '../../parts/forms/choices.tsx';
import { Field, Select } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { useLists } from '../contacts/lists.ts';
import {
  asProperty,
  type CONSENT_FIELDS,
  guess,
  type Header,
  isAnswer,
  LEFT_OUT,
  readHeader,
  withNames,
} from './columns.ts';
import { ImportPreview } from './preview.tsx';

const known = [
  { value: 'email', label: 'Address' },
  { value: 'firstName', label: 'First name' },
  { value: 'lastName', label: 'Last name' },
  { value: 'userId', label: 'User id' },
  { value: 'mobile', label: 'Mobile' },
];

const consent: readonly { value: (typeof CONSENT_FIELDS)[number]; label: string }[] = [
  { value: 'status', label: 'Subscribed, unsubscribed, bounced or complained' },
  { value: 'groups', label: 'Suppression groups' },
  { value: 'subscribedAt', label: 'Subscribed at' },
  { value: 'unsubscribedAt', label: 'Unsubscribed at' },
  { value: 'bouncedAt', label: 'Bounced at' },
  { value: 'complainedAt', label: 'Complained at' },
  { value: 'consentText', label: 'Text of the consent' },
  { value: 'consentAskedAt', label: 'Consent asked at' },
  { value: 'consentConfirmedAt', label: 'Consent confirmed at' },
  { value: 'consentAddress', label: 'IP address of the consent' },
];

const NEW_LIST = 'new';
/** More than a preview reads, so that it still sees that the file is longer. */
const PREVIEW_BYTES = 17 * 1024 * 1024;
const PROPERTY = /^contactProperties\./;

/** A file, what its columns mean, and the list that its people join. */
export function ImportDialog({
  file: given,
  listId,
  onDone,
  onClose,
}: {
  file: File | null;
  listId: string | null;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const lists = useLists();
  const file = useSignal(given);
  const header = useSignal<Header | null>(null);
  const meanings = useSignal<readonly string[]>([]);
  const made = useSignal<ContactList | null>(null);
  const preview = useSignal<ContactImportPreview | null>(null);
  const form = useForm({ listId: listId ?? '', name: '', runWorkflow: false });
  const inputId = useId();

  useEffect(() => {
    const { value } = file;
    preview.value = null;
    if (!value) return;
    void readHeader(value).then((found) => {
      header.value = found;
      meanings.value = found?.names.map(guess) ?? [];
    });
  }, [file.value]);

  /** Chosen from then on: a file that is refused afterwards does not make the list twice. */
  async function newList(name: string): Promise<string> {
    made.value = await api.contactLists.create({ name });
    form.set('listId', made.value.id);
    return made.value.id;
  }
  const asMeant = (value: File) => (header.value ? withNames(value, header.value, meanings.value) : value);
  async function look(): Promise<void> {
    if (!file.value) return;
    const sent = asMeant(file.value);
    const start = new File([sent.slice(0, PREVIEW_BYTES)], sent.name, { type: sent.type });
    preview.value = await api.contacts.previewImport(start);
  }
  const submit = form.submit(async ({ listId: chosen, name, runWorkflow }) => {
    const { value } = file;
    if (!value) return;
    const joined = chosen === NEW_LIST ? await newList(name) : chosen;
    await api.contacts.import(asMeant(value), {
      ...(joined && { listIds: joined }),
      ...(runWorkflow && { runWorkflow }),
    });
    onClose();
    toast(`${value.name} is being imported`, { kind: 'good' });
    await onDone();
  });
  const hasEmail = header.value === null || meanings.value.includes('email');
  const twice = meanings.value.find((name, at) => name !== LEFT_OUT && meanings.value.indexOf(name) !== at);
  const problem = !hasEmail
    ? 'One column must be the address.'
    : twice
      ? `Two columns are ${twice}. Leave one of them out.`
      : null;

  return (
    <FormDialog
      title="Import people"
      isWide
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action="Import"
      operation="contacts.import"
      why={file.value ? problem : 'Choose a file first.'}
    >
      <div class="field">
        <label for={inputId}>File</label>
        <input
          id={inputId}
          class="in"
          type="file"
          accept=".csv,.ndjson,.jsonl,text/csv"
          onChange={(event) => {
            file.value = event.currentTarget.files?.[0] ?? null;
          }}
        />
        <span class="hint">
          {file.value ? file.value.name : 'CSV with a first line of names, or NDJSON; up to 100 MB.'}
        </span>
      </div>
      {header.value && (
        <div class="columns-list table-box">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Column of the file</th>
                <th scope="col">Becomes</th>
              </tr>
            </thead>
            <tbody>
              {header.value.names.map((name, index) => (
                <tr key={index}>
                  <th scope="row" class="mono cut">
                    {name || <span class="dim">without a name</span>}
                  </th>
                  <td>
                    <Meaning
                      name={name}
                      value={meanings.value[index] ?? LEFT_OUT}
                      onChange={(value) => {
                        meanings.value = meanings.value.with(index, value);
                        preview.value = null;
                      }}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {problem && file.value && <Notice kind="warn" title={problem} />}
      {file.value && (
        <Button operation="contacts.previewImport" why={problem} onClick={look}>
          See what would change
        </Button>
      )}
      {preview.value && <ImportPreview preview={preview.value} />}
      <Select
        form={form}
        name="listId"
        label="They join"
        options={[
          { value: '', label: 'No list' },
          { value: NEW_LIST, label: 'A new list' },
          ...[...(made.value ? [made.value] : []), ...lists.value]
            .filter(({ id, type }) => type === 'list' && id !== 'GLOBAL_CONTACT_LIST')
            .map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      {form.values.value.listId === NEW_LIST && (
        <Field form={form} name="name" label="Name of the list" autocomplete="off" placeholder="Newsletter" />
      )}
      <Checkbox
        form={form}
        name="runWorkflow"
        label="Start automations for these people"
        hint="Active automations with a matching trigger would send mail."
      />
    </FormDialog>
  );
}

function Meaning({ name, value, onChange }: { name: string; value: string; onChange: (value: string) => void }) {
  const isKnown = (meaning: string) => [...known, ...consent].some((one) => one.value === meaning);
  const own = isKnown(value) || value === LEFT_OUT ? asProperty(name) : value;
  return (
    <select
      class="in"
      aria-label={`Meaning of ${name}`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {known.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
      {own && !isKnown(own) && (
        <option value={own}>
          {isAnswer(own) ? 'Yes or no: ' : 'the field '}
          {own.replace(PROPERTY, '')}
        </option>
      )}
      <optgroup label="Consent">
        {consent.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </optgroup>
      <option value={LEFT_OUT}>nothing, leave it out</option>
    </select>
  );
}
