import { useSignal } from '@preact/signals';
import type { SuppressionGroup } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { count, counted } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { Badge } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Checkbox } from '../../parts/forms/choices.tsx';
import { Field, TextArea } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { confirm } from '../../parts/over/confirm.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Page } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';
import { SettingsPages } from '../settings/pages.tsx';

const LIMIT = 50;

/** The groups that people leave: a mail belongs to one, and an unsubscribe stops the mail of it. */
export default function Groups() {
  const page = currentPage();
  const editing = useSignal<SuppressionGroup | 'new' | null>(null);
  useAct('suppressionGroups.create', () => {
    editing.value = 'new';
  });
  const groups = useQuery((signal) => api.suppressionGroups.list({ page, limit: LIMIT }, { signal }), [page]);

  async function remove({ groupId, name, suppressionCount }: SuppressionGroup): Promise<void> {
    const done = await confirm({
      title: `Delete ${name}`,
      text: `${counted(suppressionCount, 'address', 'addresses')} in it may be mailed again.`,
      action: 'Delete group',
      isDangerous: true,
      run: () => api.suppressionGroups.delete(groupId),
    });
    if (!done) return;
    toast(`Deleted ${name}`);
    await groups.reload();
  }

  return (
    <Page
      title="Groups"
      crumb={{ label: 'Suppressions', path: '/suppressions' }}
      isFlush
      actions={
        <Button
          kind="first"
          icon="plus"
          operation="suppressionGroups.create"
          onClick={() => {
            editing.value = 'new';
          }}
        >
          New group
        </Button>
      }
    >
      <div class="listing">
        <SettingsPages />
        <LoadedTable query={groups}>
          <Table
            label="Groups"
            isListing
            columns={columnsOf({
              change: (group) => {
                editing.value = group;
              },
              remove,
            })}
            rows={groups.data.value?.groups ?? null}
            keyOf={({ groupId }) => groupId}
          />
        </LoadedTable>
        {groups.data.value && <Pager pagination={groups.data.value.pagination} isListing />}
      </div>
      {editing.value && (
        <GroupDialog
          group={editing.value === 'new' ? null : editing.value}
          onDone={() => groups.reload()}
          onClose={() => {
            editing.value = null;
          }}
        />
      )}
    </Page>
  );
}

function columnsOf({
  change,
  remove,
}: {
  change: (group: SuppressionGroup) => void;
  remove: (group: SuppressionGroup) => Promise<void>;
}): readonly Column<SuppressionGroup>[] {
  return [
    {
      key: 'name',
      head: 'Name',
      isMain: true,
      isCut: true,
      cell: ({ groupId, name, isDefault, isGlobal, isMarketing }) => (
        <span class="row">
          <a href={to('/suppressions', { group: groupId })}>{name}</a>
          {isDefault && <Badge>default</Badge>}
          {isGlobal && <Badge>stops every mail</Badge>}
          {isMarketing && <Badge>stops all marketing mail</Badge>}
        </span>
      ),
    },
    { key: 'description', head: 'Description', isCut: true, phone: 'hide', cell: ({ description }) => description },
    { key: 'public', head: 'On the preference page', cell: shownWords },
    { key: 'entries', head: 'Addresses', isNum: true, cell: ({ suppressionCount }) => count(suppressionCount) },
    {
      key: 'acts',
      head: '',
      cell: (group) =>
        !group.isGlobal &&
        !group.isMarketing && (
          <span class="row">
            <Button
              isSmall
              operation="suppressionGroups.update"
              label={`Change ${group.name}`}
              onClick={() => change(group)}
            >
              Change
            </Button>
            {!group.isDefault && (
              <Button
                isSmall
                kind="danger"
                operation="suppressionGroups.delete"
                label={`Delete ${group.name}`}
                onClick={() => remove(group)}
              >
                Delete…
              </Button>
            )}
          </span>
        ),
    },
  ];
}

function shownWords({ isPublic, isGlobal, isMarketing }: SuppressionGroup): string {
  if (isMarketing) return 'As "Unsubscribe from everything"';
  if (isGlobal) return 'Never';
  return isPublic ? 'Yes' : 'No';
}

/** The default group keeps its name: mail that names no group belongs to it. */
function GroupDialog({
  group,
  onDone,
  onClose,
}: {
  group: SuppressionGroup | null;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const form = useForm({
    name: group?.name ?? '',
    description: group?.description ?? '',
    isPublic: group?.isPublic ?? false,
  });
  const isBuiltIn = group?.isDefault ?? false;
  const submit = form.submit(async ({ isPublic, ...words }) => {
    const body = { ...words, isPublic };
    if (group) await api.suppressionGroups.update(group.groupId, isBuiltIn ? { isPublic } : body);
    else await api.suppressionGroups.create(body);
    onClose();
    toast(group ? `Saved ${group.name}` : `Made ${words.name}`, { kind: 'good' });
    await onDone();
  });
  const why = isBuiltIn && 'The default group keeps its name.';
  return (
    <FormDialog
      title={group ? `Change ${group.name}` : 'New group'}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={group ? 'Save' : 'Make group'}
    >
      <Field form={form} name="name" label="Name" autocomplete="off" placeholder="Product news" why={why} />
      {!isBuiltIn && <TextArea form={form} name="description" label="Description" rows={3} />}
      <Checkbox
        form={form}
        name="isPublic"
        label="On the preference page"
        hint={
          isBuiltIn
            ? 'People see it as all mail that names no group, and leave it there.'
            : 'People see the group by its name and description, and leave or join it there.'
        }
      />
    </FormDialog>
  );
}
