import type { Automation, Enrollment, EnrollmentStatus } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { type Happened, Timeline } from '../../parts/data/details.tsx';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { State } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { FilterSelect } from '../../parts/forms/search-box.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { Dialog } from '../../parts/over/dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { nameOf } from './graph/flow.ts';
import { exitWords, zoneMissing } from './graph/state.tsx';
import type { Names } from './names.ts';

const LIMIT = 20;
const words: Record<EnrollmentStatus, string> = {
  active: 'On the way',
  completed: 'Completed',
  exited: 'Left early',
};

/** The people who entered, newest first; those of one state or on one step. */
export function Enrollments({ automation, names }: { automation: Automation; names: Names }) {
  const { query } = place.value;
  const status = (query.get('status') ?? '') as EnrollmentStatus | '';
  const stepId = query.get('at') ?? '';
  const openId = query.get('enrollment');
  const page = currentPage();
  const found = useQuery(
    (signal) => {
      const filter = { ...(stepId ? { stepId } : status && { status }), page, limit: LIMIT };
      return api.automations.enrollments(automation.id, filter, { signal });
    },
    [automation.id, status, stepId, page],
  );
  const rows = found.data.value?.enrollments ?? null;
  const opened = rows?.find(({ id }) => id === openId);
  const stepName = (id: string | null | undefined) => {
    const step = automation.steps.find((one) => one.stepId === id);
    return step ? nameOf(step, names.templates) : id ? 'a step that was removed' : '';
  };
  const columns: readonly Column<Enrollment>[] = [
    {
      key: 'email',
      head: 'Person',
      isMain: true,
      isCut: true,
      cell: ({ email }) =>
        email === null ? (
          <span class="dim">deleted contact</span>
        ) : (
          <a href={to('/contacts', { search: email })}>{email}</a>
        ),
    },
    {
      key: 'status',
      head: 'State',
      cell: ({ status: state, exitReason, parked }) => (
        <State tone={state === 'active' ? (parked ? 'open' : 'live') : state === 'exited' ? 'warn' : 'idle'}>
          {parked ? 'Held by the pause' : words[state]}
          {exitReason && <span class="dim"> {exitWords(exitReason)}</span>}
        </State>
      ),
    },
    { key: 'step', head: 'Step', isCut: true, cell: ({ stepId: at }) => stepName(at) },
    { key: 'wakes', head: 'Goes on', isNum: true, cell: ({ wakeAt }) => <Time at={wakeAt} /> },
    { key: 'entered', head: 'Entered', isNum: true, isDim: true, cell: ({ enteredAt }) => <Time at={enteredAt} /> },
    {
      key: 'history',
      head: '',
      cell: (enrollment) => (
        <div class="row">
          <Button
            isSmall
            label={`History of ${enrollment.email ?? 'a deleted contact'}`}
            onClick={() => setQuery({ enrollment: enrollment.id }, { push: true })}
          >
            History
          </Button>
          {enrollment.status === 'active' && (
            <Button
              isSmall
              operation="automations.removeEnrollment"
              label={`Remove ${enrollment.email ?? 'a deleted contact'}`}
              onClick={() => remove(enrollment)}
            >
              Remove…
            </Button>
          )}
        </div>
      ),
    },
  ];
  async function remove({ id, email }: Enrollment): Promise<void> {
    const person = email ?? 'This person';
    const isDone = await confirm({
      title: `Remove ${person}`,
      text: `${person} leaves ${automation.name} now, without its later mails. A mail that is queued already goes out.`,
      action: 'Remove',
      isDangerous: true,
      run: () => api.automations.removeEnrollment(automation.id, id),
    });
    if (!isDone) return;
    toast(`${person} left ${automation.name}`, { kind: 'good' });
    await found.reload();
  }
  return (
    <div class="stack">
      <div class="row wrap">
        <FilterSelect
          label="State"
          value={stepId ? 'active' : status}
          options={[
            { value: '', label: 'Every state' },
            ...Object.entries(words).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(value) => setQuery({ status: value, at: null, page: null })}
        />
        <FilterSelect
          label="Step"
          value={stepId}
          options={[
            { value: '', label: 'On every step' },
            ...automation.steps.map((step, index) => ({
              value: step.stepId,
              label: `${index + 1}. ${nameOf(step, names.templates)}`,
            })),
          ]}
          onChange={(value) => setQuery({ at: value, status: null, page: null })}
        />
      </div>
      <LoadedTable query={found}>
        <Table
          label="People who entered"
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          empty={
            status || stepId ? (
              <Empty
                title="No one fits"
                action={<Button onClick={() => setQuery({ status: null, at: null, page: null })}>Show all</Button>}
              >
                People move on by themselves; look at every state and step.
              </Empty>
            ) : (
              <Empty title="No one has entered yet">
                People enter from the moment at which the automation is active; those who were there before do not.
              </Empty>
            )
          }
        />
      </LoadedTable>
      {found.data.value && <Pager pagination={found.data.value.pagination} />}
      {opened && (
        <Dialog title={opened.email ?? 'Deleted contact'} onClose={() => setQuery({ enrollment: null })}>
          <Timeline entries={opened.history.map((event, index) => happened(event, index, stepName))} />
        </Dialog>
      )}
    </div>
  );
}

function happened(
  { type, at, stepId, until, rule, reason, emailId }: Enrollment['history'][number],
  index: number,
  stepName: (id: string | undefined) => string,
): Happened {
  const step = stepName(stepId);
  const titles = {
    entered: 'Entered',
    wait: step,
    heard: 'The event came',
    goal: `Reached: ${step}`,
    goal_passed: `Came to: ${step}`,
    timed_out: 'No event came in time',
    email: `Mail: ${step}`,
    branch: `Branch: ${step}`,
    branch_left: `Left the branch: ${step}`,
    update_contact: reason ? `Could not be changed: ${step}` : step,
    webhook: step,
    webhook_answered: 'Answered',
    webhook_failed: 'No answer that can be used',
    parked: 'Held by the pause',
    moved: 'Moved to a newer version',
    completed: 'Completed',
    exited: 'Left early',
  };
  const under = [rule, reason && (type === 'update_contact' || type === 'webhook_failed' ? reason : exitWords(reason))]
    .filter(Boolean)
    .join(', ');
  const isBad = type === 'exited' || type === 'webhook_failed' || (type === 'update_contact' && reason !== undefined);
  const tone = type === 'completed' || type === 'email' ? 'good' : isBad ? 'warn' : undefined;
  return {
    key: String(index),
    at,
    tone,
    title: emailId ? (
      <a class="link" href={to('/emails', { email: emailId })}>
        {titles[type]}
      </a>
    ) : (
      titles[type]
    ),
    under: until ? (
      <>
        until <Time at={until} />
        {reason === 'zone_missing' && `, ${zoneMissing}`}
      </>
    ) : (
      under || undefined
    ),
  };
}
