import { useSignal } from '@preact/signals';
import type { Email } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { timezone } from '../../locale.ts';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { isoTime, localTime } from '../../parts/forms/local-time.ts';
import { confirm } from '../../parts/over/confirm.tsx';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';

const UNSENT: readonly Email['status'][] = ['scheduled', 'queued', 'deferred'];

type OnChange = (email: Email) => unknown;

/** For a mail of its own that is not sent yet: another time, or not at all. */
export function LaterButtons({ email, onChange }: { email: Email; onChange: OnChange }) {
  const isMoving = useSignal(false);
  const { id, status, campaignId, automationId } = email;
  if (!UNSENT.includes(status) || campaignId || automationId) return null;
  const cancel = () =>
    confirm({
      title: 'Cancel this mail',
      text: 'It is sent to none of its recipients. Mail that has left by then cannot be cancelled.',
      action: 'Cancel the mail',
      isDangerous: true,
      async run() {
        onChange(await api.emails.cancel(id));
        toast('The mail is cancelled');
      },
    });
  return (
    <p class="row">
      {status === 'scheduled' && (
        <Button
          operation="emails.update"
          onClick={() => {
            isMoving.value = true;
          }}
        >
          Send at another time
        </Button>
      )}
      <Button kind="danger" operation="emails.cancel" onClick={cancel}>
        Cancel…
      </Button>
      {isMoving.value && (
        <TimeDialog
          email={email}
          onChange={onChange}
          onClose={() => {
            isMoving.value = false;
          }}
        />
      )}
    </p>
  );
}

function TimeDialog({ email, onChange, onClose }: { email: Email; onChange: OnChange; onClose: () => void }) {
  const { id, scheduledAt } = email;
  const form = useForm({ scheduledAt: localTime(scheduledAt ? new Date(scheduledAt) : new Date()) });
  const submit = form.submit(async (values) => {
    const changed = await api.emails.update(id, { scheduledAt: isoTime(values.scheduledAt) });
    onClose();
    toast('The mail has another time');
    onChange(changed);
  });
  return (
    <FormDialog title="Send at another time" onClose={onClose} onSubmit={submit} form={form} action="Change the time">
      {scheduledAt && (
        <p>
          So far it is sent <Time at={scheduledAt} />.
        </p>
      )}
      <Field
        form={form}
        name="scheduledAt"
        label="Time"
        type="datetime-local"
        hint={`In your time zone, ${timezone}; up to 30 days ahead.`}
      />
    </FormDialog>
  );
}
