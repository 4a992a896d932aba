/** A layered drawing of a graph, top down: ranks, order, places, routes. Pure: nothing here knows of steps or of the page. */

export interface LayoutNode {
  id: string;
  width: number;
  height: number;
}
export interface LayoutEdge {
  id: string;
  from: string;
  to: string;
  /** Written on the edge; its size reserves the place. */
  label?: { width: number; height: number } | undefined;
}
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
export type Point = readonly [x: number, y: number];
export interface Route {
  id: string;
  /** Corners, each next to the one before or below it. */
  points: Point[];
  label: Box | null;
}
export interface Layout {
  width: number;
  height: number;
  boxes: Map<string, Box>;
  routes: Route[];
}

const MARGIN = 20;
const GAP_X = 32;
const GAP_Y = 14;
const TRACK = 8;
const SWEEPS = 12;
const STRAIGHT = 200;

/** A node, a label, or the place where a long edge crosses a rank. */
interface Cell {
  key: string;
  rank: number;
  width: number;
  height: number;
  x: number;
  above: Cell[];
  below: Cell[];
}

export function layout(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
  const ranks = ranksOf(nodes, edges);
  const cells = new Map<string, Cell>();
  for (const { id, width, height } of nodes) cells.set(id, newCell(id, ranks.get(id) ?? 0, width, height));
  const chains = new Map<string, Cell[]>();
  const extra: Cell[] = [];
  for (const edge of edges) {
    const chain = chainOf(edge, cells);
    chains.set(edge.id, chain);
    extra.push(...chain.slice(1, -1));
    for (const [index, cell] of chain.entries()) {
      const next = chain[index + 1];
      if (!next) continue;
      cell.below.push(next);
      next.above.push(cell);
    }
  }
  const rows = rowsOf([...cells.values(), ...extra]);
  order(rows);
  place(rows);
  return draw({ nodes, edges, cells, chains, rows });
}

function newCell(key: string, rank: number, width: number, height: number): Cell {
  return { key, rank, width, height, x: 0, above: [], below: [] };
}

/** The longest way from a beginning, two ranks an edge so that a label has one of its own. Edges that close a circle count backwards. */
function ranksOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Map<string, number> {
  const out = new Map<string, string[]>();
  for (const { from, to } of edges) out.set(from, [...(out.get(from) ?? []), to]);
  const state = new Map<string, 'open' | 'done'>();
  const sorted: string[] = [];
  const backwards = new Set<string>();
  const visit = (id: string): void => {
    state.set(id, 'open');
    for (const to of out.get(id) ?? [])
      if (state.get(to) === 'open') backwards.add(`${id}\n${to}`);
      else if (!state.has(to)) visit(to);
    state.set(id, 'done');
    sorted.unshift(id);
  };
  for (const { id } of nodes) if (!state.has(id)) visit(id);
  const ranks = new Map(nodes.map(({ id }) => [id, 0]));
  for (const id of sorted)
    for (const to of out.get(id) ?? [])
      if (!backwards.has(`${id}\n${to}`)) ranks.set(to, Math.max(ranks.get(to) ?? 0, (ranks.get(id) ?? 0) + 2));
  return ranks;
}

/** From the upper end to the lower one, with a cell in each rank between them. */
function chainOf({ id, from, to, label }: LayoutEdge, cells: ReadonlyMap<string, Cell>): Cell[] {
  const ends = [cells.get(from), cells.get(to)].filter((cell) => cell !== undefined);
  const [upper, lower] = ends.sort((a, b) => a.rank - b.rank);
  if (!upper || !lower || upper.rank === lower.rank) return [];
  const chain = [upper];
  for (let rank = upper.rank + 1; rank < lower.rank; rank += 1) {
    const has = label && rank === upper.rank + 1;
    chain.push(newCell(`${id}\n${rank}`, rank, has ? label.width : 0, has ? label.height : 0));
  }
  return [...chain, lower];
}

function rowsOf(all: readonly Cell[]): Cell[][] {
  const rows: Cell[][] = [];
  for (const cell of all) {
    rows[cell.rank] ??= [];
    rows[cell.rank]?.push(cell);
  }
  return Array.from(rows, (row) => row ?? []);
}

