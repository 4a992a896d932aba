import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { ContactImportPreview } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { listsWithoutSegments } from '../../parts/choose/things.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Checkbox } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { can } from '../../session.ts';
import { allFields } from '../contacts/fields.tsx';
import { type Column, ColumnTable, newFields } from './column-table.tsx';
import { guess, type Header, LEFT_OUT, readHeader, readSamples, typeOf, withNames } from './columns.ts';
import { ImportPreview } from './preview.tsx';

const NEW_LIST = 'new';
const NAME_MAX = 200;
const FIELDS_AT_ONCE = 1_000;
/** More than a preview reads, so that it still sees that the file is longer. */
const PREVIEW_BYTES = 17 * 1024 * 1024;

/** A file, what its columns mean, and the list that its people join. */
export function ImportDialog({
  file: given,
  listId,
  onDone,
  onClose,
}: {
  file: File | null;
  listId: string | null;
  onDone: (importId: string) => unknown;
  onClose: () => void;
}) {
  const file = useSignal(given);
  const header = useSignal<Header | null>(null);
  const columns = useSignal<readonly Column[]>([]);
  const declared = useQuery(allFields);
  const preview = useSignal<ContactImportPreview | null>(null);
  const form = useForm({ listId: listId ?? '', name: '', runWorkflow: false });
  const inputId = useId();

  useEffect(() => {
    const { value } = file;
    preview.value = null;
    if (!value) return;
    void readHeader(value).then(async (found) => {
      const samples = found ? await readSamples(value, found) : [];
      if (file.value !== value) return;
      header.value = found;
      columns.value = samples.map((values, at) => {
        const name = found?.names[at] ?? '';
        return { name, meaning: guess(name), values, type: typeOf(values) };
      });
    });
  }, [file.value]);

  /** Chosen from then on: a file that is refused afterwards does not make the list twice. */
  async function newList(name: string): Promise<string> {
    const { id } = await api.contactLists.create({ name });
    form.set('listId', id);
    return id;
  }
  const meanings = columns.value.map(({ meaning }) => meaning);
  const asMeant = (value: File) => (header.value ? withNames(value, header.value, meanings) : value);
  /** Before the rows are sent, so that each value is read as its type. A field that exists by now stays as it is. */
  async function makeFields(): Promise<void> {
    const fields = newFields(columns.value, declared.data.value ?? []);
    for (let at = 0; at < fields.length; at += FIELDS_AT_ONCE)
      await api.customFields.bulk({ customFields: fields.slice(at, at + FIELDS_AT_ONCE) });
  }
  async function look(): Promise<void> {
    if (!file.value) return;
    const sent = asMeant(file.value);
    const start = new File([sent.slice(0, PREVIEW_BYTES)], sent.name, { type: sent.type });
    preview.value = await api.contacts.previewImport(start);
  }
  const submit = form.submit(async ({ listId: chosen, name, runWorkflow }) => {
    const { value } = file;
    if (!value) return;
    if (can('customFields.create')) await makeFields();
    const joined = chosen === NEW_LIST ? await newList(name) : chosen;
    const { importId } = await api.contacts.import(asMeant(value), {
      ...(joined && { listIds: joined }),
      ...(runWorkflow && { runWorkflow }),
    });
    onClose();
    toast(`${value.name} is being imported`, { kind: 'good' });
    await onDone(importId);
  });
  const hasEmail = header.value === null || meanings.includes('email');
  const twice = meanings.find((name, at) => name !== LEFT_OUT && meanings.indexOf(name) !== at);
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
      {columns.value.length > 0 && (
        <ColumnTable
          columns={columns.value}
          declared={declared.data.value ?? []}
          onChange={(changed) => {
            columns.value = changed;
            preview.value = null;
          }}
        />
      )}
      {problem && file.value && <Notice kind="warn" title={problem} />}
      {file.value && (
        <Button operation="contacts.previewImport" why={problem} onClick={look}>
          See what would change
        </Button>
      )}
      {preview.value && <ImportPreview preview={preview.value} />}
      <ChooserField
        form={form}
        name="listId"
        label="They join"
        things={listsWithoutSegments}
        none="No list"
        others={{ [NEW_LIST]: 'A new list' }}
        make={{
          label: 'New list',
          pick(typed) {
            form.set('listId', NEW_LIST);
            form.set('name', typed || nameOf(file.value));
          },
        }}
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

/** A name for the list of a file: 'readers' for readers.csv. */
function nameOf(file: File | null): string {
  return file?.name.replace(/\.[a-z]+$/i, '').slice(0, NAME_MAX) ?? '';
}
