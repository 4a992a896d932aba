import { TokenBucket } from '../../base/limits/token-bucket.ts';
import type { SendingPolicy } from '../../mail/deliver/range-sending.ts';
import type { ClaimedRecipient } from '../../mail/deliver/sources/source.ts';
import type { Outcome } from '../../mail/ledger/ledger.ts';
import { TemplateRenderError } from '../../templates/language/templates.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import type { CompiledCampaign, UnsignedMail } from '../run/compile.ts';
import type { ThresholdWatch } from '../run/thresholds.ts';
import { isUnderWay } from '../status.ts';
import type { RelayNote } from './relay-status.ts';

interface Given {
  campaign: Campaign;
  compiled: CompiledCampaign;
  relay: RelayNote;
  thresholds: ThresholdWatch;
  rangesAtOnce: number;
}

/** Ranges send at the same time with a share each. Two at least may be saved up, so that fractions are not lost. */
export const PACE = { burst: (perSecond: number) => Math.max(2, perSecond / 10), tokens: 1 };

/** How a campaign is sent: its rate, its status after each claim, its compiled mail, its thresholds. */
export function policyOf(
  deps: CampaignsDeps,
  { campaign, compiled, relay, thresholds, rangesAtOnce }: Given,
): SendingPolicy {
  const { _id, projectId, unsubscribeGroupId, sendRatePerSecond } = campaign;
  const share = (perSecond: number | null) => perSecond && perSecond / rangesAtOnce;
  let perSecond = sendRatePerSecond;
  const pace = new TokenBucket(share(perSecond), PACE);
  return {
    projectId,
    groupId: unsubscribeGroupId,
    needsContacts: compiled.needsContacts,
    filesBytes: compiled.filesBytes,
    pace,
    async maySend() {
      const projection = { status: 1, sendRatePerSecond: 1, 'freeze.run': 1 } as const;
      const now = await deps.db.campaigns.findOne({ _id, projectId }, { projection, readPreference: 'primary' });
      if (now) {
        perSecond = now.sendRatePerSecond;
        pace.set(share(perSecond));
      }
      // A block in the memory of a process that was stopped may be gone with its claims, and could be claimed a second time.
      const isThere = String(now?.freeze?.run) === String(campaign.freeze?.run);
      return now !== null && isThere && isUnderWay(now);
    },
    compose: (item) => compose(deps, compiled, item),
    isBreached: () => thresholds.isBreached(),
    onOutcome: (kind) => {
      thresholds.count(kind);
      if (perSecond) deps.paces.note('campaign', _id.toHexString(), perSecond);
    },
    onLook: (run) => relay.check(run),
  };
}

/**
 * Data that do not fit the template fail only their recipient; the campaign continues. A signature that cannot be made says nothing
 * about a recipient.
 */
function compose(deps: CampaignsDeps, compiled: CompiledCampaign, { held, seq, email, contact, at }: ClaimedRecipient) {
  const sign = (mail: UnsignedMail) => compiled.sign(mail, at);
  const failed = (error: unknown): Outcome => {
    const isOfData = error instanceof TemplateRenderError;
    if (!isOfData) deps.log.error({ err: error, message: held._id }, 'composing a mail of a campaign failed');
    return {
      kind: 'failed',
      reason: `The mail cannot be made with these data: ${isOfData ? error.message : 'it has a fault.'}`,
    };
  };
  let mail: UnsignedMail | Promise<UnsignedMail>;
  try {
    mail = compiled.compose({ messageId: held._id, seq, email, contact, at });
  } catch (error) {
    return failed(error);
  }
  return mail instanceof Promise ? mail.then(sign, failed) : sign(mail);
}
