import type { ObjectId } from 'mongodb';

/** The automations that led to a change of a contact, each by a change of its own, in their order. Changes from outside have none. */
export type Chain = readonly ObjectId[];

/** A change that as many automations led to enrolls its contact nowhere. */
const CHAIN_MAX = 5;

/** Why a change does not let its contact into an automation; null: it may. */
export function refusedBy(chain: Chain, automationId: ObjectId): 'own_change' | 'chain_too_long' | null {
  if (chain.some((id) => id.equals(automationId))) return 'own_change';
  return chain.length < CHAIN_MAX ? null : 'chain_too_long';
}

/** The chain of the changes that an enrollment makes. */
export function chainOf({ causedBy = [], automationId }: { causedBy?: Chain; automationId: ObjectId }): Chain {
  return [...causedBy, automationId];
}
