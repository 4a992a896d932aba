import { useEffect } from 'preact/hooks';
import type { Form, UpdateFormBody } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { ChipChoice } from '../../parts/choose/chip-choice.tsx';
import { listsWithoutSegments } from '../../parts/choose/things.ts';
import { moment } from '../../parts/data/format.ts';
import { Badge } from '../../parts/data/state.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { byHand, type Form as Typed, useForm } from '../../parts/forms/form.ts';
import { keepForPage, useKeptDraft } from '../../parts/forms/leaving.ts';
import { BothTexts, useConflict } from '../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../parts/forms/restored.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { Menu } from '../../parts/over/menu.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadFailure } from '../../parts/page/loaded.tsx';
import { Notice, SkeletonLines } from '../../parts/page/notice.tsx';
import { Page, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { navigate, to } from '../../router.ts';
import { can } from '../../session.ts';
import { allFields } from '../contacts/fields.tsx';
import { type Choices, whyReadOnly } from './choices.ts';
import { Confirmation } from './confirmation.tsx';
import { bodyOf, type Draft, draftOf } from './draft.ts';
import { Embed } from './embed.tsx';
import { FieldRows } from './fields.tsx';
import { FormLook } from './look.tsx';
import { useParts } from './parts.ts';
import { Words } from './words.tsx';

const crumb = { label: 'Forms', path: '/forms' } as const;

/** A form by which people subscribe: `/forms/new`, `/forms/{formId}`. */
export default function FormPage({ params }: { params: Record<string, string> }) {
  const id = params.formId ?? null;
  const choices = useQuery(
    async (signal): Promise<Choices> => {
      const [form, customFields] = await Promise.all([id ? api.forms.get(id, { signal }) : null, allFields(signal)]);
      return { form, customFields };
    },
    [id],
  );
  const loaded = choices.data.value;
  if (loaded && (loaded.form?.id ?? null) === id)
    return (
      <Editor
        key={id}
        choices={loaded}
        onSaved={(form) => {
          choices.data.value = { ...loaded, form };
        }}
      />
    );
  return (
    <Page title={id ? 'Form' : 'New form'} crumb={crumb}>
      {choices.error.value === null ? (
        <SkeletonLines />
      ) : (
        <LoadFailure error={choices.error.value} onRetry={choices.reload} />
      )}
    </Page>
  );
}

function Editor({ choices, onSaved }: { choices: Choices; onSaved: (form: Form) => void }) {
  const saved = choices.form;
  const form = useForm<Draft>(draftOf(saved));
  const isReadOnly = !can(saved ? 'forms.update' : 'forms.create');
  const kept = useKeptDraft(form, `forms/${saved?.id ?? 'new'}`, saved?.updatedAt ?? null);
  const conflict = useConflict<Form | null>(kept, saved, async () => saved && api.forms.get(saved.id));
  const parts = useParts(conflict.newest.value, form);
  const change = ({ id, updatedAt }: Form, body: UpdateFormBody) =>
    conflict.save(() => api.forms.update(id, { ...body, updatedAt: conflict.base?.updatedAt ?? updatedAt }));
  const save = form.submit(async (draft) => {
    // A new form is looked at before it is public.
    const next = saved
      ? await change(saved, bodyOf(draft))
      : await api.forms.create({ ...bodyOf(draft), isActive: false });
    toast(`Saved ${next.name}`, { kind: 'good' });
    if (saved) return onSaved(next);
    const typed = form.values.peek();
    if (typed !== draft) keepForPage(`forms/${next.id}`, typed, next.updatedAt);
    form.reset(typed);
    navigate(to(`/forms/${next.id}`));
  });
  return (
    <Page
      title={saved?.name ?? 'New form'}
      crumb={crumb}
      state={saved && <Badge tone={saved.isActive ? 'good' : 'idle'}>{saved.isActive ? 'Active' : 'Not active'}</Badge>}
      note={form.isChanged.value ? 'Changed, not saved' : saved && `Saved ${moment(saved.updatedAt)}`}
      actions={
        <>
          {saved && <More form={saved} change={change} onSaved={onSaved} />}
          <Button
            {...(saved?.isActive === false ? {} : { kind: 'first' as const })}
            operation={saved ? 'forms.update' : 'forms.create'}
            isBusy={form.isBusy.value}
            onClick={byHand(save)}
          >
            Save
          </Button>
          {saved?.isActive === false && (
            <Button
              kind="first"
              operation="forms.update"
              why={form.isChanged.value && 'Save first: what is saved becomes public.'}
              onClick={async () => {
                onSaved(await change(saved, { isActive: true }));
                toast('The page is public now', { kind: 'good' });
              }}
            >
              Activate
            </Button>
          )}
        </>
      }
    >
      <RestoredDraft draft={kept} />
      <BothTexts
        {...{ conflict, draft: kept, form, parts, valuesOf: draftOf }}
        onKeep={byHand(save)}
        onTake={onSaved}
      />
      {!conflict.newest.value && form.failure.value && <Notice kind="bad" title={form.failure.value} />}
      <div class="cols">
        <div class="stack far c7">
          <About form={form} isReadOnly={isReadOnly} />
          <Section title="Fields" hasRule>
            <FieldRows form={form} customFields={choices.customFields} isReadOnly={isReadOnly} />
          </Section>
          <Confirmation form={form} isReadOnly={isReadOnly} />
          <Words form={form} isReadOnly={isReadOnly} />
          <Embed form={form} saved={saved} isReadOnly={isReadOnly} />
        </div>
        <div class="c5">
          <FormLook form={form} />
        </div>
      </div>
    </Page>
  );
}

function About({ form, isReadOnly }: { form: Typed<Draft>; isReadOnly: boolean }) {
  useEffect(() => form.mount('listIds'), [form]);
  return (
    <Section title="Who joins where">
      <Field
        form={form}
        name="name"
        label="Name of the form"
        autocomplete="off"
        hint="For you; the heading of the page is a text below."
        why={isReadOnly && whyReadOnly}
      />
      <ChipChoice
        things={listsWithoutSegments}
        label="They join"
        add="Add a list"
        chosen={form.values.value.listIds}
        isReadOnly={isReadOnly}
        error={form.errors.value.listIds}
        onChange={(ids) => form.set('listIds', ids)}
      />
    </Section>
  );
}

function More({
  form,
  change,
  onSaved,
}: {
  form: Form;
  change: (form: Form, body: UpdateFormBody) => PromiseLike<Form>;
  onSaved: (form: Form) => void;
}) {
  const { id, name, url, isActive } = form;
  async function switchOff(): Promise<void> {
    let changed: Form | null = null;
    await confirm({
      title: `Switch ${name} off`,
      text: 'Its page is gone for the public, also where it is embedded. Those who wait for their confirmation can still confirm.',
      action: 'Switch off',
      isDangerous: true,
      run: async () => {
        changed = await change(form, { isActive: false });
      },
    });
    if (changed) onSaved(changed);
  }
  async function remove(): Promise<void> {
    const done = await confirm({
      title: `Delete ${name}`,
      text: 'Its page is gone. People who subscribed stay, and so do their consents; those who wait for their confirmation can still confirm.',
      action: 'Delete form',
      isDangerous: true,
      run: () => api.forms.delete(id),
    });
    if (!done) return;
    toast(`Deleted ${name}`);
    navigate(to('/forms'), { isAsked: false });
  }
  return (
    <Menu
      label="More for this form"
      items={[
        ...(isActive
          ? [
              { label: 'Open the page', icon: 'external' as const, href: url },
              { label: 'Switch off…', icon: 'pause' as const, operation: 'forms.update', onPick: switchOff },
            ]
          : []),
        { label: 'Delete…', icon: 'trash', isDangerous: true, operation: 'forms.delete', onPick: remove },
      ]}
    />
  );
}
