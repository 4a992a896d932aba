import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import { Button } from '../../../parts/forms/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu } from '../../../parts/over/menu.tsx';
import { Notice } from '../../../parts/page/notice.tsx';
import type { BoardHandle } from './board/board.tsx';
import type { Values } from './draft.ts';
import { EntryForm } from './entry.tsx';
import { errorsOf, type Fault } from './faults.ts';
import { ExitCheck } from './fields/exit-check.tsx';
import type { Outcome, Step } from './model/steps.ts';
import type { Secrets } from './secrets.ts';
import { kinds } from './steps/kinds.ts';

export interface PanelProps {
  values: Values;
  /** null: the entry. */
  step: Step | null;
  faults: readonly Fault[];
  why: string | null;
  epoch: number;
  secrets: Secrets;
  nameOf: (step: Step) => string;
  onChange: (values: Values, field: string) => void;
  onAct: (outcome: Outcome) => void;
  onCarry: (isCopy: boolean) => void;
  board: RefObject<BoardHandle | null>;
  onClose: () => void;
}

/** The form of the chosen step. */
export function Panel(props: PanelProps) {
  const { values, step, faults, why, epoch } = props;
  const onChange = why === null ? props.onChange : () => {};
  const errors = useMemo(() => errorsOf(faults, step?.stepId ?? null), [faults, step?.stepId]);
  const Form = step && kinds[step.type]?.Form;
  const index = step ? values.steps.findIndex(({ stepId }) => stepId === step.stepId) : -1;
  const setStep = (next: Step, field: string) =>
    onChange({ ...values, steps: values.steps.map((one) => (one.stepId === next.stepId ? next : one)) }, field);
  return (
    <>
      <Head {...props} />
      <div class="stack fields" key={`${step?.stepId ?? ''} ${epoch}`}>
        <Wrong errors={errors} />
        {!step && <EntryForm {...{ values, errors, why, onChange }} />}
        {step && Form && (
          <Form
            {...{ step, errors, why }}
            secrets={props.secrets}
            entryEvent={values.entryCriteria.type === 'event_trigger' ? (values.entryCriteria.eventName ?? null) : null}
            steps={values.steps}
            nameOf={props.nameOf}
            onAct={props.onAct}
            onChange={setStep}
          />
        )}
        {step && step.type !== 'exit' && values.exitCriteria.type === 'entry_criteria_no_longer_met' && (
          <ExitCheck {...{ step, errors, why }} onChange={setStep} />
        )}
        {step && !Form && <p class="dim">Its content is changed by the interface alone.</p>}
        {step && <p class="dim small">Step {index + 1}</p>}
      </div>
    </>
  );
}

function Head({ step, why, nameOf, onCarry, board: { current: board }, onClose }: PanelProps) {
  const kind = step && kinds[step.type];
  return (
    <div class="row">
      <h2 class="title grow cut" tabIndex={-1}>
        {step ? nameOf(step) : 'Who enters'}
        {kind && <span class="sr">, {kind.label}</span>}
      </h2>
      {step && why === null && (
        <>
          <Button
            isSmall
            kind="plain"
            icon="trash"
            label="Remove the step"
            onClick={() => board?.remove(step.stepId)}
          />
          <Menu
            label="More for this step"
            isSmall
            items={[
              { label: 'Copy', icon: 'copy', onPick: () => board?.copy(step.stepId) },
              { label: 'Copy to another line', icon: 'copy', onPick: () => onCarry(true) },
              { label: 'Move', icon: 'updown', onPick: () => onCarry(false) },
              {
                ...{ label: 'Add a step before it', icon: 'plus' },
                onPick: () => board?.addBefore(step.stepId),
              },
            ]}
          />
        </>
      )}
      <button class="btn small icon plain narrow-only" type="button" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

const AT_FIELDS =
  /^(delay|until|waitEvent|email|branches|shares|update|webhook|entryCriteria|reentry|utm)\/|^(name|description|tags|shares)$/;

/** Faults of the step as a whole; those of a field are at the field. */
function Wrong({ errors }: { errors: Record<string, string> }) {
  const texts = Object.entries(errors).flatMap(([field, text]) => (AT_FIELDS.test(field) ? [] : [text]));
  if (texts.length === 0) return null;
  return <Notice kind="bad" title={texts.join('; ')} />;
}