/** Fewer crossings: each row by the middle of its neighbours, down and up; the best order that was seen wins. */
function order(rows: Cell[][]): void {
  let best = rows.map((row) => [...row]);
  const at = positions(rows);
  let fewest = crossings(rows);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const sequence = isDown ? rows : [...rows].reverse();
    for (const row of sequence) {
      const middle = (cell: Cell) => {
        const others = isDown ? cell.above : cell.below;
        const own = at.get(cell) ?? 0;
        return others.length === 0 ? own : others.reduce((sum, one) => sum + (at.get(one) ?? 0), 0) / others.length;
      };
      const by = new Map(row.map((cell) => [cell, middle(cell)]));
      row.sort((a, b) => (by.get(a) ?? 0) - (by.get(b) ?? 0));
      for (const [index, cell] of row.entries()) at.set(cell, index);
    }
    const count = crossings(rows);
    if (count >= fewest) continue;
    fewest = count;
    best = rows.map((row) => [...row]);
  }
  for (const [index, row] of best.entries()) rows[index] = row;
}

function positions(rows: readonly (readonly Cell[])[]): Map<Cell, number> {
  return new Map(rows.flatMap((row) => row.map((cell, index) => [cell, index] as const)));
}

export function crossings(rows: readonly (readonly Cell[])[]): number {
  const at = positions(rows);
  let sum = 0;
  for (const row of rows) {
    const lines = row.flatMap((cell, index) => cell.below.map((one) => [index, at.get(one) ?? 0] as const));
    for (const [index, [a, b]] of lines.entries())
      for (const [c, d] of lines.slice(index + 1)) if ((a - c) * (b - d) < 0) sum += 1;
  }
  return sum;
}

