import type { Migration, MigrationPhaseName } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { count } from '../../parts/data/format.ts';
import { Field, Select } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { phases, providers } from './words.ts';

/** Goes on where the migration stopped, or from an earlier phase, with the same key or a new one. */
export function RetryDialog({
  migration,
  left,
  onDone,
  onClose,
}: {
  migration: Migration;
  left: number;
  onDone: (migration: Migration) => void;
  onClose: () => void;
}) {
  const { id, provider, phase } = migration;
  const form = useForm({ apiKey: '', fromPhase: '' });
  const submit = form.submit(async ({ apiKey, fromPhase }) => {
    const next = await api.migrations.retry(id, {
      ...(apiKey && { apiKey }),
      ...(fromPhase && { fromPhase: fromPhase as MigrationPhaseName }),
    });
    onClose();
    toast('The migration goes on', { kind: 'good' });
    onDone(next);
  });
  return (
    <FormDialog
      title="Retry the migration"
      onClose={onClose}
      onSubmit={submit}
      form={form}
      action={left > 0 && phase === 'contacts' ? `Go on with ${count(left)} people` : 'Go on'}
    >
      <p>What is already here is not made twice.</p>
      <Field
        form={form}
        name="apiKey"
        label={`Key of ${providers[provider]}`}
        type="password"
        autocomplete="off"
        isMono
        placeholder="Empty: the key from before"
        hint="Used for this run, never stored in plain text."
      />
      <Select
        form={form}
        name="fromPhase"
        label="Begin with"
        options={[
          { value: '', label: phase ? `${phases[phase]}, where it stopped` : 'Where it stopped' },
          ...migration.phases.map(({ name }) => ({ value: name, label: `${phases[name]}, from the start` })),
        ]}
      />
    </FormDialog>
  );
}
