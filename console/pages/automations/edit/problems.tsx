import type { AutomationWarning } from '../../../../client/index.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { NoticeRow, Notices } from '../../../parts/page/notice.tsx';
import { isUntouched } from '../../templates/starter.ts';
import type { Fault } from './faults.ts';
import type { Step, Steps } from './model/steps.ts';

interface Unready {
  stepId: string;
  text: string;
}

/** The mails that keep it from being activated, before one tries. */
export function unwritten(steps: Steps, warnings: readonly AutomationWarning[]): Unready[] {
  return steps.flatMap(({ stepId, email }) => {
    if (isUntouched(email?.htmlTemplate ?? JSON.stringify(email?.content ?? '')))
      return [{ stepId, text: 'Nobody has written this mail yet.' }];
    const warning = warnings.find((one) => one.stepId === stepId);
    return warning ? [{ stepId, text: warning.message }] : [];
  });
}

/** Each line leads to its step. */
export function Problems({
  steps,
  faults,
  unready,
  nameOf,
  onChoose,
}: {
  steps: Steps;
  faults: readonly Fault[];
  unready: readonly Unready[];
  nameOf: (step: Step) => string;
  onChoose: (stepId: string | null) => void;
}) {
  const wrong = faults.map((fault) => ({ ...fault, isBad: true }));
  const all = [...wrong, ...unready.map((one) => ({ ...one, field: '', isBad: false }))];
  if (all.length === 0) return null;
  return (
    <section aria-label="To mend">
      <Notices>
        {all.map(({ stepId, field, text, isBad }) => {
          const step = steps.find((one) => one.stepId === stepId);
          return (
            <NoticeRow
              key={`${stepId} ${field} ${text}`}
              kind={isBad ? 'bad' : 'warn'}
              icon="alert"
              title={step ? nameOf(step) : 'The automation'}
              action={
                <Button isSmall onClick={() => onChoose(step ? step.stepId : null)}>
                  Show it
                </Button>
              }
            >
              {[field, text].filter(Boolean).join(': ')}
            </NoticeRow>
          );
        })}
      </Notices>
    </section>
  );
}
