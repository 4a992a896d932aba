import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Automation, EntryCriteria, EntryType } from '../../../../client/index.ts';
import { timezone } from '../../../locale.ts';
import { type Happened, Timeline } from '../../../parts/data/details.tsx';
import { counted, duration, weekday } from '../../../parts/data/format.ts';
import { Notice } from '../../../parts/page/notice.tsx';
import { mailActs, nameOf } from '../graph/flow.ts';
import { entryTypes, exitWords, zoneMissing } from '../graph/state.tsx';
import { updateLines } from '../graph/update.ts';
import type { Names } from '../names.ts';
import { SimulatedMail } from './mail.tsx';
import { type Moment, type Simulated, scaleOf } from './moments.ts';
import { choiceAt, WhatIfAt } from './what-if-at.tsx';
import type { WhatIf } from './what-ifs.ts';

interface Props {
  automation: Automation;
  names: Names;
  simulated: Signal<Simulated | null>;
  isDraft: boolean;
  isBusy: boolean;
  onWhatIf: (stepId: string, whatIf: WhatIf | null) => void;
}

/** The way up to the time of the slider, with the mails and with what may happen at each step. */
export function Course(props: Props) {
  const { simulated } = props;
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
          {whyNotIn(props.automation.entryCriteria)}
        </Notice>
      ) : (
        <Timeline entries={shown.map((moment) => shownAs(moment, props, { now, until }))} />
      )}
    </>
  );
}

const chosen: Partial<Record<EntryType, [field: keyof EntryCriteria, sentence: string]>> = {
  contact_added_to_list: ['listId', 'Choose under “Who enters” which list people join.'],
  list_left: ['listId', 'Choose under “Who enters” which list people leave.'],
  form_submitted: ['formId', 'Choose under “Who enters” which form people send.'],
  event_trigger: ['eventName', 'Choose under “Who enters” which event it is.'],
};

/** No person meets a thing that is not chosen yet. */
function whyNotIn(entry: EntryCriteria): string {
  const [field, sentence] = chosen[entry.type] ?? [];
  return field && sentence && !entry[field] ? sentence : 'Its values do not meet the entry criteria.';
}

function entryWords(words: string): string {
  return entryTypes[words as EntryType] ?? words;
}

function shownAs(moment: Moment, props: Props, { now, until }: { now: Simulated; until: number }): Happened {
  const { automation, names, simulated, isDraft, isBusy, onWhatIf } = props;
  const { key, at, kind, stepId, words, branchId } = moment;
  const step = automation.steps.find((one) => one.stepId === stepId);
  const name = step ? nameOf(step, names.templates) : 'a step';
  const branch = step?.branches?.find((one) => one.branchId === branchId);
  const share = step?.shares?.find((one) => one.branchId === branchId);
  const isOpen = kind === 'wait' && moment.until !== null && moment.until > until;
  const act = mailActs[step?.waitEvent?.eventName ?? ''];
  const titles = {
    entered: 'Enters',
    wait: name,
    heard: act?.comes ?? 'The event comes',
    goal: `Reaches: ${name}`,
    goal_passed: `Comes to: ${name}`,
    timed_out: act?.isLate ?? 'No event comes in time',
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
  const isFirst = now.moments.find((one) => one.stepId === stepId && one.kind === kind) === moment;
  const isAsked = isFirst && (kind === 'email' || kind === 'wait' || kind === 'webhook');
  const choice = step && isAsked ? choiceAt(step) : null;
  const more = step && (choice || moment.mail !== undefined) && (
    <>
      {moment.mail !== undefined && (
        <SimulatedMail {...{ automation, simulated, isDraft, name }} number={moment.mail} />
      )}
      {choice && (
        <WhatIfAt
          {...{ choice, name, isBusy }}
          whatIf={now.whatIfs.get(step.stepId)}
          onChange={(whatIf) => onWhatIf(step.stepId, whatIf)}
        />
      )}
    </>
  );
  return { key, at, when: weekday(at), title: titles[kind], under: under || undefined, tone, more };
}
