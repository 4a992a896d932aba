import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Automation, EntryType, Simulation } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { timezone } from '../../locale.ts';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { contacts } from '../../parts/choose/things.ts';
import { type Happened, Timeline } from '../../parts/data/details.tsx';
import { counted, duration, weekday } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field, Select } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { toast } from '../../parts/over/toast.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { Section } from '../../parts/page/page.tsx';
import { nameOf } from './graph/flow.ts';
import { entryTypes, exitWords, zoneMissing } from './graph/state.tsx';
import { updateLines } from './graph/update.ts';
import type { Names } from './names.ts';
import { type Moment, momentsOf, requestOf, type Scenario, scaleOf } from './simulation.ts';

export interface Simulated {
  from: number;
  moments: Moment[];
  /** The place of the slider, in units of the scale. */
  at: number;
}

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
  const form = useForm({ contactId: '', after: 'nothing', eventName: '', url: '', afterDays: '4' });
  const { after } = form.values.value;
  const run = form.submit(async ({ contactId, after: act, eventName, url, afterDays }) => {
    if (before && !(await before())) {
      toast('Mend first what keeps the steps from being saved.', { kind: 'bad' });
      return;
    }
    const { listId = '' } = automation.entryCriteria;
    const scenario = {
      contactId: contactId || null,
      isBySegment: names.lists.of(listId)?.thing?.type === 'segment',
      after: act as Scenario['after'],
      eventName,
      url: url.trim(),
      afterDays: Number(afterDays) || 0,
    };
    const from = new Date();
    const body = { ...requestOf(automation, scenario, from), ...(isDraft ? { version: 'draft' as const } : {}) };
    const answer: Simulation = await api.automations.simulate(automation.id, body);
    const moments = momentsOf(answer);
    simulated.value = { from: from.getTime(), moments, at: scaleOf(moments, from.getTime()).last };
  });
  return (
    <Section title="Simulate" note="nothing is sent" hasRule>
      <form class="stack" noValidate onSubmit={run}>
        <ChooserField form={form} name="contactId" label="As" things={contacts} none="A new contact" />
        <div class="two">
          <Select
            form={form}
            name="after"
            label="And then"
            options={[
              { value: 'nothing', label: 'Does nothing' },
              { value: 'opens', label: 'Opens its last mail' },
              { value: 'clicks', label: 'Opens and clicks it' },
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
        {after === 'clicks' && (
          <Field
            form={form}
            name="url"
            label="Link"
            placeholder="any link"
            hint="Its whole address, when a branch asks for it."
          />
        )}
        {form.failure.value && <Notice kind="bad" title={form.failure.value} />}
        <div class="row">
          <Button type="submit" icon="play" operation="automations.simulate" isBusy={form.isBusy.value}>
            Simulate
          </Button>
          {simulated.value && (
            <Button
              kind="plain"
              onClick={() => {
                simulated.value = null;
              }}
            >
              Clear
            </Button>
          )}
        </div>
      </form>
      {simulated.value && <Course {...{ automation, names, simulated }} />}
    </Section>
  );
}

function Course({
  automation,
  names,
  simulated,
}: {
  automation: Automation;
  names: Names;
  simulated: Signal<Simulated | null>;
}) {
  const id = useId();
  const now = simulated.value;
  if (!now) return null;
  const { from, moments, at } = now;
  const { unit, unitMs, last } = scaleOf(moments, from);
  const until = from + at * unitMs;
  const shown = moments.filter((moment) => moment.at <= until);
  const place = `${unit} ${at} of ${last}`;
  const tick = (n: number) => (n === 0 ? 'now' : `${unit} ${n}`);
  return (
    <>
      <div class="field">
        <label for={id}>
          Time: {place}, {weekday(until)}
        </label>
        <input
          id={id}
          class="range"
          type="range"
          min="0"
          max={last}
          value={at}
          aria-valuetext={place}
          onInput={(event) => {
            simulated.value = { ...now, at: Number(event.currentTarget.value) };
          }}
        />
        <span class="ticks dim" aria-hidden="true">
          <span>{tick(0)}</span>
          {last > 3 && <span>{tick(Math.round(last / 2))}</span>}
          <span>{tick(last)}</span>
        </span>
      </div>
      <p class="sr" role="status">
        {counted(shown.length, 'moment')} up to {place}
      </p>
      <p class="dim small">Times in {timezone.replaceAll('_', ' ')}.</p>
      {moments.length === 0 ? (
        <Notice kind="warn" title="This contact does not enter">
          Its values do not meet the entry criteria.
        </Notice>
      ) : (
        <Timeline entries={shown.map((moment) => shownAs(moment, { automation, names, until }))} />
      )}
    </>
  );
}

function entryWords(words: string): string {
  return entryTypes[words as EntryType] ?? words;
}

function shownAs(
  moment: Moment,
  { automation, names, until }: { automation: Automation; names: Names; until: number },
): Happened {
  const { key, at, kind, stepId, words, branchId } = moment;
  const step = automation.steps.find((one) => one.stepId === stepId);
  const name = step ? nameOf(step, names.templates) : 'a step';
  const branch = step?.branches?.find((one) => one.branchId === branchId);
  const share = step?.shares?.find((one) => one.branchId === branchId);
  const isOpen = kind === 'wait' && moment.until !== null && moment.until > until;
  const titles = {
    entered: 'Enters',
    wait: name,
    heard: 'The event comes',
    goal: `Reaches: ${name}`,
    goal_passed: `Comes to: ${name}`,
    timed_out: 'No event comes in time',
    email: `Mail: ${name}`,
    branch: share
      ? `Split: ${share.label || `${share.share} %`}`
      : `Branch: ${branch ? branch.label || 'without a name' : 'otherwise'}`,
    branch_left: 'Leaves the branch',
    update_contact: moment.update ? 'Changes the contact' : 'Cannot change the contact',
    webhook: name,
    webhook_answered: 'The webhook answers',
    webhook_failed: 'No answer comes',
    completed: 'Completes',
    exited: 'Leaves early',
    skipped: 'Nothing changes',
  };
  const gone = moment.until === null ? '' : `${duration(until - at)} gone, ${duration(moment.until - until)} to go`;
  const waited = moment.until === null || moment.until === at ? '' : `until ${weekday(moment.until)}`;
  const waiting = [isOpen ? gone : waited, words === 'zone_missing' && zoneMissing].filter(Boolean).join(', ');
  const changed = moment.update && updateLines(moment.update, names.lists.name).map((pair) => pair.join(': '));
  const under =
    changed?.join(', ') ?? (kind === 'wait' ? waiting : kind === 'exited' ? exitWords(words) : entryWords(words));
  const isGood =
    kind === 'entered' || kind === 'email' || kind === 'webhook' || kind === 'completed' || changed !== undefined;
  const isBad = kind === 'exited' || kind === 'webhook_failed' || kind === 'skipped' || kind === 'update_contact';
  const tone = isOpen ? 'live' : isGood ? 'good' : isBad ? 'warn' : undefined;
  return { key, at, when: weekday(at), title: titles[kind], under: under || undefined, tone };
}
