import { useSignal } from '@preact/signals';
import type { Template } from '../../../../client/index.ts';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import { api } from '../../../api.ts';
import { MailEditor, type TextField } from '../../../mail-editor/lazy.tsx';
import { wordsOf } from '../../../mail-editor/model/labels.ts';
import { ThroughVersions } from '../../../mail-editor/versions/lazy.tsx';
import { byHand } from '../../../parts/forms/form.ts';
import type { Parts } from '../../../parts/forms/overtaken.tsx';
import { TestDialog } from '../../../parts/mail/test-dialog.tsx';
import { confirm } from '../../../parts/over/confirm.tsx';
import { Menu } from '../../../parts/over/menu.tsx';
import { Page } from '../../../parts/page/page.tsx';
import { place } from '../../../router.ts';
import { can } from '../../../session.ts';
import { toEdit, versionedOf } from '../calls.ts';
import { Compare } from '../compare.tsx';
import { DraftButtons, WHY_READ_ONLY } from '../drafts.tsx';
import { CRUMB, callsOfTemplate, HeadNotes, HeadState, nameOf } from '../head.tsx';
import { LayoutChoice } from '../layout-choice.tsx';
import { StoredNotes, useSavedByItself, useStored } from '../stored.tsx';
import { Versions } from '../versions.tsx';
import { useMailDraft } from './mail-draft.ts';

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

function bodyOf({ layoutId, ...values }: Values) {
  return { ...values, layoutId: layoutId || null };
}

/** A template of content blocks: written as it looks. */
export function BlocksPage({ template, onSaved }: { template: Template; onSaved: (template: Template) => void }) {
  const { templateId, templateType, publishedVersion } = template;
  const calls = callsOfTemplate(templateId);
  const stored = useStored({ calls, opened: template, nameOf, valuesOf, bodyOf, onSaved });
  const { form, newest, save, publish, saveWords, restore } = stored;
  const { draft, editor } = useMailDraft(stored, texts);
  const isTesting = useSignal(false);
  const person = useSignal('');
  const why = can('templates.update') ? null : WHY_READ_ONLY;
  const note = useSavedByItself(stored, why !== null);
  const toCode = () =>
    confirm({
      title: 'Edit as code',
      text: 'The mail becomes HTML, and stays HTML: the blocks do not come back, but by restoring an earlier version.',
      action: 'Make it code',
      run: async () => {
        await saveWords();
        const { newestVersion, updatedAt, emailTemplate } = await toEdit(calls);
        const body = { emailTemplate, editorJson: null, builderType: 'code', layoutId: null };
        const saved = await calls.update({ ...body, draft: true, newestVersion, updatedAt });
        form.reset(form.values.peek());
        onSaved(saved);
      },
    });
  const compared = newest?.version ?? (Number(place.value.query.get('with')) || publishedVersion);

  return (
    <Page
      title={form.values.value.templateName || 'Template'}
      crumb={CRUMB}
      isFlush
      state={<HeadState template={template} />}
      note={note}
      actions={
        <>
          <DraftButtons
            {...{ room: 'templates', of: template, form, isOvertaken: newest !== null }}
            onTest={() => {
              isTesting.value = true;
            }}
            onSave={byHand(save)}
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
            <StoredNotes of={stored} parts={parts} />
          </>
        }
        after={({ mail, html }) => (
          <>
            {compared !== null && (
              <Compare
                {...{ calls, publishedVersion, person, about: { templateType } }}
                version={compared}
                contentOf={(saved) => saved}
                mail={mail.value}
                content={html.value === null ? null : { ...form.values.value, emailTemplate: html.value }}
              />
            )}
            <ThroughVersions of={versionedOf(calls, newest ?? template, restore)} />
            <Versions calls={calls} opened={newest ?? template} compared={compared} onRestore={restore} />
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
