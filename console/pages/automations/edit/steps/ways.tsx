import { useId } from 'preact/hooks';
import { Button } from '../../../../parts/forms/button.tsx';
import { joinsOf, joinWay } from '../model/forks.ts';
import { newId } from '../new-id.ts';
import type { StepFormProps } from './step-form.ts';

/** Where a way of a fork leads when its own steps are done. */
export function JoinChoice({
  props: { step, steps, why, onAct, nameOf },
  branchId,
  label,
}: {
  props: StepFormProps;
  branchId: string;
  label: string;
}) {
  const id = useId();
  const branch = step.branches?.find((one) => one.branchId === branchId);
  const chosen = (branch ? branch.mergeStepId : step.nextStepId) ?? '';
  const targets = joinsOf(steps, step.stepId);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="in"
        value={chosen}
        disabled={why !== null}
        onChange={({ currentTarget }) => {
          const outcome = joinWay(steps, step.stepId, branchId, currentTarget.value || null, newId);
          if ('why' in outcome) currentTarget.value = chosen;
          onAct(outcome);
        }}
      >
        <option value="">the end of the automation</option>
        {targets.map((stepId) => (
          <option key={stepId} value={stepId}>
            {optionOf(steps, stepId, nameOf)}
          </option>
        ))}
      </select>
    </div>
  );
}

function optionOf(steps: StepFormProps['steps'], stepId: string, nameOf: StepFormProps['nameOf']): string {
  const index = steps.findIndex((one) => one.stepId === stepId);
  const step = steps[index];
  return step ? `${index + 1}. ${nameOf(step)}` : stepId;
}

export function RemoveWay({ label, why, onClick }: { label: string; why: string | null; onClick: () => void }) {
  return why === null && <Button isSmall kind="plain" icon="trash" label={label} onClick={onClick} />;
}
