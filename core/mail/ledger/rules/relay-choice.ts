/** A relay among several that share connections. */
export interface Ranked {
  /** 0 comes first. */
  readonly priority: number;
  readonly weight: number;
  readonly isAnswering: boolean;
  /** The part of its turn that it has saved up: see nextByWeight. */
  credit: number;
}

/** A relay's part of the connections that a lane may have. */
export interface Part {
  readonly weight: number;
  /** The most that the relay could have. */
  readonly limit: number;
  readonly used: number;
}

/** The relays that mail goes to: those of the first priority with one that answers. */
export function preferredRelays<One extends Ranked>(relays: readonly One[]): One[] {
  const answering = relays.filter(({ isAnswering }) => isAnswering);
  const first = Math.min(...answering.map(({ priority }) => priority));
  return answering.filter(({ priority }) => priority === first);
}

/**
 * How many more of `most` connections a relay may have: its share by weight, and what others could not take of theirs. So a relay that is
 * slow, or that stopped answering without a fault so far, holds its own share and no more. Below 0: more than its share.
 */
export function roomOf(part: Part, parts: readonly Part[], most: number): number {
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0);
  let others = 0;
  for (const other of parts) if (other !== part) others += Math.min(other.limit, (most * other.weight) / weights);
  return Math.min(part.limit, Math.ceil(most - others)) - part.used;
}

/** Turns in proportion to the weights, mixed as evenly as possible: weights of 3 and 1 give a a b a. */
export function nextByWeight<One extends Ranked>(relays: readonly One[]): One | null {
  let next: One | null = null;
  let weights = 0;
  for (const relay of relays) {
    relay.credit += relay.weight;
    weights += relay.weight;
    if (next === null || relay.credit > next.credit) next = relay;
  }
  if (next) next.credit -= weights;
  return next;
}
