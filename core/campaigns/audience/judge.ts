import { taggedWith } from '../../base/text/tags.ts';
import { mapAhead } from '../../base/work/ahead.ts';
import { marketingFacts } from '../../consent/suppressions/find-groups.ts';
import { type SuppressionFact, stoppedBy } from '../../consent/suppressions/rules.ts';
import { suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import type { BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import { recipientId } from '../../mail/ledger/blocks/recipient-id.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import type { Attempt } from './attempt.ts';

/** Look-ups that are under way while people before them are written. */
const AHEAD = 3;

interface Judged<Person> {
  people: Person[];
  /** Rows of people who are suppressed, with the entry. */
  suppressed: Message[];
}

/** Separates people who are suppressed from those to write to. Senders check again after each claim. */
export async function* judged<Person extends BlockRecipient>(
  deps: CampaignsDeps,
  campaign: Campaign,
  attempt: Attempt,
  audience: AsyncIterable<Person[]>,
): AsyncGenerator<Judged<Person>> {
  const { projectId, unsubscribeGroupId } = campaign;
  const mail = await marketingFacts(deps, projectId, unsubscribeGroupId);
  yield* mapAhead(audience, AHEAD, async (people) => {
    const entries = await suppressionsAgainst(
      deps,
      projectId,
      people.map(({ email }) => email),
    );
    return divided({ campaign, at: attempt.at }, people, entries, (facts) => stoppedBy(facts, mail));
  });
}

interface Frozen {
  campaign: Pick<Campaign, '_id' | 'projectId' | 'tags'>;
  /** When the freeze began. */
  at: Date;
}

function divided<Person extends BlockRecipient>(
  frozen: Frozen,
  people: Person[],
  entries: Map<string, SuppressionFact[]>,
  stop: (facts: SuppressionFact[]) => SuppressionFact | null,
): Judged<Person> {
  if (entries.size === 0) return { people, suppressed: [] };
  const result: Judged<Person> = { people: [], suppressed: [] };
  for (const person of people) {
    const hit = stop(entries.get(person.email) ?? []);
    if (hit) result.suppressed.push(suppressedRow(frozen, person, hit));
    else result.people.push(person);
  }
  return result;
}

/** A recipient who gets nothing, and why. */
export function suppressedRow(
  { campaign, at }: Frozen,
  { contactId, email }: BlockRecipient,
  { groupId, reason }: NonNullable<Message['suppressedBy']>,
): Message {
  return {
    _id: recipientId(at, campaign._id, contactId),
    projectId: campaign.projectId,
    lane: 'campaign',
    state: states.suppressed,
    email,
    campaignId: campaign._id,
    contactId,
    ...taggedWith(campaign.tags),
    suppressedBy: { groupId, reason },
  };
}
