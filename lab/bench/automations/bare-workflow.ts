import { proxyActivities, sleep } from '@temporalio/workflow';

/** The baseline of an enrollment: one empty activity, then a wait. */
export async function bareWait(): Promise<void> {
  const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30 seconds' });
  await nothing();
  await sleep('30 days');
}
