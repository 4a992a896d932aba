import { Checkbox } from '../../../../parts/forms/choices.tsx';
import { type StepFormProps, useStepForm } from '../steps/step-form.ts';

/** For an automation that people leave when they no longer meet its entry criteria. */
export function ExitCheck(props: Pick<StepFormProps, 'step' | 'errors' | 'why' | 'onChange'>) {
  const form = useStepForm(
    props,
    ({ checkExitCriteria }) => ({ checkExitCriteria }),
    (step, values) => ({ ...step, ...values }),
  );
  return (
    <Checkbox
      form={form}
      name="checkExitCriteria"
      label="People who no longer meet the entry criteria leave here"
      isDisabled={props.why !== null}
    />
  );
}
