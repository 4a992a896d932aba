import { setFlagsFromString } from 'node:v8';

/**
 * An import makes much that is let go at once. By itself V8 lets the heap grow fourfold before it looks for what can go; looking at every
 * quarter costs such a worker nothing that can be measured.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
}
