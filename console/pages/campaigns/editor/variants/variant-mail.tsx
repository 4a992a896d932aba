import { batch, type Signal } from '@preact/signals';
import type { Content } from '../../../../../schemas/templates/block-types.ts';
import { ChooserField } from '../../../../parts/choose/chooser.tsx';
import { useNames } from '../../../../parts/choose/names.ts';
import { marketingTemplates } from '../../../../parts/choose/things.ts';
import { Button } from '../../../../parts/forms/button.tsx';
import type { Form } from '../../../../parts/forms/form.ts';
import { CodeEditor } from '../../../../parts/mail/code-editor.tsx';
import { confirm } from '../../../../parts/over/confirm.tsx';
import { starterContent } from '../../../templates/starter.ts';
import type { Draft } from '../draft.ts';
import { beginOwn, useMailDialog } from '../mail-acts.tsx';
import { mailIn, type OwnMail } from '../own-mail.ts';
import { type Index, keyOf, mailKeyOf, VARIANT_IDS } from './given.ts';

/** The mail of a variant: that of the campaign, a saved template, or one that is written here. */
export function VariantMail({
  form,
  index,
  person,
  notice,
  why,
}: {
  form: Form<Draft>;
  index: Index;
  person: Signal<string>;
  notice: string | null;
  why: string | false;
}) {
  const id = VARIANT_IDS[index];
  const [mailKey, templateKey] = [mailKeyOf(index), keyOf(index, 'templateId')] as const;
  const { [mailKey]: typed, [templateKey]: templateId, templateId: ofCampaign, mail } = form.values.value;
  const names = useNames(marketingTemplates, [templateId, ofCampaign]);
  const chosen = names.of(templateId)?.thing;
  const saved = chosen?.campaignId ? mailIn(chosen) : null;
  const own = typed ?? saved;
  const write = (written: OwnMail | null) =>
    batch(() => {
      form.set(mailKey, written);
      if (written === null) form.set(templateKey, '');
    });
  const writing = useMailDialog({
    ...{ person, notice },
    title: () => `Mail ${id}`,
    begin: () => begunWith(form, index, saved),
    layoutId: own?.layoutId,
    onWrite: ({ content, about }) => {
      write({ content, layoutId: own?.layoutId ?? null });
      for (const name of ['subject', 'previewText'] as const) {
        const { [name]: usual } = form.values.peek();
        form.set(keyOf(index, name), about[name] === usual ? '' : (about[name] ?? ''));
      }
    },
  });
  const beginWriting = () => {
    const template = names.of(ofCampaign)?.thing;
    const begin = (begun: OwnMail) => {
      write(begun);
      writing.open();
    };
    if (!mail && template) return beginOwn(template, begin);
    return begin(mail ?? { content: starterContent('marketing') as unknown as Content });
  };
  const isWritable = why === false;
  return (
    <>
      {own ? (
        <div class="stack tight">
          <span class="label">Mail of {id}, written here</span>
          {'html' in own && (
            <CodeEditor
              label={`Code of ${id}`}
              value={own.html}
              faults={[]}
              isReadOnly={!isWritable}
              onChange={(html) => write({ html, layoutId: own.layoutId ?? null })}
            />
          )}
          {isWritable && (
            <div class="row">
              {'content' in own && <WriteButton id={id} onClick={writing.open} />}
              <Button isSmall kind="plain" onClick={() => takeOut(id, () => write(null))}>
                Take mail {id} out…
              </Button>
            </div>
          )}
        </div>
      ) : (
        <>
          <ChooserField
            form={form}
            name={templateKey}
            label={`Template of ${id}`}
            none="The mail of the campaign"
            why={why}
            things={marketingTemplates}
            names={names}
          />
          {isWritable && templateId === '' && (
            <div>
              <WriteButton id={id} onClick={beginWriting} />
            </div>
          )}
        </>
      )}
      {writing.dialog}
    </>
  );
}

function WriteButton({ id, onClick }: { id: string; onClick: () => void }) {
  return (
    <Button isSmall icon="edit" onClick={onClick}>
      Write mail {id}
    </Button>
  );
}

/** With the texts that its people get. */
function begunWith(form: Form<Draft>, index: Index, saved: OwnMail | null) {
  const values = form.values.peek();
  const mail = values[mailKeyOf(index)] ?? saved;
  if (!mail || !('content' in mail)) return null;
  const subject = values[keyOf(index, 'subject')] || values.subject;
  const previewText = values[keyOf(index, 'previewText')] || values.previewText;
  return { content: mail.content, about: { subject, previewText } };
}

const takeOut = (id: string, run: () => void) =>
  confirm({
    title: `Take the mail out of ${id}`,
    text: 'Its people get the mail of the campaign, unless another one is chosen.',
    action: 'Take it out',
    isDangerous: true,
    run: async () => run(),
  });
