import { computed, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { PreviewDraftBody, Template } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Field } from '../../parts/forms/field.tsx';
import { byHand, type Form, sentenceOf } from '../../parts/forms/form.ts';
import type { Parts } from '../../parts/forms/overtaken.tsx';
import { UploadButton } from '../../parts/forms/upload-button.tsx';
import { CodeEditor } from '../../parts/mail/code-editor.tsx';
import { MailPreview } from '../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../parts/mail/person-search.tsx';
import { TestDialog } from '../../parts/mail/test-dialog.tsx';
import { faultsOf, useDraftPreview } from '../../parts/mail/use-preview.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { Page, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place } from '../../router.ts';
import { can } from '../../session.ts';
import { BlocksPage } from './blocks/page.tsx';
import { isOfBlocks, toEdit } from './calls.ts';
import { Compare } from './compare.tsx';
import { DraftButtons, WHY_READ_ONLY } from './drafts.tsx';
import { CRUMB, callsOfTemplate, HeadNotes, HeadState, nameOf } from './head.tsx';
import { InsertSnippet } from './insert-snippet.tsx';
import { LayoutChoice } from './layout-choice.tsx';
import type { Ways } from './refused.tsx';
import { StoredNotes, useSavedByItself, useStored } from './stored.tsx';
import { Versions } from './versions.tsx';

/** The code of a template, the mail that it makes, and what differs from the version that is sent. */
export default function TemplatePage({ params }: { params: Record<string, string> }) {
  const id = params.templateId ?? '';
  const template = useQuery((signal) => toEdit(callsOfTemplate(id), signal), [id]);
  const found = template.data.value;
  const onSaved = (next: Template) => {
    template.data.value = next;
  };
  if (found && isOfBlocks(found))
    return <BlocksPage key={`${found.templateId} blocks`} template={found} onSaved={onSaved} />;
  if (found) return <Editor key={found.templateId} template={found} onSaved={onSaved} />;
  return (
    <Page title="Template" crumb={CRUMB}>
      <Loaded query={template}>{() => null}</Loaded>
    </Page>
  );
}

interface Values {
  templateName: string;
  subject: string;
  previewText: string;
  emailTemplate: string;
  /** '': none. */
  layoutId: string;
}

function valuesOf({ templateName, subject, previewText, emailTemplate, layoutId }: Template): Values {
  return { templateName, subject, previewText, emailTemplate, layoutId: layoutId ?? '' };
}

function storedOf({ layoutId, ...values }: Values) {
  return { ...values, layoutId: layoutId || null };
}

/** As the page calls them. */
const parts: Parts<Values> = {
  templateName: 'Name',
  subject: 'Subject',
  previewText: 'Preview text',
  emailTemplate: 'Code',
  layoutId: 'Layout',
};

