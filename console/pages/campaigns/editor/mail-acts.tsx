import { batch, type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { Starter, Template, TemplateContent } from '../../../../client/index.ts';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import { api } from '../../../api.ts';
import { MailDialog } from '../../../mail-editor/dialog.tsx';
import type { TextField } from '../../../mail-editor/lazy.tsx';
import type { Draft as WrittenDraft } from '../../../mail-editor/use-mail.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { Field } from '../../../parts/forms/field.tsx';
import { type Form, useForm } from '../../../parts/forms/form.ts';
import { StarterList } from '../../../parts/mail/starters.tsx';
import { htmlOfBlocks } from '../../../parts/mail/use-preview.ts';
import { confirm } from '../../../parts/over/confirm.tsx';
import { Dialog } from '../../../parts/over/dialog.tsx';
import { FormDialog } from '../../../parts/over/form-dialog.tsx';
import { Menu, type MenuItem } from '../../../parts/over/menu.tsx';
import { toast, toastError } from '../../../parts/over/toast.tsx';
import { to } from '../../../router.ts';
import { nameOf } from '../../templates/languages/texts.ts';
import { starter, starterContent } from '../../templates/starter.ts';
import type { Draft } from './draft.ts';
import { mailIn, type OwnMail } from './own-mail.ts';
import { OwnVersions } from './own-versions.tsx';

/** Acts on the mail as a whole: it is written, made code, saved as a template, changed for another one. */

const texts: readonly TextField[] = [
  { name: 'subject', label: 'Subject' },
  { name: 'previewText', label: 'Preview text', hint: 'Shown behind the subject in a list of mails.' },
];

const NAME_MAX = 200;

export interface Writing {
  open: () => void;
  dialog: JSX.Element | null;
}

/** The mail of the campaign in the editor of mails, over the page. */
export function useWriting(
  form: Form<Draft>,
  person: Signal<string>,
  notice: string | null,
  /** As it was saved. */
  template: Template | null,
): Writing {
  return useMailDialog({
    ...{ person, notice },
    after: (put, close) =>
      template?.campaignId && (
        <OwnVersions
          template={template}
          onRestore={(mail, about) => {
            if ('content' in mail) return put({ ...mail, about });
            form.set('mail', mail);
            close();
          }}
        />
      ),
    title: () => form.values.peek().name || 'Mail of the campaign',
    begin: () => {
      const { mail, subject, previewText } = form.values.peek();
      return mail && 'content' in mail ? { content: mail.content, about: { subject, previewText } } : null;
    },
    layoutId: form.values.value.mail?.layoutId,
    onWrite: ({ content, about }) => {
      form.set('mail', { content, layoutId: form.values.peek().mail?.layoutId ?? null });
      form.set('subject', about.subject ?? '');
      form.set('previewText', about.previewText ?? '');
    },
    onClose: () => {
      const { name, subject } = form.values.peek();
      if (name === '') form.set('name', subject.slice(0, NAME_MAX));
    },
  });
}

interface Written {
  person: Signal<string>;
  notice: string | null;
  title: () => string;
  /** null: there is nothing that it could show. */
  begin: () => WrittenDraft | null;
  onWrite: (draft: WrittenDraft) => void;
  /** Of the layout around it. */
  layoutId: string | null | undefined;
  onClose?: () => void;
  after?: (put: (draft: WrittenDraft) => void, close: () => void) => ComponentChildren;
}

/** The editor of mails over the page. */
export function useMailDialog({ title, begin, onWrite, layoutId, onClose, after, ...given }: Written): Writing {
  const begun = useSignal<WrittenDraft | null>(null);
  const close = () => {
    begun.value = null;
    onClose?.();
  };
  const open = () => {
    begun.value = begin();
  };
  const dialog = begun.value && (
    <MailDialog
      {...{ ...given, texts, begun: begun.value }}
      title={title()}
      {...(layoutId && { frame: { layoutId } })}
      onWrite={(draft) => batch(() => onWrite(draft))}
      isMarketing
      onClose={close}
      after={(put) => after?.(put, close)}
    />
  );
  return { open, dialog };
}

/** How a campaign gets its mail, where it names no template. */
export function MailChoice({ form, writing }: { form: Form<Draft>; writing: Writing }) {
  const isChoosing = useSignal(false);
  return (
    <div class="c6 field">
      <span class="label">Or a mail of its own</span>
      <div class="row">
        <Button
          kind="first"
          icon="edit"
          onClick={() => {
            isChoosing.value = true;
          }}
        >
          Write the mail
        </Button>
        <Menu
          label="More for this mail"
          items={[
            { label: 'Write code', icon: 'edit', onPick: () => form.set('mail', { html: starter('marketing') }) },
          ]}
        />
      </div>
      {isChoosing.value && (
        <StarterDialog
          onPick={(begun) => {
            isChoosing.value = false;
            begin(form, begun);
            writing.open();
          }}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      )}
    </div>
  );
}

function StarterDialog({ onPick, onClose }: { onPick: (begun?: Starter) => void; onClose: () => void }) {
  return (
    <Dialog title="Begin with" isWide onClose={onClose}>
      <StarterList hasFocus templateType="marketing" onPick={onPick} />
    </Dialog>
  );
}

/** Texts that were typed stay. */
function begin(form: Form<Draft>, begun: Starter | undefined): void {
  const content = begun ? (begun.content as unknown as Content) : (starterContent('marketing') as unknown as Content);
  batch(() => {
    form.set('mail', { content });
    for (const name of ['subject', 'previewText'] as const)
      if (begun && form.values.peek()[name] === '') form.set(name, begun[name]);
  });
}

/** At the head of the section. */
export function MailActs({
  form,
  chosen,
  writing,
  isReadOnly,
}: {
  form: Form<Draft>;
  /** The saved template. */
  chosen: Template | undefined;
  writing: Writing;
  isReadOnly: boolean;
}) {
  const isSaving = useSignal(false);
  const { mail, templateId } = form.values.value;
  if (mail === null && templateId === '') return null;
  const items = mail ? ownItems(form, mail, isSaving) : savedItems(form, chosen);
  return (
    <div class="row">
      {mail === null && (
        <a class="link small" href={to(`/templates/${templateId}`)}>
          Edit the template
        </a>
      )}
      {!isReadOnly && mail && 'content' in mail && (
        <Button isSmall icon="edit" onClick={writing.open}>
          Write the mail
        </Button>
      )}
      {!isReadOnly && items.length > 0 && <Menu label="More for this mail" isSmall items={items} />}
      {isSaving.value && mail && (
        <SaveAsTemplate
          draft={form.values.value}
          mail={mail}
          onClose={() => {
            isSaving.value = false;
          }}
        />
      )}
    </div>
  );
}

function ownItems(form: Form<Draft>, mail: OwnMail, isSaving: Signal<boolean>): MenuItem[] {
  return [
    ...('content' in mail ? [{ label: 'Edit as code…', icon: 'edit' as const, onPick: () => toCode(form, mail) }] : []),
    {
      label: 'Save as template…',
      icon: 'copy' as const,
      operation: 'templates.create',
      onPick: () => {
        isSaving.value = true;
      },
    },
    { label: 'Begin again, or choose a template…', onPick: () => takeOut(form) },
  ];
}

function savedItems(form: Form<Draft>, chosen: Template | undefined): MenuItem[] {
  if (!chosen) return [];
  const changeAlone = () =>
    beginOwn(chosen, (mail) =>
      batch(() => {
        form.set('mail', mail);
        form.set('templateId', '');
      }),
    );
  return [{ label: 'Change it for this campaign alone', icon: 'edit', onPick: () => void changeAlone() }];
}

/** Begins a mail of the campaign alone with a saved template. It has one language: it asks before the others are left out. */
export async function beginOwn(template: Template, begin: (mail: OwnMail) => void): Promise<void> {
  const run = () => begin(mailIn(template));
  const { data, error } = await api.safe.templates.translations(template.templateId);
  if (error) return toastError(error);
  if (data.translations.length === 0) return run();
  const languages = data.translations.map(({ language }) => nameOf(language)).join(', ');
  await confirm({
    title: 'Change the mail for this campaign alone',
    text: `Everybody gets it in one language then. Left out: ${languages}.`,
    action: 'Leave them out',
    run,
  });
}

const toCode = (form: Form<Draft>, { content, layoutId = null }: OwnMail & { content: Content }) =>
  confirm({
    title: 'Edit as code',
    text: 'The mail becomes HTML, and stays HTML: the blocks do not come back.',
    action: 'Make it code',
    run: async () => {
      form.set('mail', { html: await htmlOfBlocks(content, undefined, { layoutId }) });
    },
  });

const takeOut = (form: Form<Draft>) =>
  confirm({
    title: 'Take this mail out of the campaign',
    text: 'Save it as a template first if it may be needed again.',
    action: 'Take it out',
    isDangerous: true,
    run: async () => form.set('mail', null),
  });

function SaveAsTemplate({ draft, mail, onClose }: { draft: Draft; mail: OwnMail; onClose: () => void }) {
  const { name, subject, previewText } = draft;
  const form = useForm({ templateName: name });
  const submit = form.submit(async ({ templateName }) => {
    const { layoutId = null } = mail;
    const source =
      'content' in mail ? { content: mail.content as unknown as TemplateContent } : { emailTemplate: mail.html };
    await api.templates.create({ templateName, subject, previewText, templateType: 'marketing', layoutId, ...source });
    toast(`Saved the template ${templateName}`, { kind: 'good' });
    onClose();
  });
  return (
    <FormDialog title="Save as template" onClose={onClose} onSubmit={submit} form={form} action="Save template">
      <Field
        form={form}
        name="templateName"
        label="Name"
        autocomplete="off"
        hint="A copy of the mail as it is now. The campaign keeps its own."
      />
    </FormDialog>
  );
}
