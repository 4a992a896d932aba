import { useSignal } from '@preact/signals';
import type { CustomField, Migration, PlanOfProviderA, PlanOfProviderB } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Pairs } from '../../parts/data/details.tsx';
import { count } from '../../parts/data/format.ts';
import { Checkbox, Options } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import type { FieldType } from '../contacts/field-names.ts';
import { allFields } from '../contacts/fields.tsx';
import { type FieldRow, FieldTable, fieldsOf, mappingA, mappingB, problemOf, suggestedRows } from './fields.tsx';
import { providers } from './words.ts';

type Plan = PlanOfProviderA | PlanOfProviderB;

const MAPPINGS_MAX = 200;
const typesOf: Record<Migration['provider'], readonly FieldType[]> = {
  providerA: ['string', 'number', 'date'],
  providerB: ['string', 'number', 'date', 'boolean'],
};

/** The key first, then what the account holds and what becomes of its fields, then the start. */
export function StartDialog({ onStarted, onClose }: { onStarted: (id: string) => void; onClose: () => void }) {
  const form = useForm({ provider: 'providerA', apiKey: '', onExistUpdateHTML: false, runWorkflow: false });
  const plan = useSignal<Plan | null>(null);
  const declared = useSignal<readonly CustomField[]>([]);
  const rows = useSignal<readonly FieldRow[]>([]);
  const provider = form.values.value.provider as Migration['provider'];
  const look = form.submit(async ({ provider: from, apiKey }) => {
    const [found, fields] = await Promise.all([
      from === 'providerA' ? api.migrations.planProviderA({ apiKey }) : api.migrations.planProviderB({ apiKey }),
      allFields(),
    ]);
    declared.value = fields;
    rows.value = suggestedRows(found.customFields, typesOf[from as Migration['provider']]);
    plan.value = found;
  });
  const start = form.submit(async ({ provider: from, ...body }) => {
    const all = { ...body, migrateAll: true };
    const { bulkOperationId } = await (from === 'providerA'
      ? api.migrations.startProviderA({ ...all, customFieldMappings: fieldsOf(rows.value).map(mappingA) })
      : api.migrations.startProviderB({ ...all, customFieldMappings: fieldsOf(rows.value).map(mappingB) }));
    onClose();
    onStarted(bulkOperationId);
  });
  const problem = problemOf(rows.value, MAPPINGS_MAX);
  return (
    <FormDialog
      title="New migration"
      isWide
      why={problem}
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
          <PlanFacts plan={plan.value} provider={provider} />
          {rows.value.length > 0 && (
            <FieldTable
              rows={rows.value}
              types={typesOf[provider]}
              declared={declared.value}
              problem={problem}
              onChange={(changed) => {
                rows.value = changed;
              }}
            />
          )}
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
