import { batch, computed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { AutomationEmail, PreviewDraftBody, TemplateContent } from '../../../../../client/index.ts';
import type { Content } from '../../../../../schemas/templates/block-types.ts';
import { Chooser, ChooserField } from '../../../../parts/choose/chooser.tsx';
import { marketingTemplates, senders } from '../../../../parts/choose/things.ts';
import { Checkbox, Options } from '../../../../parts/forms/choices.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import type { Form } from '../../../../parts/forms/form.ts';
import { tagsIn, textOfTags } from '../../../../parts/forms/tags.ts';
import { UploadButton } from '../../../../parts/forms/upload-button.tsx';
import { CodeEditor } from '../../../../parts/mail/code-editor.tsx';
import { MailFrame } from '../../../../parts/mail/mail-preview.tsx';
import { PersonSearch } from '../../../../parts/mail/person-search.tsx';
import { useDraftPreview } from '../../../../parts/mail/use-preview.ts';
import { to } from '../../../../router.ts';
import { starterContent } from '../../../templates/starter.ts';
import { contentIn } from '../draft.ts';
import type { Step } from '../model/steps.ts';
import { newId } from '../new-id.ts';
import { Blocks } from './blocks.tsx';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';

export const email: Kind = {
  label: 'Mail',
  hint: 'Written here, or from a template',
  icon: 'email',
  make: () => ({ type: 'email', email: { subject: 'New mail', content: starterContent('marketing') } }),
  Form: EmailForm,
};

type Values = ReturnType<typeof read>;

const CONTENT = 'email/content';

function EmailForm(props: StepFormProps) {
  const { why } = props;
  const written = useRef('');
  const form = useStepForm(
    {
      ...props,
      // All that is written while the mail is open is one act.
      onChange: (step, field) => props.onChange(step, field.endsWith(CONTENT) ? `${field} ${written.current}` : field),
    },
    read,
    write,
  );
  const isTemplate = form.values.value.content === 'template';
  const { 'email/senderEmail': senderEmail, 'email/senderName': senderName } = form.values.value;
  return (
    <>
      <Options
        form={form}
        name="content"
        label="Content"
        look="segments"
        options={[
          { value: 'written', label: 'Written here', isDisabled: why !== null },
          { value: 'template', label: 'A template', isDisabled: why !== null },
        ]}
      />
      {isTemplate && <FromTemplate {...{ form, why }} />}
      <Field
        form={form}
        name="email/subject"
        label="Subject"
        autocomplete="off"
        hint={isTemplate ? 'Left empty: that of the template.' : undefined}
        why={why}
      />
      <Field
        form={form}
        name="email/previewText"
        label="Preview text"
        autocomplete="off"
        hint="Shown behind the subject in a list of mails."
        why={why}
      />
      <div class="field">
        <span class="label">Sender</span>
        <Chooser
          things={senders}
          label="Sender"
          none="The first sender of the project"
          value={senderEmail}
          others={senderEmail ? { [senderEmail]: senderName ? `${senderName} (${senderEmail})` : senderEmail } : {}}
          isReadOnly={why !== null}
          isInvalid={Boolean(props.errors['email/senderEmail'])}
          onPick={({ thing }) =>
            batch(() => {
              form.set('email/senderEmail', thing?.email ?? '');
              form.set('email/senderName', thing?.name ?? '');
            })
          }
        />
        {props.errors['email/senderEmail'] && <span class="hint t-bad">{props.errors['email/senderEmail']}</span>}
      </div>
      <Checkbox
        form={form}
        name="waits"
        label="Wait for room under the frequency cap"
        hint="Up to seven days, where the project has a cap. Else the mail is left out."
        isDisabled={why !== null}
      />
      {!isTemplate && (
        <Written
          {...{ form, why }}
          onBegin={() => {
            written.current = newId('mail');
          }}
        />
      )}
      <More form={form} why={why} />
    </>
  );
}

/** The subject and preview text of a step would take the place of the template's, so those of another mail go. */
function FromTemplate({ form, why }: { form: Form<Values>; why: string | null }) {
  const { 'email/templateId': templateId } = form.values.value;
  return (
    <>
      <ChooserField
        form={form}
        name="email/templateId"
        label="Template"
        placeholder="Choose a template"
        things={marketingTemplates}
        why={why}
        onPick={() =>
          batch(() => {
            form.set('email/subject', '');
            form.set('email/previewText', '');
          })
        }
      />
      {templateId && (
        <p>
          <a class="link" href={to(`/templates/${templateId}`)}>
            Open the template
          </a>
        </p>
      )}
    </>
  );
}

/** Where answers go, and the marks by which its mails are found. */
function More({ form, why }: { form: Form<Values>; why: string | null }) {
  return (
    <section class="stack near way" aria-label="More of this mail">
      <div class="two">
        <Field form={form} name="email/senderName" label="Name of the sender" autocomplete="off" why={why} />
        <Field
          form={form}
          name="email/senderReplyToEmail"
          label="Answers go to"
          placeholder="the sender"
          autocomplete="off"
          why={why}
        />
      </div>
      <Field
        form={form}
        name="email/tags"
        label="Tags"
        placeholder="season:winter, kind:letter"
        hint="To find and to count its mails by, each as name:value."
        autocomplete="off"
        isMono
        why={why}
      />
      <p class="hint">
        UTM parameters of its links, and whether opens and clicks count, are those of the automation: choose its entry.
      </p>
    </section>
  );
}

function Written({ onBegin, ...given }: { form: Form<Values>; why: string | null; onBegin: () => void }) {
  const { form, why } = given;
  const { [CONTENT]: content, 'email/subject': subject, 'email/previewText': previewText } = form.values.value;
  if (!content) return <Code {...given} />;
  return (
    <Blocks
      {...{ content, subject, previewText, why, onBegin }}
      errors={form.errors.value}
      onWrite={({ content: next, about }) =>
        batch(() => {
          // A value of its own, also where a text alone is changed: its field names the act.
          form.set(CONTENT, { ...next });
          form.set('email/subject', about.subject ?? '');
          form.set('email/previewText', about.previewText ?? '');
        })
      }
      onCode={(html) =>
        batch(() => {
          form.set(CONTENT, null);
          form.set('email/htmlTemplate', html);
        })
      }
    />
  );
}

/** Its code with what is wrong at its line, and the mail that it makes. */
function Code({ form, why }: { form: Form<Values>; why: string | null }) {
  const insert = useRef<((text: string) => void) | null>(null);
  const person = useSignal('');
  const draft = useMemo(
    () =>
      computed<PreviewDraftBody>(() => {
        const values = form.values.value;
        return {
          emailTemplate: values['email/htmlTemplate'],
          subject: values['email/subject'],
          previewText: values['email/previewText'],
          ...(person.value && { email: person.value }),
        };
      }),
    [form, person],
  );
  const preview = useDraftPreview(draft);
  useEffect(() => form.mount('email/htmlTemplate'), [form]);
  const faults = preview.faults.value;
  const mail = preview.mail.value;
  const refusal = form.errors.value['email/htmlTemplate'];
  return (
    <>
      <div class="row">
        <span class="label grow">Mail</span>
        {why === null && (
          <UploadButton
            label="Insert a picture"
            next="describe it in alt"
            onUploaded={({ url, width, height }) =>
              insert.current?.(`<img src="${url}" width="${width}" height="${height}" alt="">`)
            }
          />
        )}
      </div>
      {(refusal ?? faults[0]) && (
        <p class="hint t-bad">{refusal ?? `line ${faults[0]?.line}: ${faults[0]?.message}`}</p>
      )}
      <CodeEditor
        label="HTML of the mail"
        value={form.values.value['email/htmlTemplate']}
        faults={faults}
        isReadOnly={why !== null}
        onChange={(text) => {
          if (text !== form.values.peek()['email/htmlTemplate']) form.set('email/htmlTemplate', text);
        }}
        onReady={(put) => {
          insert.current = put;
        }}
      />
      <PersonSearch person={person} />
      <div class={preview.isOld.value ? 'old one-mail' : 'one-mail'}>
        <MailFrame mail={mail} caption={mail ? `Subject: ${mail.subject}` : 'Preview'} title="Preview of the mail" />
      </div>
    </>
  );
}

type Read = Record<typeof CONTENT, Content | null>;

function read({ email = {} }: Step) {
  const { subject = '', previewText = '', templateId = '', htmlTemplate, whenCapped } = email;
  const { senderEmail = '', senderName = '', senderReplyToEmail = '', tags = [] } = email;
  const isTemplate = htmlTemplate === undefined && templateId !== '' && !email.content;
  return {
    content: isTemplate ? 'template' : 'written',
    ...({ [CONTENT]: contentIn(email) ?? (htmlTemplate === undefined ? starterContent('marketing') : null) } as Read),
    'email/subject': subject,
    'email/previewText': previewText,
    'email/senderEmail': senderEmail,
    'email/senderName': senderName,
    'email/senderReplyToEmail': senderReplyToEmail,
    'email/tags': textOfTags(tags),
    waits: whenCapped === 'wait',
    'email/templateId': templateId,
    'email/htmlTemplate': htmlTemplate ?? '',
  };
}

function write(step: Step, values: Values): Step {
  const isTemplate = values.content === 'template';
  const tags = tagsIn(values['email/tags']);
  return withEmail(step, {
    subject: values['email/subject'] || undefined,
    previewText: values['email/previewText'] || undefined,
    senderEmail: values['email/senderEmail'] || undefined,
    senderName: values['email/senderName'] || undefined,
    senderReplyToEmail: values['email/senderReplyToEmail'] || undefined,
    tags: tags.length > 0 ? tags : undefined,
    templateId: isTemplate ? values['email/templateId'] || undefined : undefined,
    whenCapped: values.waits ? 'wait' : undefined,
    templateName: undefined,
    ...(isTemplate ? NOT_WRITTEN : mailOf(step, values)),
  });
}

const NOT_WRITTEN = { content: undefined, editorJson: undefined, htmlTemplate: undefined };

/** Blocks without a change stay as the interface answers them, with the HTML that it made of them. */
function mailOf({ email }: Step, { [CONTENT]: content, 'email/htmlTemplate': htmlTemplate }: Values) {
  if (!content) return { ...NOT_WRITTEN, htmlTemplate };
  if (content === contentIn(email)) return {};
  return { ...NOT_WRITTEN, content: content as TemplateContent };
}

/** undefined takes a field away. */
function withEmail(step: Step, changes: { [K in keyof AutomationEmail]: AutomationEmail[K] | undefined }): Step {
  const entries = Object.entries({ ...step.email, ...changes }).filter(([, value]) => value !== undefined);
  return { ...step, email: Object.fromEntries(entries) };
}
