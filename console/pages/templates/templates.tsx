import { useSignal } from '@preact/signals';
import type { Starter, Template, TemplateContent } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { count } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Options } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FilterSelect } from '../../parts/forms/search-box.tsx';
import { StarterList } from '../../parts/mail/starters.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { navigate, place, setQuery, to } from '../../router.ts';
import { draftColumns } from './drafts.tsx';
import { Shelves } from './shelves.tsx';
import { starter, starterContent } from './starter.ts';

const LIMIT = 50;

/** The contents that mails are made of. */
export default function Templates() {
  const templateType = (place.value.query.get('type') ?? '') as Template['templateType'] | '';
  const page = currentPage();
  const isAdding = useSignal(false);
  useAct('templates.create', () => {
    isAdding.value = true;
  });
  const templates = useQuery(
    (signal) => api.templates.list({ page, limit: LIMIT, ...(templateType && { templateType }) }, { signal }),
    [templateType, page],
  );
  const rows = templates.data.value?.templates ?? null;

  async function remove({ templateId, templateName }: Template): Promise<void> {
    const done = await confirm({
      title: `Delete ${templateName}`,
      text: 'Programs that send with its id are refused from then on. Mail that is queued keeps its content.',
      action: 'Delete template',
      isDangerous: true,
      run: () => api.templates.delete(templateId),
    });
    if (!done) return;
    toast(`Deleted ${templateName}`);
    await templates.reload();
  }

  const columns: readonly Column<Template>[] = [
    {
      key: 'name',
      head: 'Name',
      isMain: true,
      isCut: true,
      cell: ({ templateId, templateName }) => <a href={to(`/templates/${templateId}`)}>{templateName}</a>,
    },
    { key: 'subject', head: 'Subject', isCut: true, cell: ({ subject }) => subject || <span class="dim">none</span> },
    { key: 'type', head: 'For', cell: (one) => (one.templateType === 'marketing' ? 'Campaigns' : 'Single mail') },
    ...draftColumns<Template>('templates', ({ templateName }) => templateName, remove),
  ];

  return (
    <Page
      title="Templates"
      isFlush
      state={templates.data.value && <span class="dim">{count(templates.data.value.pagination.total)}</span>}
      actions={
        <Button
          kind="first"
          icon="plus"
          operation="templates.create"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          New template
        </Button>
      }
    >
      <div class="listing">
        <Tools>
          <Shelves />
          <FilterSelect
            label="For"
            value={templateType}
            options={[
              { value: '', label: 'Every template' },
              { value: 'marketing', label: 'Campaigns' },
              { value: 'transactional', label: 'Single mail' },
            ]}
            onChange={(value) => setQuery({ type: value, page: null })}
          />
        </Tools>
        <LoadedTable query={templates}>
          <Table
            label="Templates"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ templateId }) => templateId}
            empty={
              <Empty title="No template yet">
                A template is a mail that you write once and send often. Begin with one that works in every mail
                program, and change it.
              </Empty>
            }
          />
        </LoadedTable>
        {templates.data.value && <Pager pagination={templates.data.value.pagination} isListing />}
      </div>
      {isAdding.value && (
        <NewDialog
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </Page>
  );
}

function codeOf(subject: string, templateType: string) {
  return { subject, emailTemplate: starter(templateType) };
}

function blocksOf(name: string, templateType: string, begun: Starter | undefined) {
  if (!begun) return { subject: name, content: starterContent(templateType) };
  const { subject, previewText, content } = begun;
  return { subject, previewText, content: content as unknown as TemplateContent };
}

function NewDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ templateName: '', templateType: 'marketing', made: 'blocks' });
  const chosen = useSignal<Starter | undefined>(undefined);
  const { templateType, made } = form.values.value;
  const begun = chosen.value?.templateType === templateType ? chosen.value : undefined;
  const submit = form.submit(async ({ templateName }) => {
    const { templateId } = await api.templates.create({
      templateName,
      templateType: templateType as Template['templateType'],
      ...(made === 'code' ? codeOf(templateName, templateType) : blocksOf(templateName, templateType, begun)),
      draft: true,
    });
    onClose();
    navigate(to(`/templates/${templateId}`));
  });
  return (
    <FormDialog title="New template" isWide onClose={onClose} onSubmit={submit} form={form} action="Make template">
      <Field form={form} name="templateName" label="Name" autocomplete="off" placeholder="Winter catalogue" />
      <Options
        form={form}
        name="templateType"
        label="For"
        options={[
          {
            value: 'marketing',
            label: 'Campaigns',
            hint: 'Fields of the person are variables; it needs a link to unsubscribe.',
          },
          { value: 'transactional', label: 'Single mail', hint: 'Variables come with each call.' },
        ]}
      />
      <Options
        form={form}
        name="made"
        label="Made of"
        options={[
          { value: 'blocks', label: 'Blocks', hint: 'Written as it looks, without code.' },
          { value: 'code', label: 'Code', hint: 'HTML of your own.' },
        ]}
      />
      {made === 'blocks' && (
        <StarterList
          templateType={templateType}
          chosen={begun ?? null}
          onPick={(one) => {
            chosen.value = one;
          }}
        />
      )}
    </FormDialog>
  );
}
