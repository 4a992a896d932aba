import { useSignal } from '@preact/signals';
import type { Member, Session } from '../../client/index.ts';
import { useAct } from '../acts.ts';
import { api } from '../api.ts';
import { counted } from '../parts/data/format.ts';
import { currentPage, Pager } from '../parts/data/pager.tsx';
import { Badge } from '../parts/data/state.tsx';
import { type Column, Table } from '../parts/data/table.tsx';
import { Time } from '../parts/data/time.tsx';
import { Button } from '../parts/forms/button.tsx';
import { Options } from '../parts/forms/choices.tsx';
import { Field } from '../parts/forms/field.tsx';
import { useForm } from '../parts/forms/form.ts';
import { confirm } from '../parts/over/confirm.tsx';
import { FormDialog } from '../parts/over/form-dialog.tsx';
import { toast } from '../parts/over/toast.tsx';
import { LoadedTable } from '../parts/page/loaded.tsx';
import { Notice } from '../parts/page/notice.tsx';
import { Page, Section } from '../parts/page/page.tsx';
import { useQuery } from '../parts/page/query.ts';
import { can, type Role, session } from '../session.ts';

const LIMIT = 50;
const roles: Record<Role, { label: string; hint: string }> = {
  owner: { label: 'Owner', hint: 'Everything, with members, keys and domains.' },
  editor: { label: 'Editor', hint: 'Everything of a project: sends, publishes, deletes.' },
  author: { label: 'Author', hint: 'Prepares campaigns, templates and automations. An editor sends them.' },
  viewer: { label: 'Viewer', hint: 'Reads.' },
};

/** The members with their roles, and the sessions of this person. */
export default function Members() {
  return (
    <Page title="Members">
      {can('members.list') ? (
        <People />
      ) : (
        <Notice kind="warn" title="Owners see the members">
          Your role does not include this. An owner of the organization can change it.
        </Notice>
      )}
      <Sessions />
    </Page>
  );
}

function People() {
  const page = currentPage();
  const editing = useSignal<Member | 'new' | null>(null);
  useAct('members.create', () => {
    editing.value = 'new';
  });
  const members = useQuery((signal) => api.members.list({ page, limit: LIMIT }, { signal }), [page]);
  const rows = members.data.value?.members ?? null;
  const own = session.value?.email;

  async function remove({ id, email }: Member): Promise<void> {
    const done = await confirm({
      title: `Remove ${email}`,
      text: 'Their sessions end within five seconds. What they made stays.',
      action: 'Remove member',
      isDangerous: true,
      run: () => api.members.delete(id),
    });
    if (!done) return;
    toast(`Removed ${email}`);
    await members.reload();
  }

  const columns: readonly Column<Member>[] = [
    {
      key: 'email',
      head: 'Address',
      isMain: true,
      isCut: true,
      cell: ({ email }) => (
        <span class="row">
          {email} {email === own && <Badge>you</Badge>}
        </span>
      ),
    },
    { key: 'role', head: 'Role', cell: ({ role }) => roles[role].label },
    { key: 'since', head: 'Since', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: 'acts',
      head: '',
      cell: (member) => (
        <span class="row">
          <Button
            isSmall
            operation="members.update"
            label={`Change the role of ${member.email}`}
            onClick={() => {
              editing.value = member;
            }}
          >
            Role
          </Button>
          <Button
            isSmall
            kind="danger"
            operation="members.delete"
            label={`Remove ${member.email}`}
            onClick={() => remove(member)}
          >
            Remove…
          </Button>
        </span>
      ),
    },
  ];

  return (
    <Section
      title="People"
      note={rows && counted(members.data.value?.pagination.total ?? 0, 'member')}
      aside={
        <Button
          icon="plus"
          operation="members.create"
          onClick={() => {
            editing.value = 'new';
          }}
        >
          Add member
        </Button>
      }
    >
      <LoadedTable query={members}>
        <Table label="Members" columns={columns} rows={rows} keyOf={({ id }) => id} skeletonRows={3} />
      </LoadedTable>
      {members.data.value && <Pager pagination={members.data.value.pagination} />}
      {editing.value && (
        <MemberDialog
          member={editing.value === 'new' ? null : editing.value}
          onDone={() => members.reload()}
          onClose={() => {
            editing.value = null;
          }}
        />
      )}
    </Section>
  );
}

function MemberDialog({
  member,
  onDone,
  onClose,
}: {
  member: Member | null;
  onDone: () => unknown;
  onClose: () => void;
}) {
  const form = useForm({ email: member?.email ?? '', role: member?.role ?? 'author' });
  const submit = form.submit(async ({ email, role }) => {
    if (member) await api.members.update(member.id, { role });
    else await api.members.create({ email, role });
    onClose();
    toast(member ? `Changed the role of ${member.email}` : `${email} can sign in now`, { kind: 'good' });
    await onDone();
  });
  return (
    <FormDialog
      title={member ? `Role of ${member.email}` : 'Add a member'}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={member ? 'Save role' : 'Add member'}
    >
      {!member && (
        <Field
          form={form}
          name="email"
          label="Address"
          type="email"
          autocomplete="off"
          placeholder="bo@harbour.example"
          hint="They sign in by a link that is sent there. No mail is sent now."
        />
      )}
      <Options
        form={form}
        name="role"
        label="Role in every project of the organization"
        options={Object.entries(roles).map(([value, words]) => ({ value, ...words }))}
      />
    </FormDialog>
  );
}

function Sessions() {
  const sessions = useQuery((signal) => api.sessions.list({}, { signal }));
  const rows = sessions.data.value?.sessions ?? null;
  const others = rows?.filter(({ current }) => !current).length ?? 0;

  async function endOthers(): Promise<void> {
    const { ended } = await api.sessions.deleteOthers();
    toast(`Ended ${counted(ended, 'session')}`);
    await sessions.reload();
  }
  async function end({ id }: Session): Promise<void> {
    await api.sessions.delete(id);
    toast('The session has ended');
    await sessions.reload();
  }

  const columns: readonly Column<Session>[] = [
    {
      key: 'browser',
      head: 'Browser',
      isMain: true,
      isCut: true,
      cell: ({ userAgent, current }) => (
        <span class="row">
          <span class="cut">{userAgent ?? 'A browser without a name'}</span> {current && <Badge>this one</Badge>}
        </span>
      ),
    },
    { key: 'since', head: 'Signed in', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'used', head: 'Last used', isNum: true, isDim: true, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      key: 'acts',
      head: '',
      cell: (one) =>
        !one.current && (
          <Button isSmall operation="sessions.delete" label="End this session" onClick={() => end(one)}>
            End
          </Button>
        ),
    },
  ];

  return (
    <Section
      title="Your sessions"
      hasRule
      aside={
        others > 0 && (
          <Button operation="sessions.deleteOthers" onClick={endOthers}>
            End all others
          </Button>
        )
      }
    >
      <LoadedTable query={sessions}>
        <Table label="Your sessions" columns={columns} rows={rows} keyOf={({ id }) => id} skeletonRows={2} />
      </LoadedTable>
    </Section>
  );
}
