import { computed, useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { MailPart, PreviewDraftBody } from '../../../../client/index.ts';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import { MailEditor, type MailEditorHandle, type TextField } from '../../../mail-editor/lazy.tsx';
import type { Draft } from '../../../mail-editor/use-mail.ts';
import { moment } from '../../../parts/data/format.ts';
import { Field } from '../../../parts/forms/field.tsx';
import { type Form, useForm } from '../../../parts/forms/form.ts';
import { useKeptDraft } from '../../../parts/forms/leaving.ts';
import { RestoredDraft } from '../../../parts/forms/restored.tsx';
import { CodeEditor } from '../../../parts/mail/code-editor.tsx';
import { MailPreview } from '../../../parts/mail/mail-preview.tsx';
import { useDraftPreview } from '../../../parts/mail/use-preview.ts';
import { toast } from '../../../parts/over/toast.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import { Page, Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { to } from '../../../router.ts';
import { can } from '../../../session.ts';
import { DraftBadge, DraftButtons, hasDraft, WHY_READ_ONLY } from '../drafts.tsx';
import { callsOf, type Kind, kindNow, partToEdit } from './kinds.ts';
import { PublishDialog } from './publish-dialog.tsx';

interface Values {
  description: string;
  emailTemplate: string;
  content: Content | null;
}

function valuesOf({ description, emailTemplate, builderType, editorJson }: MailPart): Values {
  const isOfBlocks = builderType === 'editor' && editorJson?.v === 1;
  return { description, emailTemplate, content: isOfBlocks ? (editorJson as unknown as Content) : null };
}

/** A layout or a snippet: written as templates are, and published with what it touches. */
export default function PartPage({ params }: { params: Record<string, string> }) {
  const kind = kindNow();
  const id = params.partId ?? '';
  const part = useQuery((signal) => partToEdit(kind, id, signal), [kind.part, id]);
  const found = part.data.value;
  if (found) return <Editor key={`${kind.part} ${id}`} kind={kind} part={found} onSaved={() => part.reload()} />;
  return (
    <Page title={kind.part === 'layout' ? 'Layout' : 'Snippet'} crumb={{ label: kind.title, path: kind.path }}>
      <Loaded query={part}>{() => null}</Loaded>
    </Page>
  );
}

function Editor({ kind, part, onSaved }: { kind: Kind; part: MailPart; onSaved: () => PromiseLike<unknown> }) {
  const { id, name } = part;
  const { plural } = kind;
  const form = useForm<Values>(valuesOf(part));
  const kept = useKeptDraft(form, `${plural}/${id}`, `${part.updatedAt} ${part.newestVersion}`);
  const editor = useRef<MailEditorHandle | null>(null);
  const isPublishing = useSignal(false);
  const why = can(`${plural}.update`) ? null : WHY_READ_ONLY;
  const isChanged = form.isChanged.value;
  const isOfBlocks = form.values.value.content !== null;
  const save = form.submit(async ({ description, emailTemplate, content }) => {
    const written = content ? { content: content as never } : { emailTemplate };
    const { newestVersion } = part;
    await callsOf(kind).update(id, { description, ...written, draft: true, newestVersion });
    toast(`Saved ${name}`, { kind: 'good' });
    await onSaved();
  });
  const head = (
    <>
      {why === null && !can(`${plural}.publish`) && (
        <p class="sub">You save drafts. Mails get them when an editor or an owner publishes them.</p>
      )}
      <RestoredDraft
        draft={{
          ...kept,
          drop: () => {
            const { content, description } = valuesOf(part);
            if (content) editor.current?.replace({ content, about: { description } });
            kept.drop();
          },
        }}
      />
      {form.failure.value && <Notice kind="bad" title={`It was not saved: ${form.failure.value}`} />}
    </>
  );
  return (
    <Page
      title={name}
      crumb={{ label: kind.title, path: kind.path }}
      isFlush={isOfBlocks}
      state={<DraftBadge of={part} />}
      note={isChanged ? 'Changed, not saved' : `Saved ${moment(part.updatedAt)}`}
      actions={
        <DraftButtons
          {...{ room: plural, of: part, form, isOvertaken: false, publishWords: 'Publish…' }}
          onSave={() => save()}
          onPublish={async () => {
            if (form.isChanged.peek() && !(await save())) return;
            isPublishing.value = true;
          }}
        />
      }
    >
      {isOfBlocks ? (
        <Blocks {...{ kind, form, why, editor }} before={head} after={<UsedBy part={part} />} />
      ) : (
        <>
          {head}
          <Code {...{ kind, form, why }} />
          <UsedBy part={part} />
        </>
      )}
      {isPublishing.value && (
        <PublishDialog
          title={`Publish ${name}`}
          touched={(signal) => callsOf(kind).touched(id, {}, { signal })}
          all={kind.part === 'layout' ? { layoutId: id } : { snippet: id }}
          store={async () => {
            if (hasDraft(part)) await callsOf(kind).publish(id, { version: part.draftVersion });
          }}
          onPublished={onSaved}
          onClose={() => {
            isPublishing.value = false;
          }}
        />
      )}
    </Page>
  );
}

const texts: readonly TextField[] = [{ name: 'description', label: 'Description', hint: 'For yourselves.' }];

function Blocks({
  kind: { part },
  form,
  why,
  editor,
  before,
  after,
}: {
  kind: Kind;
  form: Form<Values>;
  why: string | null;
  editor: RefObject<MailEditorHandle | null>;
  before: ComponentChildren;
  after: ComponentChildren;
}) {
  const { description, content } = form.values.peek();
  const draft = useSignal<Draft>({ content: content!, about: { description } });
  const person = useSignal('');
  useLayoutEffect(
    () =>
      draft.subscribe((next) => {
        const values = form.values.peek();
        const { description: words = '' } = next.about;
        if (values.content !== next.content) form.set('content', next.content);
        if (values.description !== words) form.set('description', words);
      }),
    [form, draft],
  );
  return (
    <MailEditor
      {...{ draft, texts, person, why }}
      handle={editor}
      isMarketing
      frame={{ part }}
      before={before}
      after={() => after}
    />
  );
}

function Code({ kind, form, why }: { kind: Kind; form: Form<Values>; why: string | null }) {
  const draft = useMemo(
    () =>
      computed<PreviewDraftBody>(() => ({
        emailTemplate: form.values.value.emailTemplate,
        templateType: 'marketing',
        dynamicData: { content: '<p>The mail stands here.</p>' },
      })),
    [form],
  );
  const { mail, faults, isOld } = useDraftPreview(draft);
  return (
    <>
      <Field form={form} name="description" label="Description" autocomplete="off" why={why} hint="For yourselves." />
      <Section title="Code" note={kind.part === 'layout' ? '{{{content}}} is where the mail stands' : null}>
        <CodeEditor
          label={`HTML of the ${kind.part}`}
          value={form.values.value.emailTemplate}
          faults={faults.value}
          isReadOnly={why !== null}
          onChange={(text) => {
            if (text !== form.values.peek().emailTemplate) form.set('emailTemplate', text);
          }}
        />
      </Section>
      <Section title="Preview" hasRule>
        <MailPreview mail={mail.value} isOld={isOld.value} />
      </Section>
    </>
  );
}

function UsedBy({ part: { usedBy = [], uses = 0 } }: { part: MailPart }) {
  return (
    <Section title="Used by" note={uses > usedBy.length ? `${uses}, the newest of them here` : null} hasRule>
      {usedBy.length === 0 && <p class="dim">Nothing yet.</p>}
      <ul class="plain">
        {usedBy.map((user) => (
          <li key={`${user.kind} ${user.id}`}>
            <a class="link" href={hrefOf(user)}>
              {user.name}
            </a>{' '}
            {user.kind !== 'template' && <span class="dim">{user.kind}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function hrefOf({ kind, id }: NonNullable<MailPart['usedBy']>[number]) {
  if (kind === 'template') return to(`/templates/${id}`);
  return to(`/templates/${kind}s/${id}`);
}
