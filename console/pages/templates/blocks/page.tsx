import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Template } from '../../../../client/index.ts';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import { api } from '../../../api.ts';
import { savedWords, useAutosave } from '../../../mail-editor/autosave.ts';
import { MailEditor, type MailEditorHandle, type TextField } from '../../../mail-editor/lazy.tsx';
import { wordsOf } from '../../../mail-editor/model/labels.ts';
import type { Draft } from '../../../mail-editor/use-mail.ts';
import { ThroughVersions, type Versioned } from '../../../mail-editor/versions/lazy.tsx';
import { useForm } from '../../../parts/forms/form.ts';
import { useKeptDraft } from '../../../parts/forms/leaving.ts';
import { BothTexts, type Parts, useConflict } from '../../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../../parts/forms/restored.tsx';
import { TestDialog } from '../../../parts/mail/test-dialog.tsx';
import { confirm } from '../../../parts/over/confirm.tsx';
import { Menu } from '../../../parts/over/menu.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import { Page } from '../../../parts/page/page.tsx';
import { place } from '../../../router.ts';
import { can } from '../../../session.ts';
import { Compare } from '../compare.tsx';
import { DraftButtons, hasDraft, WHY_READ_ONLY } from '../drafts.tsx';
import { CRUMB, HeadNotes, HeadState, toEdit } from '../head.tsx';
import { LayoutChoice } from '../layout-choice.tsx';
import { Versions } from '../versions.tsx';

/** All that are kept. */
const VERSIONS_MAX = 100;

interface Values {
  templateName: string;
  subject: string;
  previewText: string;
  content: Content;
  /** '': none. */
  layoutId: string;
}

function valuesOf({ templateName, subject, previewText, editorJson, layoutId }: Template): Values {
  const content = editorJson as unknown as Content;
  return { templateName, subject, previewText, content, layoutId: layoutId ?? '' };
}

/** As the page calls them. */
const parts: Parts<Values> = {
  templateName: 'Name',
  subject: 'Subject',
  previewText: 'Preview text',
  content: { label: 'Mail', text: wordsOf },
  layoutId: 'Layout',
};

const texts: readonly TextField[] = [
  { name: 'subject', label: 'Subject' },
  { name: 'previewText', label: 'Preview text', hint: 'Shown behind the subject in a list of mails.' },
  { name: 'templateName', label: 'Name' },
];

function draftOf({ content, layoutId: _, ...about }: Values): Draft {
  return { content, about };
}

function valuesIn({ content, about }: Draft): Omit<Values, 'layoutId'> {
  const { templateName = '', subject = '', previewText = '' } = about;
  return { templateName, subject, previewText, content };
}

function versionsOf(template: Template, onRestore: (version: number) => unknown): Versioned {
  const { templateId, newestVersion, version } = template;
  return {
    ...{ key: templateId, newestVersion, version, operation: 'templates.restore', onRestore },
    list: async (signal) => (await api.templates.versions(templateId, { limit: VERSIONS_MAX }, { signal })).versions,
    read: (one, signal) => api.templates.get(templateId, { version: String(one) }, { signal }),
  };
}

