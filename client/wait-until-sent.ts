import { Deadline } from './calls/deadline.ts';
import { EverpostError } from './errors.ts';
import type { CampaignsCalls } from './resources.ts';
import type { CampaignProgress } from './types.ts';

export interface WaitOptions {
  signal?: AbortSignal;
  /** The longest time to wait; without it there is no limit, and a paused campaign is waited for. */
  timeoutMs?: number;
}

export function waitUntilSent(watch: CampaignsCalls['watch']) {
  return async (campaignId: string, { signal, timeoutMs }: WaitOptions = {}): Promise<CampaignProgress> => {
    const deadline = new Deadline(timeoutMs ?? Number.POSITIVE_INFINITY, signal);
    try {
      let last: CampaignProgress | undefined;
      for await (const progress of watch(campaignId, { signal: deadline.signal })) last = progress;
      if (last?.status === 'sent') return last;
      throw notSent(last?.status ?? 'unknown');
    } catch (error) {
      throw deadline.isOver ? late(campaignId) : error;
    } finally {
      deadline.stop();
    }
  };
}

function late(campaignId: string): EverpostError {
  return new EverpostError(`Campaign ${campaignId} was not sent in time; it is still under way.`, { code: 'TIMEOUT' });
}

function notSent(status: string): EverpostError {
  return new EverpostError(`The campaign ended as ${status}.`, { code: 'CAMPAIGN_NOT_SENT', details: status });
}
