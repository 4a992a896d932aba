import { useSignal } from '@preact/signals';
import type { MailPart } from '../../../../client/index.ts';
import { count } from '../../../parts/data/format.ts';
import { currentPage, Pager } from '../../../parts/data/pager.tsx';
import { type Column, Table } from '../../../parts/data/table.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { Options } from '../../../parts/forms/choices.tsx';
import { Field } from '../../../parts/forms/field.tsx';
import { useForm } from '../../../parts/forms/form.ts';
import { confirm } from '../../../parts/over/confirm.tsx';
import { FormDialog } from '../../../parts/over/form-dialog.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import { LoadedTable } from '../../../parts/page/loaded.tsx';
import { Empty } from '../../../parts/page/notice.tsx';
import { Page, Tools } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { navigate, to } from '../../../router.ts';
import { draftColumns } from '../drafts.tsx';
import { Shelves } from '../shelves.tsx';
import { apiOf, firstContent, type Kind, kindNow, pathOf } from './kinds.ts';

const LIMIT = 50;

/** The layouts, or the snippets. */
export default function Parts() {
  const kind = kindNow();
  return <List key={kind.part} kind={kind} />;
}

function List({ kind }: { kind: Kind }) {
  const { part, plural, title, about } = kind;
  const page = currentPage();
  const isAdding = useSignal(false);
  const found = useQuery((signal) => listOf(kind, page, signal), [page]);

  async function remove({ id, name }: MailPart): Promise<void> {
    const done = await confirm({
      title: `Delete ${name}`,
      text: 'Mails that are published keep it. It is refused while a template has it.',
      action: `Delete ${part}`,
      isDangerous: true,
      run: () => apiOf(kind).delete(id),
    });
    if (!done) return;
    toast(`Deleted ${name}`);
    await found.reload();
  }

  const columns: readonly Column<MailPart>[] = [
    {
      key: 'name',
      head: 'Name',
      isMain: true,
      isCut: true,
      cell: ({ id, name }) => <a href={to(pathOf(kind, id))}>{name}</a>,
    },
    { key: 'made', head: 'Made of', cell: (one) => (one.builderType === 'editor' ? 'Blocks' : 'Code') },
    ...draftColumns<MailPart>(plural, ({ name }) => name, remove),
  ];

  return (
    <Page
      title={title}
      isFlush
      state={found.data.value && <span class="dim">{count(found.data.value.pagination.total)}</span>}
      actions={
        <Button
          kind="first"
          icon="plus"
          operation={`${plural}.create`}
          onClick={() => {
            isAdding.value = true;
          }}
        >
          New {part}
        </Button>
      }
    >
      <div class="listing">
        <Tools>
          <Shelves />
        </Tools>
        <LoadedTable query={found}>
          <Table
            label={title}
            isListing
            columns={columns}
            rows={found.data.value?.parts ?? null}
            keyOf={({ id }) => id}
            empty={<Empty title={`No ${part} yet`}>{about}</Empty>}
          />
        </LoadedTable>
        {found.data.value && <Pager pagination={found.data.value.pagination} isListing />}
      </div>
      {isAdding.value && (
        <NewDialog
          kind={kind}
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </Page>
  );
}

async function listOf(kind: Kind, page: number, signal: AbortSignal) {
  const answer = await apiOf(kind).list({ page, limit: LIMIT }, { signal });
  const { pagination } = answer;
  return { parts: (answer as unknown as Record<string, MailPart[]>)[kind.plural] ?? [], pagination };
}

function NewDialog({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const { part } = kind;
  const form = useForm({ name: '', made: 'blocks' });
  const { made } = form.values.value;
  const submit = form.submit(async ({ name }) => {
    const { id } = await apiOf(kind).create({ name, ...firstContent(kind, made), draft: true });
    onClose();
    navigate(to(pathOf(kind, id)));
  });
  return (
    <FormDialog title={`New ${part}`} onClose={onClose} onSubmit={submit} form={form} action={`Make ${part}`}>
      <Field
        form={form}
        name="name"
        label="Name"
        autocomplete="off"
        {...(part === 'snippet' && { hint: 'Small letters, digits and “-”. Mails name it, so it stays.' })}
        placeholder={part === 'snippet' ? 'footer' : 'Newsletter'}
      />
      <Options
        form={form}
        name="made"
        label="Made of"
        options={[
          { value: 'blocks', label: 'Blocks', hint: 'For mails that are made of blocks.' },
          { value: 'code', label: 'Code', hint: 'For mails that are code.' },
        ]}
      />
    </FormDialog>
  );
}
