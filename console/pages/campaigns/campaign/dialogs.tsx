import type { Campaign } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { people } from '../../../parts/data/format.ts';
import { Checkbox } from '../../../parts/forms/choices.tsx';
import { Field } from '../../../parts/forms/field.tsx';
import { useForm } from '../../../parts/forms/form.ts';
import { FormDialog } from '../../../parts/over/form-dialog.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import type { Known } from './figures.ts';

interface DialogProps {
  campaign: Campaign;
  onClose: () => void;
  onDone: (campaign: Campaign) => void;
}

export function RateDialog({ campaign, onClose, onDone }: DialogProps) {
  const form = useForm({ sendRatePerSecond: campaign.sendRatePerSecond?.toString() ?? '' });
  const submit = form.submit(async ({ sendRatePerSecond: typed }) => {
    onDone(await api.campaigns.update(campaign.id, { sendRatePerSecond: readRate(typed) }));
    toast(typed.trim() === '' ? 'The rate has no limit now' : `At most ${typed.trim()} mails a second now`, {
      kind: 'good',
    });
    onClose();
  });
  return (
    <FormDialog
      title={`Rate of ${campaign.name}`}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action="Change the rate"
    >
      <Field
        form={form}
        name="sendRatePerSecond"
        label="Mails a second at most"
        inputMode="numeric"
        isNarrow
        autoFocus
        hint="It takes effect within seconds. Empty: as fast as the relay takes them."
      />
    </FormDialog>
  );
}

/** A text that is no number goes to the interface as it was typed, which says what is wrong with it. */
function readRate(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  const number = Number(text);
  return Number.isNaN(number) ? (text as unknown as number) : number;
}

export function RetryDialog({ campaign, known, onClose, onDone }: DialogProps & { known: Known }) {
  const { failed = 0, unknown = 0 } = known.progress.data.value ?? {};
  const form = useForm({ failed: failed > 0, unknown: false });
  const { failed: withFailed, unknown: withUnknown } = form.values.value;
  const chosen = (withFailed ? failed : 0) + (withUnknown ? unknown : 0);
  const submit = form.submit(async (values) => {
    const states = (['failed', 'unknown'] as const).filter((state) => values[state]);
    onDone(await api.campaigns.retry(campaign.id, { states }));
    toast(`Sending again to ${people(chosen)}`, { kind: 'good' });
    onClose();
  });
  return (
    <FormDialog
      title={`Send ${campaign.name} again`}
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={`Send to ${people(chosen)}`}
      why={chosen === 0 && 'Choose whom it is sent to again.'}
    >
      {failed > 0 && (
        <Checkbox
          form={form}
          name="failed"
          label={`${people(failed)} whose mail failed`}
          hint="They did not get it. Deleted contacts stay failed."
        />
      )}
      {unknown > 0 && (
        <Checkbox
          form={form}
          name="unknown"
          label={`${people(unknown)} of whom nobody knows`}
          hint="No answer came after their mail was handed over: some of them may get it twice."
        />
      )}
    </FormDialog>
  );
}
