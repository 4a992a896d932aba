export interface Line {
  kind: 'same' | 'removed' | 'added';
  text: string;
  /** From 1; null where the text does not have it. */
  before: number | null;
  after: number | null;
}

/** The work grows with the product of the two: beyond them all lines of the middle count as replaced. */
const DIFFERENCES_MAX = 400;
const LINES_MAX = 20_000;
/** Unchanged lines that are shown around a change. */
const AROUND = 2;

/** The shortest way from one text to the other, by lines (Myers 1986), within the limits. */
export function diff(before: string, after: string): Line[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const middle = steps(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const kinds = [...same(head), ...middle, ...same(tail)];
  let [x, y] = [0, 0];
  return kinds.map((kind): Line => {
    if (kind === 'removed') return { kind, text: a[x] ?? '', before: ++x, after: null };
    if (kind === 'added') return { kind, text: b[y] ?? '', before: null, after: ++y };
    return { kind, text: b[y] ?? '', before: ++x, after: ++y };
  });
}

/** The changed lines with some around them, in groups; what lies between the groups is the same. */
export function groupsOf(lines: readonly Line[]): Line[][] {
  const isNear = (at: number) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(isChange);
  const groups: Line[][] = [];
  for (const [at, line] of lines.entries()) {
    if (!isNear(at)) continue;
    if (at === 0 || !isNear(at - 1)) groups.push([]);
    groups.at(-1)?.push(line);
  }
  return groups;
}

function isChange({ kind }: Line): boolean {
  return kind !== 'same';
}

type Kind = Line['kind'];

function same(n: number): Kind[] {
  return Array.from({ length: n }, () => 'same');
}

function steps(a: readonly string[], b: readonly string[]): Kind[] {
  const most = a.length + b.length > LINES_MAX ? 0 : Math.min(DIFFERENCES_MAX, a.length + b.length);
  // How far each diagonal reaches in `a`, for each number of differences.
  const reached: Int32Array[] = [];
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  for (let differences = 0; differences <= most; differences += 1) {
    reached.push(reach.slice());
    for (let k = -differences; k <= differences; k += 2) {
      let x = nextX(reach, middle, k, differences);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(reached, middle, a.length, b.length);
    }
  }
  return [...a.map((): Kind => 'removed'), ...b.map((): Kind => 'added')];
}

function isDown(reach: Int32Array, middle: number, k: number, differences: number): boolean {
  const [left = 0, right = 0] = [reach[middle + k - 1], reach[middle + k + 1]];
  return k === -differences || (k !== differences && left < right);
}

function nextX(reach: Int32Array, middle: number, k: number, differences: number): number {
  return isDown(reach, middle, k, differences) ? (reach[middle + k + 1] ?? 0) : (reach[middle + k - 1] ?? 0) + 1;
}

function wayBack(reached: readonly Int32Array[], middle: number, length: number, otherLength: number): Kind[] {
  const kinds: Kind[] = [];
  let [x, y] = [length, otherLength];
  for (let differences = reached.length - 1; ; differences -= 1) {
    const reach = reached[differences] as Int32Array;
    const k = x - y;
    const start = differences === 0 ? 0 : nextX(reach, middle, k, differences);
    for (; x > start; x -= 1, y -= 1) kinds.push('same');
    if (differences === 0) return kinds.reverse();
    if (isDown(reach, middle, k, differences)) {
      kinds.push('added');
      y -= 1;
    } else {
      kinds.push('removed');
      x -= 1;
    }
  }
}
