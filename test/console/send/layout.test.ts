import { expect } from 'chai';
import { ENTRY, waysOf } from '../../../console/pages/automations/graph/flow.ts';
import {
  type Box,
  type LayoutEdge,
  type LayoutNode,
  layout,
  pathOf,
} from '../../../console/pages/automations/graph/layout.ts';
import { stepGraph } from '../../../core/automations/rules/graph/graph.ts';
import { readSteps } from '../../../core/automations/rules/parse-definition.ts';
import { seededRandom } from '../../support/random.ts';

const GRAPHS = 120;

/** A graph that flows downwards, with branches of up to eight ways, doubled edges and edges over many ranks. */
function graphOf(seed: number, isTurning = false): { nodes: LayoutNode[]; edges: LayoutEdge[] } {
  const next = seededRandom(seed);
  const below = (n: number) => Math.floor(next() * n);
  const nodes = Array.from({ length: 1 + below(40) }, (_, index) => ({
    id: `n${index}`,
    width: 100 + below(200),
    height: 30 + below(40),
  }));
  const edges: LayoutEdge[] = [];
  for (let to = 1; to < nodes.length; to += 1) {
    const ways = below(10) === 0 ? 8 : 1 + below(2);
    for (let way = 0; way < ways; way += 1) {
      const from = Math.max(0, to - 1 - below(5));
      const label = below(2) ? { width: 20 + below(150), height: 18 } : undefined;
      edges.push({ id: `e${edges.length}`, from: `n${from}`, to: `n${to}`, label });
    }
  }
  if (isTurning && nodes.length > 2) edges.push({ id: 'back', from: `n${nodes.length - 1}`, to: 'n0' });
  return { nodes, edges };
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

describe('The drawing of a graph', () => {
  for (const isTurning of [false, true])
    it(`lays no box or label on another and draws every edge from its end to its end, ${isTurning ? 'with a circle' : 'without circles'}`, () => {
      for (let seed = 1; seed <= GRAPHS; seed += 1) {
        const { nodes, edges } = graphOf(seed, isTurning);
        const { boxes, routes, width, height } = layout(nodes, edges);
        const labels = routes.flatMap(({ label }) => (label ? [label] : []));
        const all = [...boxes.values(), ...labels];
        expect(boxes.size).to.equal(nodes.length);
        expect(labels).to.have.length(edges.filter(({ label }) => label).length);
        for (const [index, box] of all.entries()) {
          expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height).to.equal(true);
          if (all.slice(index + 1).some((other) => overlap(box, other)))
            expect.fail(`seed ${seed}: one lies on another`);
        }
        for (const [index, { id, from, to }] of edges.entries()) {
          const { points, id: drawn } = routes[index] ?? { points: [] };
          expect(drawn).to.equal(id);
          const [upper, lower] = [boxes.get(from), boxes.get(to)].sort((a, b) => (a?.y ?? 0) - (b?.y ?? 0));
          expect(points[0]?.[1], `seed ${seed} ${id}`).to.equal((upper?.y ?? 0) + (upper?.height ?? 0));
          expect(points[0]?.[0]).to.equal((upper?.x ?? 0) + (upper?.width ?? 0) / 2);
          expect(points.at(-1)).to.deep.equal([(lower?.x ?? 0) + (lower?.width ?? 0) / 2, lower?.y]);
        }
      }
    });

  it('leads no edge through a box that is not its own', () => {
    for (let seed = 1; seed <= GRAPHS; seed += 1) {
      const { nodes, edges } = graphOf(seed);
      const { boxes, routes } = layout(nodes, edges);
      for (const { points, id } of routes)
        for (const [index, [x, y]] of points.entries()) {
          const [toX, toY] = points[index + 1] ?? [x, y];
          if (x !== toX && y !== toY) expect.fail(`seed ${seed} ${id}: a slanted line`);
          const line = {
            x: Math.min(x, toX),
            y: Math.min(y, toY),
            width: Math.abs(x - toX),
            height: Math.abs(y - toY),
          };
          for (const [node, box] of boxes) {
            const inner = { x: box.x + 1, y: box.y + 1, width: box.width - 2, height: box.height - 2 };
            if (overlap(line, inner)) expect.fail(`seed ${seed}: ${id} through ${node}`);
          }
        }
    }
  });

  it('draws a chain as one straight line', () => {
    const nodes = ['a', 'b', 'c'].map((id) => ({ id, width: 232, height: 52 }));
    const { routes } = layout(nodes, [
      { id: '1', from: 'a', to: 'b' },
      { id: '2', from: 'b', to: 'c' },
    ]);
    expect(new Set(routes.flatMap(({ points }) => points.map(([x]) => x))).size).to.equal(1);
    expect(pathOf(routes[0]?.points ?? [])).to.match(/^M\d+ \d+(L\d+ [\d.]+|Q[\d. ]+)+$/);
  });
});

describe('The ways between the steps of an automation', () => {
  it('are those that the interface follows', () => {
    const inside = (branch: string, parent = 'choice') => ({ parentBranchStepId: parent, parentBranchId: branch });
    const steps = readSteps(
      [
        { type: 'wait', stepId: 'start', delay: { value: 0, unit: 'days' } },
        { type: 'email', stepId: 'first' },
        {
          ...{ type: 'branch', stepId: 'choice', nextStepId: 'last-wait' },
          branches: [
            { branchId: 'a', label: 'Pro', mergeStepId: 'last-wait' },
            { branchId: 'b', label: '', nextStepId: 'b-wait' },
            { branchId: 'c', mergeStepId: 'last-wait' },
          ],
        },
        { type: 'wait', stepId: 'a-wait', ...inside('a') },
        { type: 'email', stepId: 'a-mail', ...inside('a') },
        { type: 'wait', stepId: 'b-wait', nextStepId: 'b-mail', ...inside('b') },
        { type: 'email', stepId: 'b-mail', ...inside('b') },
        { type: 'wait', stepId: 'last-wait' },
        { type: 'email', stepId: 'last', nextStepId: 'event' },
        { type: 'wait_event', stepId: 'event', nextStepId: 'gone', timeoutStepId: 'goal' },
        { type: 'wait_event', stepId: 'gone' },
        { type: 'goal', stepId: 'goal', eventName: 'bought' },
      ],
      () => 'made',
    );
    const graph = stepGraph(steps);
    const expected = steps.flatMap((step) =>
      step.type === 'branch'
        ? [...step.branches.map((branch) => graph.entry(step, branch)), graph.next(step)]
        : step.type === 'wait_event'
          ? [graph.next(step), graph.otherwise(step)]
          : [graph.next(step)],
    );
    const [entry, ...ways] = waysOf(steps);
    expect(entry).to.include({ from: ENTRY, to: 'start' });
    expect(ways.map(({ to }) => (to.startsWith('\u0000') ? null : to))).to.deep.equal(expected);
    expect(ways.filter(({ label }) => label).map(({ label }) => label)).to.deep.equal([
      'Pro',
      'branch 2',
      'branch 3',
      'otherwise',
      ...['when it comes', 'not in time', 'when it comes', 'not in time'],
    ]);
  });
});
