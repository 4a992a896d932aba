import type { Align, Block } from '../../../schemas/templates/block-types.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Field, Select } from '../../parts/forms/field.tsx';
import { freshBlock } from '../model/fresh.ts';
import { type Texts, useLinkedFields } from './linked.ts';

const SHARE_MAX = 12;
const COLUMNS_MAX = 4;
const CELLS_MAX = 8;

interface ShapeProps<B extends Block = Block> {
  block: B;
  why: string | null;
  onPut: (block: Block, field: string) => void;
}

/** Columns, the rows of a table, the other branch of a frame: what a block has of parts. */
export function Shape({ block, ...others }: ShapeProps) {
  switch (block.type) {
    case 'columns':
      return <Columns key={block.columns.length} block={block} {...others} />;
    case 'table':
      return <Table key={`${block.head?.length} ${block.rows[0]?.length}`} block={block} {...others} />;
    case 'when':
    case 'each':
      return <Otherwise block={block} {...others} />;
    default:
      return null;
  }
}

function Columns({ block, why, onPut }: ShapeProps<Block<'columns'>>) {
  const { columns } = block;
  const texts: Texts = Object.fromEntries(columns.map(({ share }, index) => [`share/${index}`, String(share)]));
  const form = useLinkedFields(texts, {}, (name, text) => {
    const share = Number(text);
    const isShare = Number.isInteger(share) && share >= 1 && share <= SHARE_MAX;
    if (!isShare) form.errors.value = { [name]: `A whole number from 1 to ${SHARE_MAX}.` };
    else
      onPut({ ...block, columns: columns.map((one, at) => (`share/${at}` === name ? { ...one, share } : one)) }, name);
  });
  const add = () => onPut({ ...block, columns: [...columns, { share: 1, blocks: [freshBlock('text', '')] }] }, '');
  return (
    <>
      {columns.map((_, index) => (
        <Field
          key={index}
          form={form}
          name={`share/${index}`}
          label={`Share of column ${index + 1}`}
          inputMode="numeric"
          isNarrow
          why={why}
        />
      ))}
      {why === null && (
        <div class="row wrap">
          <Button isSmall icon="plus" why={columns.length >= COLUMNS_MAX && 'Four columns are the most.'} onClick={add}>
            Add a column
          </Button>
          <Button
            isSmall
            why={columns.length <= 2 && 'Two columns are the least.'}
            onClick={() => onPut({ ...block, columns: columns.slice(0, -1) }, '')}
          >
            Remove the last
          </Button>
        </div>
      )}
    </>
  );
}

const aligns = [
  { value: 'left', label: 'Left' },
  { value: 'center', label: 'Middle' },
  { value: 'right', label: 'Right' },
];

function Table({ block, why, onPut }: ShapeProps<Block<'table'>>) {
  const { head, align = [], rows } = block;
  const width = Math.max(head?.length ?? 0, ...rows.map(({ length }) => length), 1);
  const indexes = Array.from({ length: width }, (_, index) => index);
  const texts: Texts = {};
  for (const index of indexes) {
    texts[`head/${index}`] = head?.[index] ?? '';
    texts[`align/${index}`] = align[index] ?? 'left';
  }
  const form = useLinkedFields(texts, {}, (name, text) => {
    const [field, at] = name.split('/');
    const own = indexes.map((index) => (index === Number(at) ? text : (texts[`${field}/${index}`] ?? '')));
    onPut({ ...block, ...(field === 'head' ? { head: own } : { align: own as Align[] }) }, name);
  });
  const empty = () => [{ text: '' }];
  const addRow = () => onPut({ ...block, rows: [...rows, indexes.map(empty)] }, '');
  const addColumn = () =>
    onPut({ ...block, ...(head && { head: [...head, ''] }), rows: rows.map((row) => [...row, empty()]) }, '');
  const dropColumn = () =>
    onPut(
      {
        ...block,
        ...(head && { head: head.slice(0, width - 1) }),
        ...(block.align && { align: align.slice(0, width - 1) }),
        rows: rows.map((row) => row.slice(0, width - 1)),
      },
      '',
    );
  return (
    <>
      {indexes.map((index) => (
        <div key={index} class="row">
          <Field form={form} name={`head/${index}`} label={`Head ${index + 1}`} why={why} autocomplete="off" />
          <Select form={form} name={`align/${index}`} label={`Cells ${index + 1}`} options={aligns} why={why} />
        </div>
      ))}
      {why === null && (
        <div class="row wrap">
          <Button isSmall icon="plus" onClick={addRow}>
            Add a row
          </Button>
          <Button
            isSmall
            why={rows.length <= 1 && 'It has one row.'}
            onClick={() => onPut({ ...block, rows: rows.slice(0, -1) }, '')}
          >
            Remove the last row
          </Button>
          <Button isSmall icon="plus" why={width >= CELLS_MAX && 'Eight columns are the most.'} onClick={addColumn}>
            Add a column
          </Button>
          <Button isSmall why={width <= 1 && 'It has one column.'} onClick={dropColumn}>
            Remove the last column
          </Button>
        </div>
      )}
    </>
  );
}

function Otherwise({ block, why, onPut }: ShapeProps<Block<'when'> | Block<'each'>>) {
  if (why !== null) return null;
  const { otherwise, ...others } = block;
  if (otherwise)
    return (
      <Button isSmall onClick={() => onPut(others as Block, '')}>
        Remove “Otherwise”
      </Button>
    );
  return (
    <Button isSmall icon="plus" onClick={() => onPut({ ...block, otherwise: [freshBlock('text', '')] } as Block, '')}>
      {block.type === 'when' ? 'Add blocks for everybody else' : 'Add blocks for an empty list'}
    </Button>
  );
}
