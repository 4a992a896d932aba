import { conflict } from '../base/errors.ts';
import { statusesBefore, type Transitions } from '../base/transitions.ts';
import type { Campaign, CampaignStatus } from './model.ts';

/** Written by `transition`, which refuses every other one, and by `updateCampaign` (draft and scheduled). */
export const campaignTransitions: Transitions<CampaignStatus> = {
  draft: ['scheduled'],
  scheduled: ['draft', 'sending', 'sending_gradual', 'paused', 'failed', 'aborted'],
  sending: ['paused', 'sent', 'failed', 'aborted'],
  sending_gradual: ['paused', 'sent', 'failed', 'aborted'],
  paused: ['scheduled', 'sending', 'sending_gradual', 'aborted'],
  /** A retry sends the failed or unknown messages again. */
  sent: ['sending', 'sending_gradual'],
  failed: ['sending', 'sending_gradual'],
  aborted: [],
};

export const UNDER_WAY: readonly CampaignStatus[] = ['sending', 'sending_gradual'];
/** Nothing is sent any more, unless a person retries. */
export const OVER: readonly CampaignStatus[] = ['sent', 'failed', 'aborted'];
/** Published and not over. */
export const PUBLISHED: readonly CampaignStatus[] = ['scheduled', ...UNDER_WAY, 'paused'];
/** Everything of it can still be changed. */
export const EDITABLE: readonly CampaignStatus[] = ['draft', 'scheduled'];
export const NOT_OVER: readonly CampaignStatus[] = ['draft', ...PUBLISHED];
export const DELETABLE: readonly CampaignStatus[] = [...EDITABLE, ...OVER];
export const PAUSABLE = statusesBefore(campaignTransitions, 'paused');
export const ABORTABLE = statusesBefore(campaignTransitions, 'aborted');
export const RETRYABLE: readonly CampaignStatus[] = ['sent', 'failed'];

type WithStatus = Pick<Campaign, 'status'>;

export function isUnderWay({ status }: WithStatus): boolean {
  return UNDER_WAY.includes(status);
}

export function isEditable({ status }: WithStatus): boolean {
  return EDITABLE.includes(status);
}

/** Its time passed, or it was paused before it. */
export function isPausedBeforeStart({ status, startedAt }: Pick<Campaign, 'status' | 'startedAt'>): boolean {
  return status === 'paused' && startedAt === null;
}

export function sendingStatus({ sendMode }: Pick<Campaign, 'sendMode'>): 'sending' | 'sending_gradual' {
  return sendMode === 'gradual' ? 'sending_gradual' : 'sending';
}

/** A campaign may keep its status: a retry of one that failed before its start begins while it is sending. */
export function isAllowed(from: CampaignStatus, to: CampaignStatus): boolean {
  return from === to || campaignTransitions[from].includes(to);
}

export function stateConflict(wanted: string, status: CampaignStatus) {
  return conflict('INVALID_STATE', `A campaign that is ${status} cannot be ${wanted}.`);
}
