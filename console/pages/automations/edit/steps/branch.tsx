import { Button } from '../../../../parts/forms/button.tsx';
import { Checkbox } from '../../../../parts/forms/choices.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import { Conditions } from '../fields/conditions.tsx';
import { errorsIn } from '../fields/errors.ts';
import { addWay, newBranch, removeWay } from '../model/forks.ts';
import { JOINS, type Step } from '../model/steps.ts';
import { newId } from '../new-id.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';
import { JoinChoice, RemoveWay } from './ways.tsx';

type Branch = NonNullable<Step['branches']>[number];

const OPENED = { behaviour: 'humanOpened', operator: 'at_least', count: 1, withinDays: 7 };
const opened = { label: 'Opened a mail', filterCriteria: { logicalOperator: 'AND', groups: [OPENED] } };

export const branch: Kind = {
  label: 'Branch',
  hint: 'Different ways, by what people are or did',
  icon: 'automation',
  make: () => ({
    type: 'branch',
    branches: [newBranch({ ...opened, branchId: newId('way'), mergeStepId: JOINS })],
  }),
  Form: BranchForm,
};

function BranchForm(props: StepFormProps) {
  const { step, steps, why, onAct } = props;
  const branches = step.branches ?? [];
  return (
    <>
      <p class="dim small">
        Each person takes the first way whose conditions hold, and otherwise the line “otherwise”. For those who open
        one mail of this automation and those who do not, add the step “Opened or not” after it.
      </p>
      {branches.map((one, index) => (
        <Way key={one.branchId} {...{ props, branch: one, index }} isOnly={branches.length === 1} />
      ))}
      {why === null && (
        <Button
          isSmall
          icon="plus"
          onClick={() => onAct(addWay(steps, step.stepId, { label: `Way ${branches.length + 1}` }, newId))}
        >
          Way
        </Button>
      )}
    </>
  );
}

function Way({
  props,
  branch: { branchId, label, filterCriteria, appliesTo },
  index,
  isOnly,
}: {
  props: StepFormProps;
  branch: Branch;
  index: number;
  isOnly: boolean;
}) {
  const { step, steps, errors, why, onChange, onAct } = props;
  const own = errorsIn(errors, `branches/${index}`);
  const change = (changes: Partial<Branch>): Step => ({
    ...step,
    branches: (step.branches ?? []).map((one) => (one.branchId === branchId ? { ...one, ...changes } : one)),
  });
  const form = useStepForm(
    { step, errors: own, onChange: (next, field) => onChange(next, `${field} ${branchId}`) },
    () => ({ label, holds: appliesTo === 'all_branch_steps' }),
    (_, values) => change({ label: values.label, appliesTo: values.holds ? 'all_branch_steps' : 'branch_entry' }),
  );
  return (
    <section class="stack near way" aria-label={`Way ${index + 1}`}>
      <div class="row way-head">
        <div class="grow">
          <Field form={form} name="label" label={`Way ${index + 1}`} why={why} />
        </div>
        {!isOnly && (
          <RemoveWay
            label={`Remove way ${index + 1}`}
            why={why}
            onClick={() => onAct(removeWay(steps, step.stepId, branchId, newId))}
          />
        )}
      </div>
      <Conditions
        criteria={filterCriteria}
        eventName={props.entryEvent}
        errors={own}
        isReadOnly={why !== null}
        onChange={(criteria) => onChange(change({ filterCriteria: criteria }), `${step.stepId} ${branchId} filter`)}
      />
      {filterCriteria === null && <p class="hint">Without a condition everybody takes this way.</p>}
      {filterCriteria !== null && (
        <Checkbox
          form={form}
          name="holds"
          label="Ask again before each step of the way"
          hint="A person of whom it no longer holds leaves the way."
          isDisabled={why !== null}
        />
      )}
      <JoinChoice props={props} branchId={branchId} label="Afterwards people go to" />
    </section>
  );
}