/** Each cell as near to the middle of its neighbours as its row lets it; at last long edges and chains are made straight. */
function place(rows: readonly Cell[][]): void {
  for (const row of rows) {
    let x = 0;
    for (const cell of row) {
      cell.x = x + cell.width / 2;
      x += cell.width + GAP_X;
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (const row of sweep % 2 === 0 ? rows : [...rows].reverse())
      settle(row, (cell) => pull(cell, sweep % 2 === 0 ? cell.above : cell.below, 1));
  for (const row of rows) settle(row, (cell) => pull(cell, isAboveOne(cell) ? cell.below : cell.above, STRAIGHT));
}

/** A label over a node that only its edge leads to. */
function isAboveOne({ width, rank, below: [only] }: Cell): boolean {
  return rank % 2 === 1 && width > 0 && only?.above.length === 1;
}

interface Pull {
  to: number;
  weight: number;
}

function pull(cell: Cell, others: readonly Cell[], straight: number): Pull {
  if (others.length === 0) return { to: cell.x, weight: 1 };
  const to = others.reduce((sum, one) => sum + one.x, 0) / others.length;
  const [only] = others;
  return { to, weight: others.length === 1 && only && only.below.length === 1 ? straight : 1 };
}

/** The least sum of squared distances with everything apart: neighbours that push each other move as one block. */
function settle(row: readonly Cell[], wish: (cell: Cell) => Pull): void {
  const blocks: Array<{ to: number; weight: number; cells: Cell[] }> = [];
  const offsets = new Map<Cell, number>();
  let offset = 0;
  for (const [index, cell] of row.entries()) {
    const before = row[index - 1];
    if (before) offset += (before.width + cell.width) / 2 + GAP_X;
    offsets.set(cell, offset);
    const { to, weight } = wish(cell);
    blocks.push({ to: to - offset, weight, cells: [cell] });
    for (let last = blocks.at(-1), up = blocks.at(-2); last && up && up.to > last.to; ) {
      const sum = up.weight + last.weight;
      up.to = (up.to * up.weight + last.to * last.weight) / sum;
      up.weight = sum;
      up.cells.push(...last.cells);
      blocks.pop();
      last = blocks.at(-1);
      up = blocks.at(-2);
    }
  }
  for (const { to, cells } of blocks) for (const cell of cells) cell.x = to + (offsets.get(cell) ?? 0);
}

interface Drawing {
  nodes: readonly LayoutNode[];
  edges: readonly LayoutEdge[];
  cells: ReadonlyMap<string, Cell>;
  chains: ReadonlyMap<string, readonly Cell[]>;
  rows: readonly (readonly Cell[])[];
}

function draw({ nodes, edges, cells, chains, rows }: Drawing): Layout {
  const all = rows.flat();
  const left = Math.min(0, ...all.map(({ x, width }) => x - width / 2));
  for (const cell of all) cell.x = Math.round(cell.x - left + MARGIN);
  const tracks = rows.map(tracksOf);
  const tops: number[] = [];
  const heights = rows.map((row) => Math.max(0, ...row.map(({ height }) => height)));
  let y = MARGIN;
  for (const [rank, height] of heights.entries()) {
    tops.push(y);
    y += height + (rank === rows.length - 1 ? 0 : GAP_Y + (tracks[rank]?.count ?? 0) * TRACK);
  }
  const topOf = ({ rank, height }: Cell) => (tops[rank] ?? 0) + ((heights[rank] ?? 0) - height) / 2;
  const boxes = new Map(
    nodes.map(({ id, width, height }) => {
      const cell = cells.get(id) as Cell;
      return [id, { x: cell.x - width / 2, y: topOf(cell), width, height }];
    }),
  );
  const routes = edges.map(({ id, label }): Route => {
    const chain = chains.get(id) ?? [];
    const points: Point[] = [];
    for (const [index, cell] of chain.entries()) {
      const next = chain[index + 1];
      if (!next) continue;
      const bottom = (tops[cell.rank] ?? 0) + (heights[cell.rank] ?? 0);
      const track = bottom + GAP_Y / 2 + (tracks[cell.rank]?.of.get(groupOf(cell, next)) ?? 0) * TRACK;
      const from: Point = [cell.x, index === 0 ? topOf(cell) + cell.height : (tops[cell.rank] ?? 0)];
      const turns: Point[] =
        cell.x === next.x
          ? []
          : [
              [cell.x, track],
              [next.x, track],
            ];
      points.push(from, ...turns);
    }
    const last = chain.at(-1);
    if (last) points.push([last.x, topOf(last)]);
    const named = label && chain[1];
    return {
      id,
      points,
      label: named ? { x: named.x - label.width / 2, y: topOf(named), width: label.width, height: label.height } : null,
    };
  });
  const right = Math.max(0, ...all.map(({ x, width }) => x + width / 2));
  return { width: right + MARGIN, height: y + MARGIN, boxes, routes };
}

/** Edges that part from one cell, or come together in one, share their level line. */
function groupOf(upper: Cell, lower: Cell): string {
  return upper.below.length === 1 && lower.above.length > 1 ? `to ${lower.key}` : `from ${upper.key}`;
}

/** The level lines below a row, so that lines of different groups do not lie on each other. */
function tracksOf(row: readonly Cell[]): { count: number; of: Map<string, number> } {
  const spans = new Map<string, { from: number; to: number }>();
  for (const cell of row)
    for (const next of cell.below) {
      const key = groupOf(cell, next);
      const [low, high] = [Math.min(cell.x, next.x), Math.max(cell.x, next.x)];
      const span = spans.get(key);
      spans.set(key, { from: Math.min(low, span?.from ?? low), to: Math.max(high, span?.to ?? high) });
    }
  const of = new Map<string, number>();
  const ends: number[] = [];
  for (const [key, { from, to }] of [...spans].sort(([, a], [, b]) => a.from - b.from)) {
    if (from === to) continue;
    const free = ends.findIndex((end) => end < from);
    const track = free === -1 ? ends.length : free;
    ends[track] = to;
    of.set(key, track);
  }
  return { count: ends.length, of };
}

const RADIUS = 6;

/** The `d` of a path with round corners. */
export function pathOf(points: readonly Point[]): string {
  let d = '';
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    const next = points[index + 1];
    if (!before) d = `M${point[0]} ${point[1]}`;
    else if (!next) d += `L${point[0]} ${point[1]}`;
    else {
      const radius = Math.min(RADIUS, distance(before, point) / 2, distance(point, next) / 2);
      const [ax, ay] = towards(point, before, radius);
      const [bx, by] = towards(point, next, radius);
      d += `L${ax} ${ay}Q${point[0]} ${point[1]} ${bx} ${by}`;
    }
  }
  return d;
}

function distance([ax, ay]: Point, [bx, by]: Point): number {
  return Math.abs(ax - bx) + Math.abs(ay - by);
}

function towards(from: Point, to: Point, by: number): Point {
  return [from[0] + Math.sign(to[0] - from[0]) * by, from[1] + Math.sign(to[1] - from[1]) * by];
}
