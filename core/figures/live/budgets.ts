import type { ShareState } from '../../base/limits/budgets.ts';
import type { ProcessReport } from './model.ts';

/** A budget as the processes that share it reported it last. */
export interface BudgetHealth extends Pick<ShareState, 'name' | 'unit' | 'mode'> {
  budget: number;
  /** All shares together. */
  shared: number;
  inUse: number;
  wanted: number;
  processes: Array<{ id: string; roles: string[]; share: number; inUse: number; wanted: number }>;
}

export function budgetsOf(processes: readonly Pick<ProcessReport, '_id' | 'roles' | 'budgets'>[]): BudgetHealth[] {
  const all = processes.flatMap(({ _id: id, roles, budgets = [] }) => budgets.map((one) => ({ id, roles, ...one })));
  const byName = [...Map.groupBy(all, ({ name }) => name)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return byName.map(([name, shares]) => ({
    name,
    unit: shares[0]!.unit,
    // Of the process that started last, when a setting was changed.
    budget: shares.at(-1)!.budget,
    shared: sum(shares, 'share'),
    inUse: sum(shares, 'inUse'),
    wanted: sum(shares, 'wanted'),
    mode: shares.some(({ mode }) => mode === 'divided') ? 'divided' : 'shared',
    processes: shares.map(({ id, roles, share, inUse, wanted }) => ({
      ...{ id, roles },
      ...{ share: rounded(share), inUse: rounded(inUse), wanted: rounded(wanted) },
    })),
  }));
}

/** To all relays of the installation; nothing where the processes are of an earlier version. */
export function connectionsAllowed(processes: readonly ProcessReport[]): { allowed?: number } {
  const ofRoutes = budgetsOf(processes).filter(({ name }) => /^connections \w+$/.test(name));
  return ofRoutes.length > 0 ? { allowed: ofRoutes.reduce((total, { budget }) => total + budget, 0) } : {};
}

function sum(shares: readonly ShareState[], field: 'share' | 'inUse' | 'wanted'): number {
  return rounded(shares.reduce((total, share) => total + share[field], 0));
}

function rounded(number: number): number {
  return Math.round(number * 100) / 100;
}
