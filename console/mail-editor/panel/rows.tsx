import type { Block, Test } from '../../../schemas/templates/block-types.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field, Select } from '../../parts/forms/field.tsx';
import { comparisons } from '../model/conditions.ts';
import { PLACEHOLDER } from '../model/fresh.ts';
import { type Texts, useLinkedFields } from './linked.ts';

const LINKS_MAX = 12;
const TESTS_MAX = 10;

interface RowsProps {
  block: Block;
  why: string | null;
  errors: Texts;
  onSet: (fields: Partial<Block>, field: string) => void;
}

/** Links of a row, and conditions: fields of which there may be several. */
export function Rows({ block, ...others }: RowsProps) {
  if (block.type === 'menu' || block.type === 'social')
    return <Links key={block.links?.length} block={block} {...others} />;
  if (block.type === 'when') return <Tests key={block.tests.length} block={block} {...others} />;
  return null;
}

type Link = Block<'menu'>['links'][number];

function Links({ block, why, errors, onSet }: RowsProps & { block: Block<'menu'> | Block<'social'> }) {
  const { links = [] } = block;
  const texts = Object.fromEntries(
    links.flatMap(({ label, href }, index) => [
      [`links/${index}/label`, label],
      [`links/${index}/href`, href],
    ]),
  );
  const change = (next: Link[], field: string) => onSet({ links: next }, field);
  const form = useLinkedFields(texts, errors, (name, text) => {
    const [, at, field = ''] = name.split('/');
    change(
      links.map((link, index) => (index === Number(at) ? { ...link, [field]: text } : link)),
      name,
    );
  });
  return (
    <>
      {links.map((_, index) => (
        <div key={index} class="way stack tight">
          <Field form={form} name={`links/${index}/label`} label={`Link ${index + 1}`} why={why} autocomplete="off" />
          <Field
            form={form}
            name={`links/${index}/href`}
            label={`Link ${index + 1} leads to`}
            why={why}
            autocomplete="off"
          />
          {why === null && links.length > 1 && (
            <Button
              isSmall
              label={`Remove link ${index + 1}`}
              onClick={() =>
                change(
                  links.filter((_, other) => other !== index),
                  '',
                )
              }
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      {why === null && (
        <Button
          isSmall
          icon="plus"
          why={links.length >= LINKS_MAX && `${LINKS_MAX} links are the most.`}
          onClick={() => change([...links, { label: 'Link', href: PLACEHOLDER }], '')}
        >
          Add a link
        </Button>
      )}
    </>
  );
}

const isOptions = Object.entries(comparisons).map(([value, label]) => ({ value, label }));
const comparesNothing = (is: string) => is === 'set' || is === 'unset';

function Tests({ block, why, errors, onSet }: RowsProps & { block: Block<'when'> }) {
  const { tests, match = 'all' } = block;
  const texts: Texts = { match };
  tests.forEach(({ variable, is, value = '' }, index) => {
    Object.assign(texts, { [`tests/${index}/variable`]: variable, [`tests/${index}/is`]: is });
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
  return (
    <>
      {tests.map(({ is }, index) => (
        <div key={index} class="way stack tight">
          <Field
            form={form}
            name={`tests/${index}/variable`}
            label={`Variable ${index + 1}`}
            why={why}
            autocomplete="off"
          />
          <Select
            form={form}
            name={`tests/${index}/is`}
            label={`Compared ${index + 1}`}
            options={isOptions}
            why={why}
          />
          {!comparesNothing(is) && (
            <Field
              form={form}
              name={`tests/${index}/value`}
              label={`Value ${index + 1}`}
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
          onClick={() => change([...tests, { variable: 'plan', is: 'equals', value: 'pro' }], '')}
        >
          Add a condition
        </Button>
      )}
    </>
  );
}

function tested(test: Test, field: string, text: string): Test {
  if (field !== 'is') return { ...test, [field]: text };
  const { value = '', ...others } = test;
  const is = text as Test['is'];
  return comparesNothing(text) ? { ...others, is } : { ...others, is, value };
}
