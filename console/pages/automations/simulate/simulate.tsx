import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Automation } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { ChooserField } from '../../../parts/choose/chooser.tsx';
import { contacts } from '../../../parts/choose/things.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { Field, Select } from '../../../parts/forms/field.tsx';
import { useForm } from '../../../parts/forms/form.ts';
import { toast } from '../../../parts/over/toast.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { FieldRows } from '../edit/fields/field-rows.tsx';
import type { Names } from '../names.ts';
import { Course } from './course.tsx';
import { contactOf, type Fields, fieldsOf } from './made-up.ts';
import { momentsOf, type Simulated, scaleOf } from './moments.ts';
import { type Scenario, simulated as simulatedBy } from './scenario.ts';
import type { Asked, WhatIf, WhatIfs } from './what-ifs.ts';

/** A contact's way on a virtual clock; the slider says when, and the graph shows where. */
export function Simulate({
  automation,
  names,
  simulated,
  isDraft,
  before,
}: {
  automation: Automation;
  names: Names;
  simulated: Signal<Simulated | null>;
  isDraft: boolean;
  /** Saves what is edited: the interface simulates what is stored. */
  before?: () => Promise<boolean>;
}) {
  const form = useForm({ contactId: '', after: 'nothing', eventName: '', afterDays: '4' });
  const { after, contactId } = form.values.value;
  const known = useMemo(() => fieldsOf(automation), [automation.id]);
  const made = useSignal<Fields>(known);
  const whatIfs = useSignal<WhatIfs>(new Map());
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const { listId = '' } = automation.entryCriteria;
  const run = form.submit(async (typed) => {
    if (before && !(await before())) {
      toast('Mend first what keeps the steps from being saved.', { kind: 'bad' });
      return;
    }
    const scenario: Scenario = {
      contactId: typed.contactId || null,
      made: contactOf(made.peek()),
      isBySegment: names.lists.of(listId)?.thing?.type === 'segment',
      after: typed.after as Scenario['after'],
      eventName: typed.eventName,
      afterDays: Number(typed.afterDays) || 0,
      whatIfs: whatIfs.peek(),
    };
    const from = new Date();
    const version = isDraft ? { version: 'draft' as const } : {};
    const ask = (body: Asked) => api.automations.simulate(automation.id, { ...body, ...version });
    const { asked, answer } = await simulatedBy(ask, automation, scenario, from);
    const moments = momentsOf(answer);
    const opened = simulated.peek()?.opened ?? null;
    simulated.value = {
      ...{ from: from.getTime(), moments, asked, whatIfs: whatIfs.peek() },
      at: scaleOf(moments, from.getTime()).last,
      opened: opened !== null && opened < answer.mails.length ? opened : null,
    };
  });
  /** One after the other: a form that is being sent takes no second call. */
  function runNext(): void {
    queue.current = queue.current.then(() => run());
  }
  // In the editor the panel was opened for this; whether people are put into the list is known with its name.
  const isReady = before !== undefined && (listId === '' || names.lists.of(listId) !== undefined);
  useEffect(() => {
    if (isReady && !simulated.peek()) runNext();
  }, [isReady]);
  function setWhatIf(stepId: string, whatIf: WhatIf | null): void {
    const next = new Map(whatIfs.peek());
    if (whatIf) next.set(stepId, whatIf);
    else next.delete(stepId);
    whatIfs.value = next;
    runNext();
  }
  return (
    <Section title="Simulate" note="nothing is sent" hasRule>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          runNext();
        }}
      >
        <ChooserField form={form} name="contactId" label="As" things={contacts} none="A person who is made up" />
        {contactId === '' && (
          <FieldRows
            fields={known}
            label="What is known of them"
            placeholder="nothing"
            why={null}
            onChange={(fields) => {
              made.value = fields;
            }}
          />
        )}
        <div class="two">
          <Select
            form={form}
            name="after"
            label="And then"
            options={[
              { value: 'nothing', label: 'Does nothing more' },
              { value: 'event', label: 'Sends an event' },
              { value: 'unsubscribes', label: 'Unsubscribes' },
              { value: 'deleted', label: 'Is deleted' },
            ]}
          />
          {after !== 'nothing' && (
            <Field form={form} name="afterDays" label="After days" inputMode="decimal" isNarrow />
          )}
        </div>
        {after === 'event' && <Field form={form} name="eventName" label="Name of the event" isMono />}
        {form.failure.value && <Notice kind="bad" title={form.failure.value} />}
        <div class="row">
          <Button type="submit" icon="play" operation="automations.simulate" isBusy={form.isBusy.value}>
            Simulate
          </Button>
          {simulated.value && (
            <Button
              kind="plain"
              onClick={() => {
                whatIfs.value = new Map();
                simulated.value = null;
              }}
            >
              Clear
            </Button>
          )}
        </div>
      </form>
      {simulated.value && (
        <Course {...{ automation, names, simulated, isDraft }} isBusy={form.isBusy.value} onWhatIf={setWhatIf} />
      )}
    </Section>
  );
}
