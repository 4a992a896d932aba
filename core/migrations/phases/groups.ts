import { eachItem, type ItemOutcome, wantedOf } from '../progress/each-item.ts';
import type { PhaseRun } from '../progress/progress.ts';
import type { SourceA, SourceB, SourceGroup } from '../source.ts';
import { makeGroup, suppressAddresses } from '../target.ts';

/** A group comes with its addresses: both are written, or the group is repeated. */
export async function unsubscribeGroups(run: PhaseRun, source: SourceA): Promise<boolean> {
  const { groupIds } = run.migration.selection;
  if (groupIds?.length === 0) return false;
  await eachItem(run, wantedOf(await source.listGroups(), groupIds), (group) => migrateGroup(run, source, group));
  return true;
}

async function migrateGroup(run: PhaseRun, source: SourceA, found: SourceGroup): Promise<ItemOutcome> {
  const { deps, migration } = run;
  const { status, group } = await makeGroup(deps, migration, found);
  const addresses = await source.listGroupAddresses(found);
  const { suppressed, invalid } = await suppressAddresses(deps, migration, group.groupId, addresses);
  const review = invalid.length > 0 ? [`${invalid.length} entries are no email addresses and were left out`] : [];
  const unread = found.suppressedCount - addresses.length;
  if (unread > 0)
    review.push(`the source counts ${found.suppressedCount} addresses, of which ${unread} could not be read`);
  return { status, review, counts: { addresses: suppressed, invalidAddresses: invalid.length } };
}

/** The followers of a topic cannot be read from the source, so its group starts empty. */
export async function topics(run: PhaseRun, source: SourceB): Promise<boolean> {
  const { deps, migration } = run;
  const { topicIds } = migration.selection;
  if (topicIds?.length === 0) return false;
  await eachItem(run, wantedOf(await source.listTopics(), topicIds), async (topic) => {
    const { status } = await makeGroup(deps, migration, topic);
    return { status };
  });
  return true;
}
