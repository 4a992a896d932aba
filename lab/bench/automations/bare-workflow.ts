import { proxyActivities, sleep } from '@temporalio/workflow';

/** What an enrollment is measured beside: one empty activity, then a wait. */
export async function bareWait(): Promise<void> {
  const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30 seconds' });
  await nothing();
  await sleep('30 days');
}
