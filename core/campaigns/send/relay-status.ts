import type { RangeSending } from '../../mail/deliver/range-sending.ts';
import type { RelayFault, SendingDeps } from '../../mail/ledger/relay.ts';
import { formatReply } from '../../mail/ledger/rules/relay-replies.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';

/** Report an outage only after two seconds, or when it ends the range. */
const NEWS_AFTER_MS = 2_000;

export interface RelayNote {
  check(run: RangeSending): void;
  over(run: RangeSending): Promise<void>;
}

/**
 * "Relay not answering since": stored on the campaign by the sender that finds it, for progress and the Web UI, and removed with
 * the first success.
 */
export function noteRelay(deps: SendingDeps<CampaignsDeps>, campaign: Campaign): RelayNote {
  const { db, mailer, clock, log } = deps;
  const { _id, projectId } = campaign;
  let noted = campaign.relay ?? null;
  let writing: Promise<unknown> = Promise.resolve();

  function check(run: RangeSending): void {
    const outage = mailer.outage('campaign');
    const since = outage?.since ?? null;
    const isNews = since !== null && (run.waitMs > 0 || clock.now().getTime() - since.getTime() > NEWS_AFTER_MS);
    if (isNews && noted === null) write({ notAnsweringSince: since, reason: reasonOf(outage?.fault ?? null) });
    if (since === null && noted !== null && run.answered > 0) write(null);
  }

  function write(relay: typeof noted): void {
    noted = relay;
    writing = writing
      .then(() => db.campaigns.updateOne({ _id, projectId }, { $set: { relay } }))
      .catch((error) => log.warn({ err: error }, 'storing the state of the relay failed'));
  }

  return {
    check,
    async over(run) {
      check(run);
      await writing;
    },
  };
}

function reasonOf(fault: RelayFault | null): string {
  if (!fault) return 'no answer';
  if (fault.reply.code > 0) return formatReply(fault.reply);
  return `${fault.reason} at ${fault.phase}${fault.reply.text ? `: ${fault.reply.text}` : ''}`;
}
