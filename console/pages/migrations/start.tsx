import { useSignal } from '@preact/signals';
import type { Migration, PlanOfProviderA, PlanOfProviderB } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Pairs } from '../../parts/data/details.tsx';
import { count } from '../../parts/data/format.ts';
import { Checkbox, Options } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { providers } from './words.ts';

type Plan = PlanOfProviderA | PlanOfProviderB;

/** The key first, then what the account holds, then the start. */
export function StartDialog({ onStarted, onClose }: { onStarted: (id: string) => void; onClose: () => void }) {
  const form = useForm({ provider: 'providerA', apiKey: '', onExistUpdateHTML: false, runWorkflow: false });
  const plan = useSignal<Plan | null>(null);
  const { provider } = form.values.value;
  const look = form.submit(async ({ provider: from, apiKey }) => {
    plan.value = await (from === 'providerA'
      ? api.migrations.planProviderA({ apiKey })
      : api.migrations.planProviderB({ apiKey }));
  });
  const start = form.submit(async ({ provider: from, ...body }) => {
    const all = { ...body, migrateAll: true };
    const { bulkOperationId } = await (from === 'providerA'
      ? api.migrations.startProviderA(all)
      : api.migrations.startProviderB(all));
    onClose();
    onStarted(bulkOperationId);
  });
  return (
    <FormDialog
      title="New migration"
      onClose={onClose}
      onSubmit={plan.value ? start : look}
      form={form}
      action={plan.value ? `Migrate ${count(plan.value.totalContacts)} people` : 'See what is there'}
      operation={provider === 'providerA' ? 'migrations.startProviderA' : 'migrations.startProviderB'}
    >
      {plan.value === null ? (
        <>
          <Options
            form={form}
            name="provider"
            label="From"
            options={Object.entries(providers).map(([value, label]) => ({ value, label }))}
          />
          <Field
            form={form}
            name="apiKey"
            label="Key"
            type="password"
            autocomplete="off"
            isMono
            hint="With the right to read everything. It changes nothing there, and is never stored in plain text."
          />
        </>
      ) : (
        <>
          <PlanFacts plan={plan.value} provider={provider as Migration['provider']} />
          <Checkbox
            form={form}
            name="onExistUpdateHTML"
            label="Replace templates that were migrated before"
            hint="Otherwise changes that you made here stay."
          />
          <Checkbox
            form={form}
            name="runWorkflow"
            label="Start automations for these people"
            hint="Active automations with a matching trigger would send mail."
          />
        </>
      )}
    </FormDialog>
  );
}

function PlanFacts({ plan, provider }: { plan: Plan; provider: Migration['provider'] }) {
  const lists =
    'contactLists' in plan
      ? ([
          ['Lists', count(plan.contactLists.length)],
          ['Unsubscribe groups', count(plan.unsubscribeGroups.length)],
          ['Get no mail here either', suppressedOf(plan)],
        ] as const)
      : ([
          ['Audiences', count(plan.audiences.length)],
          ['Topics', count(plan.topics.length)],
          ['Of them unsubscribed', `${count(plan.unsubscribedContacts)}, who get no mail here either`],
        ] as const);
  const isCounted = !('audiences' in plan) || plan.countsComplete;
  return (
    <>
      <Pairs
        pairs={[
          ['Account', providers[provider]],
          ['People', isCounted ? count(plan.totalContacts) : `at least ${count(plan.totalContacts)}`],
          ['Templates', count(plan.templates.length)],
          ['Custom fields', count(plan.customFields.length)],
          ...lists,
        ]}
      />
      {plan.skipped.length > 0 && (
        <Notice kind="warn" title="This key may not read everything">
          Left out: {plan.skipped.join(', ')}. Close this and take a key with more rights to copy them too.
        </Notice>
      )}
    </>
  );
}

function suppressedOf({ suppressions, countsComplete }: PlanOfProviderA): string {
  const { unsubscribes, bounces, invalidEmails, spamReports } = suppressions;
  const parts = [
    `${count(unsubscribes)} unsubscribed`,
    `${count(bounces + invalidEmails)} bounced or invalid`,
    `${count(spamReports)} reported spam`,
  ];
  return `${countsComplete ? '' : 'at least '}${parts.join(', ')}`;
}
