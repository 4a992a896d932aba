import { computed, type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PreviewDraftBody, Template } from '../../client/index.ts';
import { api } from '../api.ts';
import { moment } from '../parts/data/format.ts';
import { Badge } from '../parts/data/state.tsx';
import { Button } from '../parts/forms/button.tsx';
import { Field } from '../parts/forms/field.tsx';
import { type Form, sentenceOf, useForm } from '../parts/forms/form.ts';
import { useKeptDraft } from '../parts/forms/leaving.ts';
import { RestoredDraft } from '../parts/forms/restored.tsx';
import { UploadButton } from '../parts/forms/upload-button.tsx';
import { CodeEditor } from '../parts/mail/code-editor.tsx';
import { MailPreview } from '../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../parts/mail/person-search.tsx';
import { TestDialog } from '../parts/mail/test-dialog.tsx';
import { faultsOf, useDraftPreview } from '../parts/mail/use-preview.ts';
import { toast } from '../parts/over/toast.tsx';
import { Loaded } from '../parts/page/loaded.tsx';
import { Notice } from '../parts/page/notice.tsx';
import { Page, Section } from '../parts/page/page.tsx';
import { useQuery } from '../parts/page/query.ts';
import { can } from '../session.ts';

/** The code of a template, and the mail that it makes. */
export default function TemplatePage({ params }: { params: Record<string, string> }) {
  const id = params.templateId ?? '';
  const template = useQuery((signal) => api.templates.get(id, {}, { signal }), [id]);
  const found = template.data.value;
  if (found)
    return (
      <Editor
        key={found.templateId}
        template={found}
        onSaved={(next) => {
          template.data.value = next;
        }}
      />
    );
  return (
    <Page title="Template" crumb={{ label: 'Templates', path: '/templates' }}>
      <Loaded query={template}>{() => null}</Loaded>
    </Page>
  );
}

interface Values {
  templateName: string;
  subject: string;
  previewText: string;
  emailTemplate: string;
}

function Editor({ template, onSaved }: { template: Template; onSaved: (template: Template) => void }) {
  const { templateName, subject, previewText, emailTemplate, templateType, templateId } = template;
  const form = useForm<Values>({ templateName, subject, previewText, emailTemplate });
  const kept = useKeptDraft(form, `templates/${templateId}`, template.updatedAt);
  const isTesting = useSignal(false);
  const person = useSignal('');
  const isReadOnly = !can('templates.update');
  const save = form.submit(async (values) => {
    const saved = await api.templates.update(templateId, values);
    toast(`Saved ${saved.templateName}`, { kind: 'good' });
    onSaved(saved);
  });

  return (
    <Page
      title={templateName}
      crumb={{ label: 'Templates', path: '/templates' }}
      state={<Badge>{templateType === 'marketing' ? 'Campaigns' : 'Single mail'}</Badge>}
      note={form.isChanged.value ? 'Changed, not saved' : `Saved ${moment(template.updatedAt)}`}
      actions={
        <>
          <Button
            operation="templates.test"
            why={form.isChanged.value && 'Save first: a test sends what is saved.'}
            onClick={() => {
              isTesting.value = true;
            }}
          >
            Send a test…
          </Button>
          <Button kind="first" operation="templates.update" isBusy={form.isBusy.value} onClick={() => save()}>
            Save
          </Button>
        </>
      }
    >
      <RestoredDraft draft={kept} />
      {form.failure.value && <Notice kind="bad" title={form.failure.value} />}
      <div class="cols near">
        <div class="c4">
          <Field form={form} name="templateName" label="Name" autocomplete="off" why={isReadOnly && whyReadOnly} />
        </div>
        <div class="c4">
          <Field form={form} name="subject" label="Subject" autocomplete="off" why={isReadOnly && whyReadOnly} />
        </div>
        <div class="c4">
          <Field
            form={form}
            name="previewText"
            label="Preview text"
            autocomplete="off"
            hint="Shown behind the subject in a list of mails."
            why={isReadOnly && whyReadOnly}
          />
        </div>
      </div>
      <Content form={form} templateType={templateType} isReadOnly={isReadOnly} person={person} />
      {isTesting.value && (
        <TestDialog
          asksSender
          send={(emails, email) => api.templates.test(templateId, { emails, from: { email } })}
          onClose={() => {
            isTesting.value = false;
          }}
        />
      )}
    </Page>
  );
}

const whyReadOnly = 'Your role reads templates.';

function Content({
  form,
  templateType,
  isReadOnly,
  person,
}: {
  form: Form<Values>;
  templateType: Template['templateType'];
  isReadOnly: boolean;
  person: Signal<string>;
}) {
  const insert = useRef<((text: string) => void) | null>(null);
  const draft = useMemo(
    () =>
      computed<PreviewDraftBody>(() => {
        const { emailTemplate, subject, previewText } = form.values.value;
        const { value: email } = person;
        return { emailTemplate, subject, previewText, templateType, ...(email && { email }) };
      }),
    [form, templateType, person],
  );
  const preview = useDraftPreview(draft);
  useEffect(() => form.mount('emailTemplate'), [form]);
  const refusal = form.errors.value.emailTemplate;
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
            <UploadButton
              label="Insert a picture"
              next="describe it in alt"
              onUploaded={({ url, width, height }) =>
                insert.current?.(`<img src="${url}" width="${width}" height="${height}" alt="">`)
              }
            />
          )
        }
      >
        {refusal && <Notice kind="bad" title={`It was not saved: ${refusal}`} />}
        <CodeEditor
          label="HTML of the mail"
          value={form.values.value.emailTemplate}
          faults={faults}
          isReadOnly={isReadOnly}
          onChange={(text) => {
            if (text !== form.values.peek().emailTemplate) form.set('emailTemplate', text);
          }}
          onReady={(put) => {
            insert.current = put;
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
        <MailPreview mail={mail} isOld={preview.isOld.value} />
      </Section>
    </>
  );
}
