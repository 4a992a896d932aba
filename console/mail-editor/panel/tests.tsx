import type { Block, Test } from '../../../schemas/templates/block-types.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field, Select } from '../../parts/forms/field.tsx';
import { comparisons } from '../model/conditions.ts';
import type { Pick } from '../pick-menu.tsx';
import { type Texts, useLinkedFields } from './linked.ts';

export interface RowsProps {
  block: Block;
  why: string | null;
  /** Of people, for conditions. */
  fields: readonly Pick[];
  errors: Texts;
  onSet: (fields: Partial<Block>, field: string) => void;
}

const TESTS_MAX = 10;
const FIRST = 'firstName';
/** Instead of a field of people. */
const OTHER = '';
const other = { value: OTHER, label: 'Another variable…' };
const isOptions = Object.entries(comparisons).map(([value, label]) => ({ value, label }));
const comparesNothing = (is: string) => is === 'set' || is === 'unset';

/** The conditions of a block that is only for some. */
export function Tests({ block, why, fields, errors, onSet }: RowsProps & { block: Block<'when'> }) {
  const { tests, match = 'all' } = block;
  const texts: Texts = { match };
  tests.forEach(({ variable, is, value = '' }, index) => {
    const known = fields.some((one) => one.value === variable) ? variable : OTHER;
    Object.assign(texts, { [`tests/${index}/variable`]: variable, [`tests/${index}/is`]: is });
    texts[`tests/${index}/field`] = known;
    texts[`tests/${index}/value`] = String(value);
  });
  const change = (next: Test[], field: string) => onSet({ tests: next }, field);
  const form = useLinkedFields(texts, errors, (name, text) => {
    if (name === 'match') return onSet({ match: text === 'any' ? 'any' : 'all' }, name);
    const [, at, field = ''] = name.split('/');
    change(
      tests.map((test, index) => (index === Number(at) ? tested(test, field, text) : test)),
      name,
    );
  });
  const numbered = (label: string, index: number) => (tests.length > 1 ? `${label} ${index + 1}` : label);
  return (
    <>
      {tests.map(({ is, variable }, index) => (
        <div key={index} class="way stack tight">
          {fields.length > 0 && (
            <Select
              form={form}
              name={`tests/${index}/field`}
              label={numbered('Only for people whose', index)}
              options={[...fields.map(({ value, label }) => ({ value, label })), other]}
              why={why}
            />
          )}
          {!fields.some((one) => one.value === variable) && (
            <Field
              form={form}
              name={`tests/${index}/variable`}
              label={numbered('Name of the variable', index)}
              why={why}
              autocomplete="off"
            />
          )}
          <Select
            form={form}
            name={`tests/${index}/is`}
            label={numbered('Comparison', index)}
            options={isOptions}
            why={why}
          />
          {!comparesNothing(is) && (
            <Field
              form={form}
              name={`tests/${index}/value`}
              label={numbered('Value', index)}
              why={why}
              autocomplete="off"
            />
          )}
          {why === null && tests.length > 1 && (
            <Button
              isSmall
              label={`Remove condition ${index + 1}`}
              onClick={() =>
                change(
                  tests.filter((_, other) => other !== index),
                  '',
                )
              }
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      {tests.length > 1 && (
        <Select
          form={form}
          name="match"
          label="Shown when"
          options={[
            { value: 'all', label: 'all of them are true' },
            { value: 'any', label: 'one of them is true' },
          ]}
          why={why}
        />
      )}
      {why === null && (
        <Button
          isSmall
          icon="plus"
          why={tests.length >= TESTS_MAX && `${TESTS_MAX} conditions are the most.`}
          onClick={() => change([...tests, { variable: fields[0]?.value ?? FIRST, is: 'set' }], '')}
        >
          Add a condition
        </Button>
      )}
    </>
  );
}

function tested(test: Test, field: string, text: string): Test {
  if (field === 'field') return { ...test, variable: text };
  if (field !== 'is') return { ...test, [field]: text };
  const { value = '', ...others } = test;
  const is = text as Test['is'];
  return comparesNothing(text) ? { ...others, is } : { ...others, is, value };
}
