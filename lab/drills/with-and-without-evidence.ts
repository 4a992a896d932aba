/** Without evidence and with it, both at once: most of such a drill is waiting for leases and heartbeats. Each with its outcome, in this order. */
export function bothWays<Shared, T>(
  shared: Shared,
  run: (drill: Shared & { evidence: boolean }) => Promise<T>,
): Promise<Array<{ drill: Shared & { evidence: boolean }; tally: T }>> {
  const drills = [false, true].map((evidence) => ({ ...shared, evidence }));
  return Promise.all(drills.map(async (drill) => ({ drill, tally: await run(drill) })));
}
