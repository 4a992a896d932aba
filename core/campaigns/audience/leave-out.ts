import type { IdSet } from '../../base/work/id-set.ts';
import type { Block } from '../../mail/ledger/blocks/model.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { states } from '../../mail/ledger/states.ts';
import { removeFrozenRows } from '../../mail/messages/of-campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import { type Attempt, asOurs, removeBlocks, succeed } from './attempt.ts';
import { AudienceWriter, countProvider, type Providers, type Written } from './write.ts';

const AT_ONCE = 1_000;

type Part = Pick<Block, 'fromSeq' | 'recipients'>;

/**
 * Copies the audience of an attempt under a new run, without those who were left out since it was read: `seq` goes through the blocks
 * without gaps.
 */
export async function leaveOut(
  deps: CampaignsDeps,
  { attempt: former, read }: { attempt: Attempt; read: Pick<Written, 'releases' | 'holdOut'> },
  leaving: IdSet,
  onProgress: (written: number) => void,
): Promise<{ attempt: Attempt; written: Written }> {
  const attempt = await succeed(deps, former);
  const { releases, holdOut } = read;
  const suppressed = await leaveOutSuppressed(deps, attempt, leaving);
  const writer = new AudienceWriter(deps, attempt, onProgress, { ...suppressed, holdOut });
  try {
    for await (const { fromSeq, recipients } of blocksOf(deps, former)) {
      const release = releases?.findLast((one) => one.fromSeq <= fromSeq);
      await writer.add(
        recipients.filter(({ contactId }) => !leaving.has(contactId)),
        release,
      );
    }
    const written = await writer.end();
    await removeBlocks(deps, attempt, former.run);
    return { attempt, written };
  } finally {
    await writer.stop();
  }
}

function blocksOf(deps: CampaignsDeps, { campaign, run }: Attempt): AsyncIterable<Part> {
  const own = { projectId: campaign.projectId, campaignId: campaign._id, run };
  const projection = { fromSeq: 1, recipients: 1 } as const;
  return deps.db.campaignBlocks.find(own, { projection, hint: 'order' }).sort({ fromSeq: 1 });
}

/** The suppressed people who stay. */
async function leaveOutSuppressed(
  deps: CampaignsDeps,
  attempt: Attempt,
  leaving: IdSet,
): Promise<Pick<Written, 'suppressed' | 'providers'>> {
  const { _id: campaignId, projectId } = attempt.campaign;
  const own = { campaignId, projectId, state: states.suppressed };
  const rows = await deps.db.messages.find(own, { projection: { contactId: 1, email: 1 }, hint: 'campaign' }).toArray();
  const isLeaving = ({ contactId }: Pick<Message, 'contactId'>) => contactId !== undefined && leaving.has(contactId);
  const ids = rows.filter(isLeaving).map(({ _id }) => _id);
  for (let from = 0; from < ids.length; from += AT_ONCE)
    await asOurs(deps, attempt, {}, (session) =>
      removeFrozenRows(deps, own, [states.suppressed], ids.slice(from, from + AT_ONCE), session),
    );
  const stay = rows.filter((row) => !isLeaving(row));
  const providers: Providers = {};
  for (const { email } of stay) countProvider(providers, email);
  return { suppressed: stay.length, providers };
}
