import type { ObjectId } from 'mongodb';
import { createCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import type { Campaign } from '../../../core/campaigns/model.ts';
import type { MessageState } from '../../../core/mail/ledger/states.ts';
import type { Child } from '../../../stack/processes/child.ts';
import { type DrillContext, origin, SENDER, withDrill } from '../../rig/context.ts';
import { watchCounts } from '../../rig/facts/watch-counts.ts';
import type { SinkClient, Stoppable } from '../../rig/sink.ts';
import { makeList } from '../../rig/traffic/people.ts';
import { until } from '../../rig/waiting.ts';
import { tally } from '../kills/worker-kill.ts';

export interface CampaignDrill {
  recipients: number;
  connections: number;
  ackMs: number;
  evidence: boolean;
  /** Does not wait until the leases of the killed are over: their time is set back instead. */
  hurry?: boolean;
  email?: (index: number) => string;
  /** The zone of each person. */
  homeOf?: (index: number) => string;
  /** Of the campaign; else it is sent now. */
  fields?: object;
  /** A sink of its own, unless given. */
  relay?: () => Promise<SinkClient & Stoppable>;
}

/** A campaign that is under way, and the means to disturb it. */
export interface CampaignUnderFire {
  context: DrillContext;
  campaign: Campaign;
  /** A process that runs everything a campaign needs, or what `lanes` says. */
  startWorker(lanes?: string, env?: Record<string, string>): Promise<Child>;
  /** Waits until more have arrived than before, so that the fault hits work. */
  untilMoving(): Promise<void>;
  /** Before a fault that leaves messages behind. */
  noteFault(): Promise<void>;
  /** Only while no process sends: one that runs goes by its own clock, and would send what others settle. */
  endLeases(): Promise<void>;
  untilSent(): Promise<void>;
}

export interface CampaignTally {
  recipients: number;
  faults: number;
  status: string;
  lost: number;
  duplicates: number;
  strangers: number;
  unknown: number;
  unknownAccepted: number;
  connectionsAtFaults: number;
  /** Looks at the ledger, all of which must add up. */
  samples: number;
  unbalanced: number;
  seconds: number;
}

const LANES = 'workflows,background,campaign';

/** Sends a campaign while `disturb` does its worst, then holds the sink's multiset of Message-IDs against the ledger. */
export function campaignUnderFire(
  env: NodeJS.ProcessEnv,
  drill: CampaignDrill,
  disturb: (fire: CampaignUnderFire) => Promise<void>,
): Promise<CampaignTally> {
  const { ackMs, relay, homeOf } = drill;
  return withDrill(env, { ackMs, relay }, async (context) => {
    const watch = { samples: 0, unbalanced: 0, faults: 0, connectionsAtFaults: 0 };
    if (homeOf)
      await context.deps.db.projects.updateOne({ _id: context.project._id }, { $set: { timezoneProperty: 'home' } });
    const personOf = (index: number) => ({
      email: drill.email?.(index) ?? `p${index}@in.test`,
      ...(homeOf ? { contactProperties: { home: homeOf(index) } } : {}),
    });
    const { listId } = await makeList(context, 'Drill', drill.recipients, personOf);
    const campaign = await launch(context, listId, drill.fields);
    const began = Date.now();
    const { _id, projectId } = campaign;
    const read = () => context.deps.db.campaigns.find({ _id, projectId }).toArray();
    const stopWatching = watchCounts(context, read, watch);
    try {
      await disturb(fireOf(context, campaign, drill, watch));
    } finally {
      await stopWatching();
    }
    const seconds = (Date.now() - began) / 1_000;
    const { status } = await readCampaign(context, _id);
    return { ...(await tally(context)), ...watch, recipients: drill.recipients, status, seconds };
  });
}

function fireOf(
  context: DrillContext,
  campaign: Campaign,
  { evidence, connections, hurry }: CampaignDrill,
  watch: { faults: number; connectionsAtFaults: number },
): CampaignUnderFire {
  const { deps, project, sink } = context;
  const arrived = async () => (await sink.stats()).messages;
  const of = { projectId: project._id, campaignId: campaign._id };
  const askNow = async (...states: MessageState[]) => {
    // The settlement of a mail names the date from which it was due, and must find it unchanged.
    const held = { ...of, state: { $in: states }, $expr: { $gt: ['$dueAt', '$$NOW'] } };
    await deps.db.messages.updateMany(held, [{ $set: { dueAt: '$$NOW' } }]);
  };
  const endLeases = async () => {
    await askNow('committing');
    await deps.db.campaignClaims.updateMany({ ...of, leaseUntil: { $exists: true } }, [
      { $set: { leaseUntil: '$$NOW' } },
    ]);
  };
  return {
    context,
    campaign,
    startWorker: (lanes = LANES, more = {}) =>
      context.startWorker({
        WORKER_LANES: lanes,
        SMTP_MAX_CONNECTIONS: String(connections),
        WORKER_PROCESSES: '1',
        ...(evidence ? { SMTP_EVIDENCE_URL: sink.evidenceUrl } : {}),
        ...more,
      }),
    async untilMoving() {
      const before = await arrived();
      const isMoving = async () =>
        (await arrived()) !== before || (await readCampaign(context, campaign._id)).status === 'sent';
      await until('mail arrives', isMoving, 60_000, 100);
    },
    async noteFault() {
      watch.faults += 1;
      watch.connectionsAtFaults += (await sink.stats()).connectionsOpen;
    },
    endLeases,
    async untilSent() {
      const isSent = async () => {
        if (hurry) await askNow('unknown');
        return (await readCampaign(context, campaign._id)).status === 'sent';
      };
      await until('the campaign is sent', isSent, 300_000, 100);
    },
  };
}

/** As it is now. */
export async function readCampaign({ deps, project }: DrillContext, _id: ObjectId): Promise<Campaign> {
  return (await deps.db.campaigns.findOne({ _id, projectId: project._id }))!;
}

async function launch({ deps, project }: DrillContext, listId: string, time: object = { sendNow: true }) {
  const fields = {
    name: 'Drill',
    subject: 'Hello {{firstName}}',
    htmlTemplate: '<p>Hello {{firstName}}, <a href="https://shop.example.com/">look</a>.</p>',
    from: { email: SENDER },
    toLists: [listId],
    ...time,
  };
  return (await createCampaign(deps, project, fields, origin())).campaign;
}
