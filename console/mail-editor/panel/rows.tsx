import type { Block } from '../../../schemas/templates/block-types.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { PLACEHOLDER } from '../model/fresh.ts';
import { useLinkedFields } from './linked.ts';
import { type RowsProps, Tests } from './tests.tsx';

const LINKS_MAX = 12;

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
