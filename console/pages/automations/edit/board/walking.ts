import { waysOf } from '../../graph/flow.ts';
import type { Steps } from '../model/steps.ts';

/** The node that an arrow key leads to. `x` and `y` say where each is drawn. */
export function neighbour(
  steps: Steps,
  from: string,
  key: string,
  placeOf: (nodeId: string) => { x: number; y: number } | null,
): string | null {
  const ways = waysOf(steps);
  const at = placeOf(from);
  if (key === 'ArrowDown') return ways.find((way) => way.from === from)?.to ?? null;
  if (key === 'ArrowUp') return ways.find((way) => way.to === from)?.from ?? null;
  const nodes = [...new Set(ways.flatMap((way) => [way.from, way.to]))];
  const side = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
  if (side === 0 || !at) return null;
  const beside = nodes.flatMap((id) => {
    const place = placeOf(id);
    return place && (place.x - at.x) * side > 0 ? [{ id, far: distance(place, at) }] : [];
  });
  return beside.sort((a, b) => a.far - b.far)[0]?.id ?? null;
}

/** Rows count more than columns, so that an arrow to the side stays in its row where it can. */
function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.abs(a.x - b.x) + 3 * Math.abs(a.y - b.y);
}
