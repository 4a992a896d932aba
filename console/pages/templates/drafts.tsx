import type { MailPart } from '../../../client/index.ts';
import { Badge, State } from '../../parts/data/state.tsx';
import type { Column } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { can } from '../../session.ts';

/** Of templates, layouts and snippets alike: a draft, and what is published. */

type Drafted = Pick<MailPart, 'draftVersion' | 'publishedVersion' | 'isDraftOutdated'>;
export type Room = 'templates' | 'layouts' | 'snippets';

export const WHY_READ_ONLY = 'Your role reads templates.';

/** Whether there is something to publish. */
export function hasDraft<T extends Drafted>(one: T): one is T & { draftVersion: number } {
  return one.draftVersion !== null && !one.isDraftOutdated;
}

export function DraftBadge({ of }: { of: Drafted }) {
  if (of.publishedVersion === null) return <Badge tone="warn">Never published</Badge>;
  return hasDraft(of) ? <Badge tone="info">Draft, not published</Badge> : <Badge tone="good">Published</Badge>;
}

/** The columns at the end of a list. */
export function draftColumns<Row extends Drafted & { updatedAt: string }>(
  room: Room,
  nameOf: (row: Row) => string,
  remove: (row: Row) => Promise<void>,
): ReadonlyArray<Column<Row>> {
  return [
    { key: 'state', head: 'State', cell: (row) => <DraftState of={row} /> },
    { key: 'changed', head: 'Changed', isNum: true, isDim: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    {
      key: 'acts',
      head: '',
      cell: (row) => (
        <Button
          isSmall
          kind="danger"
          operation={`${room}.delete`}
          label={`Delete ${nameOf(row)}`}
          onClick={() => remove(row)}
        >
          Delete…
        </Button>
      ),
    },
  ];
}

function DraftState({ of }: { of: Drafted }) {
  if (of.publishedVersion === null) return <State tone="warn">Never published</State>;
  return hasDraft(of) ? <State tone="open">Published, with a newer draft</State> : <State tone="good">Published</State>;
}

/** Of the head of a page: a test, save, publish. */
export function DraftButtons<V extends object>({
  room,
  of,
  form,
  isOvertaken,
  publishWords = 'Publish',
  onTest,
  onSave,
  onPublish,
}: {
  room: Room;
  of: Drafted;
  form: Form<V>;
  /** Two versions are shown: a save would take one of them without a word. */
  isOvertaken: boolean;
  publishWords?: string;
  onTest?: () => void;
  onSave: () => unknown;
  onPublish: () => unknown;
}) {
  const isChanged = form.isChanged.value;
  const isBusy = form.isBusy.value;
  const choose = isOvertaken && 'Choose first which version stays.';
  const mayPublish = can(`${room}.publish`);
  return (
    <>
      {onTest && (
        <Button
          operation={`${room}.test`}
          why={isChanged && 'Save first: a test sends what is saved.'}
          onClick={onTest}
        >
          Send a test…
        </Button>
      )}
      <Button
        {...(mayPublish ? {} : { kind: 'first' as const })}
        operation={`${room}.update`}
        isBusy={isBusy}
        why={choose}
        onClick={onSave}
      >
        Save draft
      </Button>
      {mayPublish && (
        <Button
          kind="first"
          isBusy={isBusy}
          why={choose || (!isChanged && !hasDraft(of) && 'This is what is published.')}
          onClick={onPublish}
        >
          {publishWords}
        </Button>
      )}
    </>
  );
}
