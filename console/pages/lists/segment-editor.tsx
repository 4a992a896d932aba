import { computed, type ReadonlySignal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type ContactList, EverpostError } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { count, percent } from '../../parts/data/format.ts';
import { Badge } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { byHand, type Form, useForm } from '../../parts/forms/form.ts';
import { keepForPage, useKeptDraft } from '../../parts/forms/leaving.ts';
import { BothTexts, useConflict } from '../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../parts/forms/restored.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadFailure } from '../../parts/page/loaded.tsx';
import { Empty, Notice, SkeletonLines } from '../../parts/page/notice.tsx';
import { Columns, Page, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { navigate, to } from '../../router.ts';
import { can } from '../../session.ts';
import { allFields } from '../contacts/fields.tsx';
import {
  fromCriteria,
  type GroupRow,
  type KnownField,
  knownFields,
  newFieldRow,
  newGroup,
  problemsOf,
  toCriteria,
} from './filter.ts';
import { FilterBuilder } from './filter-builder.tsx';
import type { Beginning } from './from-campaign.ts';
import { type Preview, usePreview } from './preview.ts';
import { type Draft, useParts } from './version-parts.ts';

interface Choices {
  fields: readonly KnownField[];
}

/** Loads the fields that a filter can name, then opens the editor. */
export function SegmentEditor(props: {
  segment: ContactList | null;
  /** Of a new one. */
  beginning?: Beginning | undefined;
  onSaved: (list: ContactList) => void;
}) {
  const choices = useQuery(async (signal): Promise<Choices> => ({ fields: knownFields(await allFields(signal)) }));
  const loaded = choices.data.value;
  if (loaded) return <Editor {...props} choices={loaded} />;
  return (
    <Page title={props.segment?.name ?? 'New segment'} crumb={{ label: 'Lists and segments', path: '/lists' }}>
      {choices.error.value === null ? (
        <SkeletonLines />
      ) : (
        <LoadFailure error={choices.error.value} onRetry={choices.reload} />
      )}
    </Page>
  );
}

function Editor({
  segment,
  beginning,
  choices,
  onSaved,
}: {
  segment: ContactList | null;
  beginning?: Beginning | undefined;
  choices: Choices;
  onSaved: (list: ContactList) => void;
}) {
  const valuesOf = (saved: ContactList | Beginning | null): Draft => ({
    name: saved?.name ?? '',
    group: groupOf(saved, choices),
  });
  const initial = useMemo(() => valuesOf(segment ?? beginning ?? null), []);
  const form = useForm<Draft>(initial);
  const page = `lists/${segment?.id ?? ['new', beginning?.name].filter(Boolean).join(' ')}`;
  const kept = useKeptDraft(form, page, segment?.updatedAt ?? null);
  const conflict = useConflict(kept, segment, async () => segment && api.contactLists.get(segment.id));
  const parts = useParts(conflict.newest.value, form, choices);
  const group = useMemo(() => computed(() => form.values.value.group), [form]);
  const preview = usePreview(group, choices.fields);
  const refusal = useSignal<string | null>(null);
  const isReadOnly = !can(segment ? 'contactLists.update' : 'contactLists.create');

  function change(next: GroupRow): void {
    form.set('group', next);
    refusal.value = null;
  }
  const save = form.submit(async (values) => {
    const body = { name: values.name, filterCriteria: toCriteria(values.group, choices.fields) };
    const seen = conflict.base?.updatedAt;
    try {
      const done = segment
        ? await conflict.save(() => api.contactLists.update(segment.id, { ...body, ...(seen && { updatedAt: seen }) }))
        : await api.contactLists.create({ ...body, type: 'segment' });
      refusal.value = null;
      toast(`Saved ${done.name}`, { kind: 'good' });
      if (segment) {
        form.take(values, { name: done.name, group: values.group });
        return onSaved(done);
      }
      const typed = form.values.peek();
      if (typed !== values) keepForPage(`lists/${done.id}`, typed, done.updatedAt);
      form.reset(typed);
      navigate(to(`/lists/${done.id}`));
    } catch (error) {
      refusal.value = error instanceof EverpostError ? error.details : null;
      throw error;
    }
  });
  const discard = () => {
    refusal.value = null;
    form.reset();
  };
  const hasChanges = form.isChanged.value;

  return (
    <Page
      title={segment?.name ?? 'New segment'}
      crumb={{ label: 'Lists and segments', path: '/lists' }}
      state={<Badge>Segment</Badge>}
      note={hasChanges ? 'Changed, not saved' : null}
      actions={
        <>
          {segment && (
            <Button icon="contacts" href={to('/contacts', { list: segment.id })}>
              Its people
            </Button>
          )}
          {hasChanges && segment && <Button onClick={discard}>Discard</Button>}
          <Button
            kind="first"
            operation={segment ? 'contactLists.update' : 'contactLists.create'}
            isBusy={form.isBusy.value}
            onClick={byHand(save)}
          >
            Save
          </Button>
        </>
      }
    >
      <RestoredDraft draft={kept} />
      <BothTexts
        {...{ conflict, draft: kept, form, parts, valuesOf }}
        onKeep={byHand(save)}
        onTake={(saved) => {
          refusal.value = null;
          onSaved(saved);
        }}
      />
      <Columns>
        <Section title="Who belongs to it" note="people matching each line alone" span={8}>
          <div class="stack">
            <Field
              form={form}
              name="name"
              label="Name"
              autocomplete="off"
              why={isReadOnly && 'Your role only reads.'}
            />
            <Conditions {...{ group, choices, preview, isReadOnly, refusal: refusal.value }} onChange={change} />
            {!conflict.newest.value && <Failure form={form} refusal={refusal.value} />}
          </div>
        </Section>
        <Section title="It finds" note={preview.isCounting.value ? 'counting' : null} span={4}>
          <Found preview={preview} segment={segment} />
        </Section>
      </Columns>
      <Section title="Some of them" hasRule>
        <Some preview={preview} />
      </Section>
    </Page>
  );
}

function groupOf(segment: ContactList | Beginning | null, { fields }: Choices): GroupRow {
  if (segment?.filterCriteria) return fromCriteria(segment.filterCriteria, fields);
  const [first] = fields;
  return newGroup(first ? [newFieldRow(first)] : []);
}

function Conditions({
  group,
  choices,
  preview,
  refusal,
  isReadOnly,
  onChange,
}: {
  group: ReadonlySignal<GroupRow>;
  choices: Choices;
  preview: Preview;
  refusal: string | null;
  isReadOnly: boolean;
  onChange: (group: GroupRow) => void;
}) {
  const failed = preview.error.value;
  const details = refusal ?? (failed instanceof EverpostError ? failed.details : null);
  const scene = {
    ...choices,
    counts: preview.counts.value,
    problems: problemsOf(details, group.value),
    isReadOnly,
  };
  return <FilterBuilder group={group.value} scene={scene} onChange={onChange} />;
}

/** A refusal that is shown at its row needs no second place. */
function Failure({ form, refusal }: { form: Form<Draft>; refusal: string | null }) {
  const text = form.failure.value;
  if (!text || (refusal !== null && /^filterCriteria\/groups/.test(refusal))) return null;
  return <Notice kind="bad" title={text} />;
}

function Found({ preview, segment }: { preview: Preview; segment: ContactList | null }) {
  const found = preview.found.value;
  const failed = preview.error.value;
  if (failed !== null && !(failed instanceof EverpostError && isOfRow(failed)))
    return <LoadFailure error={failed} hasOld={found !== null} onRetry={preview.again} />;
  if (!found) return <p class="dim">Finish a condition to see how many people it finds.</p>;
  const { count: n, estimate, looksBackDays } = found;
  return (
    <div role="status" class="stack tight">
      <p class="figure">
        {n !== null ? count(n) : estimate !== null ? `about ${count(estimate)}` : 'many'}{' '}
        <small>{n === 1 ? 'person' : 'people'}</small>
      </p>
      {n === null && <p class="sub">Counted exactly when the segment is saved.</p>}
      {segment && n !== null && n !== segment.contactCount && (
        <p class="sub">
          As saved, it was {count(segment.contactCount)}:{' '}
          <span class="strong">{difference(n - segment.contactCount)}</span>.
        </p>
      )}
      {segment?.recompute?.status === 'running' && (
        <p class="sub">
          {percent(segment.recompute.processed, segment.recompute.total)} of the contacts are compared; campaigns wait
          for the rest.
        </p>
      )}
      {looksBackDays !== null && (
        <p class="dim small">What people did is kept for {looksBackDays} days: never means within them.</p>
      )}
    </div>
  );
}

/** A refusal of a condition is shown at its row; a list that is gone is 404. */
function isOfRow({ status, details }: EverpostError): boolean {
  return status === 400 || (status === 404 && details !== null);
}

function difference(n: number): string {
  return n > 0 ? `${count(n)} more` : `${count(-n)} fewer`;
}

type Person = { id: string; email: string; firstName: string | null; lastName: string | null };
const columns: readonly Column<Person>[] = [
  {
    key: 'email',
    head: 'Address',
    isMain: true,
    isCut: true,
    cell: ({ id, email }) => <a href={to('/contacts', { person: id })}>{email}</a>,
  },
  {
    key: 'name',
    head: 'Name',
    isCut: true,
    cell: ({ firstName, lastName }) =>
      [firstName, lastName].filter(Boolean).join(' ') || <span class="dim">no name</span>,
  },
];

function Some({ preview }: { preview: Preview }) {
  const found = preview.found.value;
  return (
    <Table
      label="Some of them"
      columns={columns}
      rows={found?.people ?? (preview.isCounting.value ? null : [])}
      keyOf={({ id }) => id}
      skeletonRows={5}
      empty={<Empty title="Nobody">{found ? 'No contact matches.' : 'Finish a condition first.'}</Empty>}
    />
  );
}