/** A template of content blocks: written as it looks. */
export function BlocksPage({ template, onSaved }: { template: Template; onSaved: (template: Template) => void }) {
  const { templateId, templateType, publishedVersion } = template;
  const form = useForm<Values>(valuesOf(template));
  const kept = useKeptDraft(form, `templates/${templateId}`, `${template.updatedAt} ${template.newestVersion}`);
  const conflict = useConflict(kept, template, () => toEdit(templateId));
  const draft = useSignal<Draft>(draftOf(form.values.peek()));
  const editor = useRef<MailEditorHandle | null>(null);
  const isTesting = useSignal(false);
  const person = useSignal('');
  const newest = conflict.newest.value;
  const why = can('templates.update') ? null : WHY_READ_ONLY;
  useLayoutEffect(
    () =>
      draft.subscribe(({ content, about }) => {
        const values = form.values.peek();
        const next = Object.entries(valuesIn({ content, about })) as Array<[keyof Values, never]>;
        for (const [name, value] of next) if (values[name] !== value) form.set(name, value);
      }),
    [form, draft],
  );
  /** Shows values that come from elsewhere. */
  function take(values: Values): void {
    editor.current?.replace(draftOf(values));
    form.reset({ ...valuesIn(draft.peek()), layoutId: values.layoutId });
  }
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  /** One after the other: a save that another one overtakes would be refused. */
  function saveDraft(values: Values): Promise<Template> {
    const saved = saving.current.then(() => storeDraft(values));
    saving.current = saved.catch(() => undefined);
    return saved;
  }
  async function storeDraft(values: Values): Promise<Template> {
    const { newestVersion, updatedAt } = conflict.base;
    const { content, layoutId, ...others } = values;
    const body = {
      ...others,
      content: content as never,
      layoutId: layoutId || null,
      draft: true,
      newestVersion,
      updatedAt,
    };
    const saved = await conflict.save(() => api.templates.update(templateId, body));
    onSaved(saved);
    return saved;
  }
  const save = form.submit(saveDraft);
  const isHeld = why !== null || newest !== null;
  const { isSoon } = useAutosave(form, save, isHeld);
  const publish = form.submit(async (values) => {
    const saved = form.isChanged.peek() ? await saveDraft(values) : template;
    if (!hasDraft(saved)) return;
    const published = await api.templates.publish(templateId, { version: saved.draftVersion });
    toast(`Published version ${published.version} of ${published.templateName}`, { kind: 'good' });
    onSaved(published);
  });
  /** Words without a version become one, and nothing is left for the next save. */
  async function saveWords(): Promise<{ newestVersion: number }> {
    const values = form.values.peek();
    if (!form.isChanged.peek()) return conflict.base;
    const saved = await saveDraft(values);
    if (form.values.peek() === values) form.reset(values);
    return saved;
  }
  async function restore(version: number): Promise<void> {
    const { newestVersion } = await saveWords();
    const restored = await conflict.save(() => api.templates.restore(templateId, { version, newestVersion }));
    onSaved(restored);
    if (restored.editorJson) take(valuesOf(restored));
    toast(`Version ${version} is in the editor again; it is sent when it is published`, { kind: 'good' });
  }
  const toCode = () =>
    confirm({
      title: 'Edit as code',
      text: 'The mail becomes HTML, and stays HTML: the blocks do not come back, but by restoring an earlier version.',
      action: 'Make it code',
      run: async () => {
        await saveWords();
        const { newestVersion, updatedAt, emailTemplate } = await toEdit(templateId);
        const body = { emailTemplate, editorJson: null, builderType: 'code' as const, layoutId: null };
        const saved = await api.templates.update(templateId, { ...body, draft: true, newestVersion, updatedAt });
        form.reset(form.values.peek());
        onSaved(saved);
      },
    });
  const isChanged = form.isChanged.value;
  const compared = newest?.version ?? (Number(place.value.query.get('with')) || publishedVersion);

  return (
    <Page
      title={form.values.value.templateName || 'Template'}
      crumb={CRUMB}
      isFlush
      state={<HeadState template={template} />}
      note={savedWords({ isChanged, isSoon: isSoon.value, isSaving: form.isBusy.value, at: template.updatedAt })}
      actions={
        <>
          <DraftButtons
            {...{ room: 'templates', of: template, form, isOvertaken: newest !== null }}
            onTest={() => {
              isTesting.value = true;
            }}
            onSave={() => save()}
            onPublish={() => publish()}
          />
          <Menu
            label="More"
            items={[{ label: 'Edit as code…', icon: 'edit', operation: 'templates.update', onPick: toCode }]}
          />
        </>
      }
    >
      <MailEditor
        {...{ draft, texts, person, why }}
        handle={editor}
        isMarketing={templateType === 'marketing'}
        frame={{ layoutId: form.values.value.layoutId || null }}
        before={
          <>
            <HeadNotes template={template} />
            <LayoutChoice form={form} builderType="editor" why={why} />
            <RestoredDraft
              draft={{
                ...kept,
                drop: () => {
                  take(valuesOf(template));
                  kept.drop();
                },
              }}
            />
            <BothTexts
              {...{ conflict, draft: kept, form, parts, valuesOf }}
              onKeep={() => save()}
              onTake={(taken) => {
                onSaved(taken);
                take(valuesOf(taken));
              }}
            />
            {!newest && form.failure.value && <Notice kind="bad" title={`It was not saved: ${form.failure.value}`} />}
          </>
        }
        after={({ mail, html }) => (
          <>
            {compared !== null && html.value !== null && (
              <Compare
                {...{ template, person }}
                version={compared}
                mail={mail.value}
                content={{ ...form.values.value, emailTemplate: html.value }}
              />
            )}
            <ThroughVersions of={versionsOf(newest ?? template, restore)} />
            <Versions template={newest ?? template} compared={compared} onRestore={restore} />
          </>
        )}
      />
      {isTesting.value && (
        <TestDialog
          asksSender
          person={person.value}
          send={(test, sender) => api.templates.test(templateId, { ...test, ...sender, version: 'draft' })}
          onClose={() => {
            isTesting.value = false;
          }}
        />
      )}
    </Page>
  );
}
