import { emailDomain } from '../../../core/base/text/addresses.ts';
import { ledgerCounts } from '../../../core/campaigns/numbers/counts.ts';
import { messageIdOf as messageIdInMail } from '../../../core/mail/compose/links.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { type DrillContext, SENDER } from '../context.ts';
import { readBlocks } from './block-facts.ts';
import type { CampaignFacts, Facts, Row } from './check.ts';

/** Due work is taken within this time while a worker runs. */
const TAKEN_WITHIN_MS = 10_000;

interface FactsWanted {
  acknowledged?: readonly string[];
  lane?: Message['lane'];
  /** Message-IDs at the relay that belong to another project or lane. */
  foreign?: readonly string[];
}

/** Reads what a drill left behind, of all its mails or of one lane's. */
export async function readFacts(
  context: DrillContext,
  { acknowledged = [], lane, foreign = [] }: FactsWanted = {},
): Promise<Facts> {
  const { deps, project, sender, sink } = context;
  const accepted = await sink.ids();
  const now = Date.now();
  const messages = await deps.db.messages
    .find({ projectId: project._id })
    .project<Pick<Message, '_id' | 'state' | 'lane' | 'dueAt' | 'copy'>>({ state: 1, lane: 1, dueAt: 1, copy: 1 })
    .toArray();
  const sentAs = ({ _id, copy }: (typeof messages)[number]) =>
    `<${messageIdInMail({ messageId: _id, copy }, emailDomain(sender))}>`;
  const rowOf = (message: (typeof messages)[number]): Row => ({
    id: message._id.toHexString(),
    messageId: sentAs(message),
    state: message.state,
    isDueLater: message.dueAt !== undefined && message.dueAt.getTime() > now - TAKEN_WITHIN_MS,
  });
  const others = new Set([...foreign, ...messages.filter((message) => lane && message.lane !== lane).map(sentAs)]);
  return {
    sink: new Map([...accepted].filter(([messageId]) => !others.has(messageId))),
    rows: messages.filter((message) => !lane || message.lane === lane).map(rowOf),
    acknowledged,
    campaigns: await readCampaigns(context, new Set(messages.map(({ _id }) => _id.toHexString()))),
  };
}

export function messageIdOf(id: string, sender = SENDER): string {
  return `<${id}@${sender.split('@')[1]}>`;
}

export async function readCampaigns(context: DrillContext, rowIds: ReadonlySet<string>): Promise<CampaignFacts[]> {
  const { deps, project } = context;
  const campaigns = await deps.db.campaigns.find({ projectId: project._id }).toArray();
  return Promise.all(
    campaigns.map(async (campaign) => ({
      id: campaign._id.toHexString(),
      frozen: campaign.freeze?.isDone ? campaign.freeze.written : null,
      counts: { ...(await ledgerCounts(deps, campaign)) },
      blocks: await readBlocks(context, campaign, rowIds),
    })),
  );
}
