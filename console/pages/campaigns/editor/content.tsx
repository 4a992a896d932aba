import { computed, type Signal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import type { Sender, Template } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { ChooserField } from '../../../parts/choose/chooser.tsx';
import { type Names, useNames } from '../../../parts/choose/names.ts';
import { SearchChoice } from '../../../parts/choose/search-choice.tsx';
import { marketingTemplates, senders, templateItem } from '../../../parts/choose/things.ts';
import { Field, Select } from '../../../parts/forms/field.tsx';
import { type Form, sentenceOf } from '../../../parts/forms/form.ts';
import { CodeEditor } from '../../../parts/mail/code-editor.tsx';
import { MailPreview } from '../../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../../parts/mail/person-search.tsx';
import { faultsOf, previewBlocks } from '../../../parts/mail/use-preview.ts';
import { Notice } from '../../../parts/page/notice.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { usePreview } from '../../../parts/page/preview.ts';
import type { Draft } from './draft.ts';
import { MailActs, MailChoice, useWriting } from './mail-acts.tsx';
import { mailIn, type OwnMail } from './own-mail.ts';
import { PICTURE_PLACES } from './pictures.ts';

/** Subject, sender, and the mail, written here or from a saved template. */
export function ContentSection({
  form,
  template,
  person,
  notice,
  isReadOnly,
}: {
  form: Form<Draft>;
  /** The template of the campaign as it was loaded. */
  template: Template | null;
  person: Signal<string>;
  /** Why it is not saved, where only the mail is seen. */
  notice: string | null;
  isReadOnly: boolean;
}) {
  const why = isReadOnly && 'Your role only reads.';
  const { templateId, mail } = form.values.value;
  const names = useNames(marketingTemplates, [templateId], template ? [templateItem(template)] : []);
  const chosen = names.of(templateId)?.thing;
  const writing = useWriting(form, person, notice, template);
  const preview = useMailPreview(form, names, person);
  const error = preview.error.value;
  return (
    <Section title="Content" hasRule aside={<MailActs {...{ form, chosen, writing, isReadOnly }} />}>
      <div class="cols near">
        <div class="c6">
          <Field form={form} name="subject" label="Subject" autocomplete="off" why={why} />
        </div>
        <div class="c6">
          <Field form={form} name="previewText" label="Preview text" autocomplete="off" why={why} />
        </div>
        {!isReadOnly && (
          <div class="c3">
            <SenderChoice form={form} />
          </div>
        )}
        <div class="c3">
          <Field
            form={form}
            name="fromEmail"
            label="From"
            autocomplete="off"
            placeholder="post@news.harbour.example"
            why={why}
          />
        </div>
        <div class="c3">
          <Field form={form} name="fromName" label="Name shown" autocomplete="off" why={why} />
        </div>
        <div class="c3">
          <Field
            form={form}
            name="replyTo"
            label="Answers go to"
            autocomplete="off"
            placeholder="The sender"
            why={why}
          />
        </div>
        {mail === null && (
          <div class="c6">
            <ChooserField
              form={form}
              name="templateId"
              label="Template"
              placeholder="Choose a template"
              why={why}
              things={marketingTemplates}
              names={names}
              onPick={({ thing }) => takeTexts(form, thing)}
            />
          </div>
        )}
        {(mail !== null || templateId !== '') && (
          <div class="c6">
            <Select
              form={form}
              name="inlinePictures"
              label="Pictures"
              hint="Inside it they show at once, and each mail is longer by them: at most 20, of 500 kB together."
              why={why}
              options={PICTURE_PLACES}
            />
          </div>
        )}
        {mail === null && templateId === '' && !isReadOnly && <MailChoice {...{ form, writing }} />}
      </div>
      {mail && 'html' in mail && (
        <CodeEditor
          label="Code"
          value={mail.html}
          faults={faultsOf(error)}
          isReadOnly={isReadOnly}
          onChange={(html) => form.set('mail', { html, layoutId: mail.layoutId ?? null })}
        />
      )}
      {(mail !== null || templateId !== '') && (
        <>
          <PersonSearch person={person} />
          {error !== null && (
            <Notice kind="warn" title="The preview could not be made">
              {sentenceOf(error)}
            </Notice>
          )}
          <MailPreview mail={preview.answer.value} isOld={preview.isOld.value} />
        </>
      )}
      {writing.dialog}
    </Section>
  );
}

/** As the person gets it. */
function useMailPreview(form: Form<Draft>, names: Names<Template>, person: Signal<string>) {
  const asked = useMemo(
    () =>
      computed(() => {
        const { subject, previewText, templateId, mail } = form.values.value;
        const saved = names.of(templateId)?.thing;
        const source: OwnMail = mail ?? (saved ? sourceOf(saved) : { html: '' });
        const { value: email } = person;
        const isEmpty = 'html' in source ? source.html === '' : source.content.blocks.length === 0;
        return isEmpty ? null : { source, subject, previewText, ...(email && { email }) };
      }),
    [form],
  );
  return usePreview(asked, async ({ source, ...texts }, signal) => {
    const draft = { ...texts, templateType: 'marketing' as const };
    const { layoutId = null } = source;
    return 'html' in source
      ? api.templates.previewDraft({ ...draft, emailTemplate: source.html, layoutId }, { signal })
      : (await previewBlocks({ ...draft, content: source.content, frame: { layoutId } }, signal)).mail;
  });
}

/** The HTML that was made of content blocks has the layout in it; code is kept without. */
function sourceOf(saved: Template): OwnMail {
  const mail = mailIn(saved);
  return 'html' in mail ? mail : { html: saved.emailTemplate };
}

export function fromTemplate({ templateId, templateName, subject, previewText }: Template) {
  return { templateId, name: templateName, subject, previewText };
}

export function fromSender({ email, name, replyTo }: Sender) {
  return { fromEmail: email, fromName: name, replyTo };
}

/** Those of the template, where nothing was typed yet. */
function takeTexts(form: Form<Draft>, template: Template | undefined): void {
  if (!template) return;
  const { templateId: _, ...texts } = fromTemplate(template);
  for (const name of ['name', 'subject', 'previewText'] as const)
    if (form.values.peek()[name] === '') form.set(name, texts[name]);
}

/** Fills address, name and answers of a saved sender. */
function SenderChoice({ form }: { form: Form<Draft> }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Saved sender</label>
      <SearchChoice
        id={id}
        label="Saved sender"
        placeholder="Choose one"
        things={senders}
        onPick={({ thing }) => {
          for (const [name, text] of Object.entries(thing ? fromSender(thing) : {}))
            form.set(name as keyof ReturnType<typeof fromSender>, text);
        }}
      />
    </div>
  );
}
