import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Skeleton } from '../page/notice.tsx';

export interface Column<Row> {
  /** Unique; also the name of the order when the server can sort by it. */
  key: string;
  head: string;
  cell: (row: Row, index: number) => ComponentChildren;
  /** The name of the row. One column has it: it is the title of the card on a phone. */
  isMain?: boolean;
  isNum?: boolean;
  isCut?: boolean;
  isDim?: boolean;
  isMono?: boolean;
  /** A bar: takes the room that is left. */
  isWide?: boolean;
  canSort?: boolean;
  /** On a phone a row is a card: its main column above, then a line for each column. hide: not there. bare: without its head. */
  phone?: 'hide' | 'bare';
}

export interface Order {
  by: string;
  direction: 'ascending' | 'descending';
}

export interface TableProps<Row> {
  /** Names the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** null while they are loaded: skeletons in the form of the rows. */
  rows: readonly Row[] | null;
  keyOf: (row: Row) => string;
  /** In place of the rows when there are none: an `Empty`. */
  empty?: ComponentChildren;
  order?: Order | undefined;
  onOrder?: (order: Order) => void;
  /** Keys of the rows with a tick. */
  chosen?: ReadonlySet<string>;
  onChoose?: (chosen: ReadonlySet<string>) => void;
  /** In the label of a row's box: 'Choose ada@example.com'. */
  nameOf?: (row: Row) => string;
  /** Key of the row that is open in a drawer. */
  current?: string | null;
  /** It fills the page, and its head sticks. */
  isListing?: boolean;
  skeletonRows?: number;
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, empty, order, onOrder, chosen, onChoose, nameOf = keyOf, isListing } = props;
  const id = useId();
  if (rows?.length === 0 && empty) return <div class={isListing ? 'tallbox blank' : 'blank'}>{empty}</div>;
  const keys = rows?.map(keyOf) ?? [];
  const chosenHere = keys.filter((key) => chosen?.has(key)).length;

  function choose(some: readonly string[], isOn: boolean): void {
    const next = new Set(chosen);
    for (const key of some)
      if (isOn) next.add(key);
      else next.delete(key);
    onChoose?.(next);
  }

  return (
    <div
      class={isListing ? 'table-box tallbox' : 'table-box'}
      tabIndex={0}
      role="group"
      aria-labelledby={id}
      aria-busy={rows === null}
    >
      <table class={isListing ? 'table flush' : 'table'}>
        <caption id={id} class="sr">
          {label}
        </caption>
        <thead>
          <tr>
            {onChoose && (
              <th scope="col" class="tick">
                <input
                  class="check"
                  type="checkbox"
                  aria-label="Choose all on this page"
                  checked={keys.length > 0 && chosenHere === keys.length}
                  indeterminate={chosenHere > 0 && chosenHere < keys.length}
                  onChange={(event) => choose(keys, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.key} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link in the row is what the keyboard reaches. */}
        <tbody onClick={openRow} onAuxClick={openRow} onMouseDown={keepFromScrolling}>
          {rows === null
            ? Array.from({ length: props.skeletonRows ?? 8 }, (_, index) => (
                <SkeletonRow key={index} columns={columns} index={index} hasTick={Boolean(onChoose)} />
              ))
            : rows.map((row, index) => {
                const key = keyOf(row);
                return (
                  <tr key={key} class={props.current === key ? 'now' : undefined}>
                    {onChoose && (
                      <td class="tick">
                        <input
                          class="check"
                          type="checkbox"
                          aria-label={`Choose ${nameOf(row)}`}
                          checked={chosen?.has(key) ?? false}
                          onChange={(event) => choose([key], event.currentTarget.checked)}
                        />
                      </td>
                    )}
                    {columns.map((column) => (
                      <Cell key={column.key} column={column}>
                        {column.cell(row, index)}
                      </Cell>
                    ))}
                  </tr>
                );
              })}
        </tbody>
      </table>
    </div>
  );
}

/** Controls of a row, which act by themselves. The cell of a tick belongs to its box. */
const CONTROLS = 'a, button, input, select, textarea, label, summary, [role="button"], [popover], .tick';

/** The link in the main column of the row that was pointed at, unless it was a control or a selection of text. */
function linkPointedAt(event: MouseEvent): HTMLAnchorElement | null {
  const target = event.target as Element;
  if (event.defaultPrevented || event.shiftKey || event.altKey || target.closest(CONTROLS)) return null;
  const row = target.closest('tr');
  const selected = getSelection();
  if (!row || (selected && !selected.isCollapsed && selected.containsNode(row, true))) return null;
  return row.querySelector<HTMLAnchorElement>(':scope > th a[href]');
}

/** A row opens what it names, as its link does: here, or in a new tab with Ctrl or the middle button. */
function openRow(event: MouseEvent): void {
  const isMiddle = event.button === 1;
  const link = event.button === 0 || isMiddle ? linkPointedAt(event) : null;
  if (!link) return;
  if (isMiddle || event.ctrlKey || event.metaKey) window.open(link.href, '_blank', 'noopener');
  else link.click();
}

/** Some browsers begin to scroll when the middle button is pressed, and report no click then. */
function keepFromScrolling(event: MouseEvent): void {
  if (event.button === 1 && linkPointedAt(event)) event.preventDefault();
}

function Head<Row>({
  column: { key, head, isNum, phone, canSort },
  order,
  onOrder,
}: {
  column: Column<Row>;
  order: Order | undefined;
  onOrder: ((order: Order) => void) | undefined;
}) {
  const isSorted = order?.by === key;
  const next = isSorted && order.direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      class={[isNum && 'num', phone === 'hide' && 'no-phone'].filter(Boolean).join(' ') || undefined}
      aria-sort={canSort ? (isSorted ? order.direction : 'none') : undefined}
    >
      {canSort && onOrder ? (
        <button class="sort" type="button" onClick={() => onOrder({ by: key, direction: next })}>
          {head}
          {isSorted && <span aria-hidden="true">{order.direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
        </button>
      ) : head === '' ? (
        <span class="sr">Actions</span>
      ) : (
        head
      )}
    </th>
  );
}

function Cell<Row>({ column, children }: { column: Column<Row>; children: ComponentChildren }) {
  const { head, isMain, isNum, isCut, isDim, isMono, isWide, phone } = column;
  const classes = [
    isNum && 'num',
    isCut && 'cut',
    isDim && 'dim',
    isMono && 'mono',
    isWide && 'wbar',
    phone === 'hide' && 'no-phone',
    phone === 'bare' && 'bare',
    head === '' && 'acts',
  ]
    .filter(Boolean)
    .join(' ');
  return isMain ? (
    <th scope="row" class={classes || undefined}>
      {children}
    </th>
  ) : (
    <td class={classes || undefined} data-head={head}>
      {children}
    </td>
  );
}

function SkeletonRow<Row>({
  columns,
  index,
  hasTick,
}: {
  columns: readonly Column<Row>[];
  index: number;
  hasTick: boolean;
}) {
  return (
    <tr class="waiting">
      {hasTick && <td class="tick" />}
      {columns.map((column, at) => (
        <Cell key={column.key} column={{ ...column, isMain: false, ...(column.isMain ? { phone: 'bare' } : {}) }}>
          {column.head !== '' && (
            <Skeleton width={at === 0 ? 150 + ((index * 37) % 60) : 48 + ((index * 23 + at * 17) % 48)} />
          )}
        </Cell>
      ))}
    </tr>
  );
}