function Editor({ template, onSaved }: { template: Template; onSaved: (template: Template) => void }) {
  const { templateName, templateId, publishedVersion } = template;
  const calls = callsOfTemplate(templateId);
  const stored = useStored({ calls, opened: template, nameOf, valuesOf, bodyOf: storedOf, onSaved });
  const { form, ways, newest, save, publish, restore } = stored;
  const isTesting = useSignal(false);
  const person = useSignal('');
  const isAtFault = useSignal(false);
  const isReadOnly = !can('templates.update');
  const note = useSavedByItself(stored, isReadOnly || isAtFault.value);
  const asked = Number(place.value.query.get('with')) || null;
  const compared = newest?.version ?? asked ?? publishedVersion;

  return (
    <Page
      title={templateName}
      crumb={CRUMB}
      state={<HeadState template={template} />}
      note={note}
      actions={
        <DraftButtons
          {...{ room: 'templates', of: template, form, isOvertaken: newest !== null }}
          onTest={() => {
            isTesting.value = true;
          }}
          onSave={byHand(save)}
          onPublish={() => publish()}
        />
      }
    >
      <HeadNotes template={template} />
      <StoredNotes of={stored} parts={parts} />
      <div class="cols near">
        <div class="c4">
          <Field form={form} name="templateName" label="Name" autocomplete="off" why={isReadOnly && WHY_READ_ONLY} />
        </div>
        <div class="c4">
          <Field form={form} name="subject" label="Subject" autocomplete="off" why={isReadOnly && WHY_READ_ONLY} />
        </div>
        <div class="c4">
          <Field
            form={form}
            name="previewText"
            label="Preview text"
            autocomplete="off"
            hint="Shown behind the subject in a list of mails."
            why={isReadOnly && WHY_READ_ONLY}
          />
        </div>
        <div class="c4">
          <LayoutChoice form={form} builderType="code" why={isReadOnly && WHY_READ_ONLY} />
        </div>
      </div>
      <Content {...{ form, ways, template, isReadOnly, person, compared, isAtFault }} />
      <Versions calls={calls} opened={newest ?? template} compared={compared} onRestore={restore} />
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

function Content({
  form,
  ways,
  template,
  isReadOnly,
  person,
  compared,
  isAtFault,
}: {
  form: Form<Values>;
  ways: RefObject<Ways>;
  template: Template;
  isReadOnly: boolean;
  person: Signal<string>;
  /** The version that is compared with the text that is typed. */
  compared: number | null;
  /** A save would be refused. */
  isAtFault: Signal<boolean>;
}) {
  const { templateId, templateType, publishedVersion } = template;
  const insert = useRef<((text: string) => void) | null>(null);
  const draft = useMemo(
    () =>
      computed<PreviewDraftBody>(() => {
        const { emailTemplate, subject, previewText, layoutId } = storedOf(form.values.value);
        const { value: email } = person;
        return { emailTemplate, subject, previewText, layoutId, templateType, ...(email && { email }) };
      }),
    [form, templateType, person],
  );
  const preview = useDraftPreview(draft);
  useSignalEffect(() => {
    isAtFault.value = preview.isAtFault.value;
  });
  const faults = preview.faults.value;
  const failed = preview.error.value;
  const mail = preview.mail.value;
  return (
    <>
      <Section
        title="Code"
        note={faults.length > 0 ? `line ${faults[0]?.line}: ${faults[0]?.message}` : null}
        aside={
          !isReadOnly && (
            <>
              <InsertSnippet onInsert={(text) => insert.current?.(text)} />
              <UploadButton
                label="Insert a picture"
                next="describe it in alt"
                onUploaded={({ url, width, height }) =>
                  insert.current?.(`<img src="${url}" width="${width}" height="${height}" alt="">`)
                }
              />
            </>
          )
        }
      >
        <CodeEditor
          label="HTML of the mail"
          value={form.values.value.emailTemplate}
          faults={faults}
          isReadOnly={isReadOnly}
          onChange={(text) => {
            if (text !== form.values.peek().emailTemplate) form.set('emailTemplate', text);
          }}
          onReady={(put, code) => {
            insert.current = put;
            ways.current = { code };
          }}
        />
        {mail && mail.variables.length > 0 && (
          <p class="chips">
            <span class="dim small">Variables</span>
            {mail.variables.map(({ name, hasValue }) => (
              <span key={name} class="chip">
                <code>{name}</code>
                {!hasValue && <span class="dim"> no value here</span>}
              </span>
            ))}
          </p>
        )}
      </Section>
      <Section title="Preview" note={mail?.subject} hasRule>
        <PersonSearch person={person} />
        {failed !== null && faultsOf(failed).length === 0 && (
          <Notice kind="warn" title="The preview is older than what you typed">
            {sentenceOf(failed)}
          </Notice>
        )}
        <div aria-busy={mail === null && failed === null}>
          <MailPreview mail={mail} isOld={preview.isOld.value} />
        </div>
      </Section>
      {compared !== null && (
        <Compare
          {...{ calls: callsOfTemplate(templateId), publishedVersion, mail, person, about: { templateType } }}
          version={compared}
          contentOf={(saved) => saved}
          content={form.values.value}
        />
      )}
    </>
  );
}
