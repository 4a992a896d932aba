import type { AutomationUpdate } from '../../../../../client/index.ts';
import { ChipChoice } from '../../../../parts/choose/chip-choice.tsx';
import { listsWithoutSegments } from '../../../../parts/choose/things.ts';
import { FieldRows } from '../fields/field-rows.tsx';
import type { Step } from '../model/steps.ts';
import type { Kind, StepFormProps } from './step-form.ts';

export const updateContact: Kind = {
  label: 'Change the person',
  hint: 'Set fields, add to lists or remove from them',
  icon: 'contacts',
  make: () => ({ type: 'update_contact', update: {} }),
  Form: UpdateForm,
};

function UpdateForm({ step, errors, why, onChange }: StepFormProps) {
  const update = step.update ?? {};
  const { addListIds = [], removeListIds = [] } = update;
  const change = (changes: AutomationUpdate, field: string) =>
    onChange(written(step, changes), `${step.stepId} ${field}`);
  return (
    <>
      <FieldRows
        fields={update.contactProperties ?? {}}
        errorOf={(name) => errors[`update/contactProperties/${name}`]}
        placeholder="empty removes it"
        why={why}
        onChange={(contactProperties, field) => change({ contactProperties }, field)}
      />
      <ChipChoice
        things={listsWithoutSegments}
        label="Add to"
        add="Choose a list to add to"
        chosen={addListIds}
        isReadOnly={why !== null}
        error={errors['update/addListIds']}
        onChange={(ids) => change({ addListIds: [...ids] }, 'add')}
      />
      <ChipChoice
        things={listsWithoutSegments}
        label="Remove from"
        add="Choose a list to remove from"
        chosen={removeListIds}
        isReadOnly={why !== null}
        error={errors['update/removeListIds']}
        onChange={(ids) => change({ removeListIds: [...ids] }, 'remove')}
      />
    </>
  );
}

function written(step: Step, changes: AutomationUpdate): Step {
  const { contactProperties = {}, addListIds = [], removeListIds = [] } = { ...step.update, ...changes };
  return {
    ...step,
    update: {
      ...(Object.keys(contactProperties).length > 0 && { contactProperties }),
      ...(addListIds.length > 0 && { addListIds }),
      ...(removeListIds.length > 0 && { removeListIds }),
    },
  };
}
