import { batch } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Chooser } from '../../../../../parts/choose/chooser.tsx';
import { senders } from '../../../../../parts/choose/things.ts';
import { Checkbox, Options } from '../../../../../parts/forms/choices.tsx';
import { Field } from '../../../../../parts/forms/field.tsx';
import { starterContent } from '../../../../templates/starter.ts';
import { newId } from '../../new-id.ts';
import { type Kind, type StepFormProps, useStepForm } from '../step-form.ts';
import { More } from './more.tsx';
import { FromTemplate } from './template.tsx';
import { CONTENT, read, write } from './values.ts';
import { Written } from './written.tsx';

export const email: Kind = {
  label: 'Mail',
  hint: 'Written here, or from a template',
  icon: 'email',
  make: () => ({ type: 'email', email: { subject: 'New mail', content: starterContent('marketing') } }),
  Form: EmailForm,
};

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
      {isTemplate && <FromTemplate {...{ form, why }} stepId={props.step.stepId} />}
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
      <Checkbox
        form={form}
        name="email/inlinePictures"
        label="Send pictures inside the mail"
        hint="They show at once, and each mail is longer by them: at most 20, of 500 kB together."
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
