import { count, duration } from './format.ts';
import type { Column } from './table.tsx';

interface Waiting {
  waiting: number;
  /** False: there are more than the number says. */
  isExact: boolean;
  oldestSeconds: number | null;
}

/** The columns of work that waits: how much, and since when. */
export function waitingColumns<Row extends Waiting>(): Column<Row>[] {
  return [
    {
      key: 'waiting',
      head: 'Waiting',
      isNum: true,
      cell: ({ waiting, isExact }) => (isExact ? count(waiting) : `over ${count(waiting)}`),
    },
    {
      key: 'oldest',
      head: 'Oldest',
      isNum: true,
      cell: ({ oldestSeconds }) => (oldestSeconds === null ? '' : duration(oldestSeconds * 1_000)),
    },
  ];
}
