import { ObjectId } from 'mongodb';
import { emptyCounts } from '../../../core/campaigns/definition/input.ts';
import type { Campaign } from '../../../core/campaigns/model.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import type { Engagement } from '../../../core/mail/messages/model.ts';
import type { Client } from '../../../test/support/client.ts';
import type { DrillContext } from '../../rig/context.ts';

const CAMPAIGNS = 10;
const PROVIDERS = ['gmail.com', 'outlook.com', 'yahoo.com', 'icloud.com', 'gmx.de', 'example.com', 'example.net'];
export const LINKS = 8;
const DAYS_APART = 6;
const DAY_MS = 86_400_000;
const WRITE_AT_ONCE = 5_000;

/** All mails of the project, counted while they are written. */
export interface Seeded {
  campaigns: string[];
  templateId: string;
  contactIds: ObjectId[];
  counts: { sent: number; delivered: number; bounced: number; opened: number; humanOpened: number; clicked: number };
  /** Mails in which the link was clicked, by campaign and position. */
  clickedLinks: Map<string, number[]>;
}

/** Ten campaigns to the same people, six days apart: of 100 mails two bounced, 30 were opened (20 by people) and five clicked. */
export async function seedCampaigns(drill: DrillContext, client: Client, mails: number): Promise<Seeded> {
  const { deps, project } = drill;
  const projectId = project._id;
  const people = mails / CAMPAIGNS;
  const contactIds = await writeContacts(drill, people);
  const link = (_: unknown, at: number) => `<p><a href="https://example.com/${at + 1}">${at}</a></p>`;
  const html = Array.from({ length: LINKS }, link).join('');
  const template = { templateName: 'News', subject: 'News', emailTemplate: html };
  const { id: templateId } = await create(client, '/templates', template);
  const seeded: Seeded = {
    ...{ campaigns: [], templateId, contactIds, clickedLinks: new Map() },
    counts: { sent: 0, delivered: 0, bounced: 0, opened: 0, humanOpened: 0, clicked: 0 },
  };
  for (let number = 0; number < CAMPAIGNS; number += 1) {
    const { id } = await create(client, '/campaigns', {
      ...{ name: `News ${number}`, subject: 'News', from: { email: 'news@mail.example.com' }, templateId },
      ...{ sendToGlobalList: true, publish: false },
    });
    const at = new Date(Date.now() - (CAMPAIGNS - number) * DAYS_APART * DAY_MS);
    const before = { ...seeded.counts };
    await writeMails(drill, seeded, { campaignId: new ObjectId(id), at });
    const did = (name: keyof Seeded['counts']) => seeded.counts[name] - before[name];
    const counts: Campaign['counts'] = {
      ...emptyCounts,
      ...{ totalContacts: people, sent: did('sent'), bounced: did('bounced') },
      ...{ opened: did('opened'), humanOpened: did('humanOpened'), clicked: did('clicked') },
    };
    const frozen = { total: people, inBlocks: people };
    const freeze = { at, run: new ObjectId(), written: people, isDone: true, frozen };
    const ended = { status: 'sent' as const, startedAt: at, sentAt: new Date(at.getTime() + 3_600_000) };
    await deps.db.campaigns.updateOne({ _id: new ObjectId(id), projectId }, { $set: { counts, freeze, ...ended } });
    await deps.db.campaignContents.insertOne({
      ...{ _id: new ObjectId(id), projectId, from: { email: 'news@mail.example.com', name: null }, replyTo: null },
      ...{ domainName: 'mail.example.com', subject: 'News', previewText: '', html, groupId: null, frozenAt: at },
      ...{ trackingClick: true, trackingOpen: true },
    });
    seeded.campaigns.push(id);
  }
  return seeded;
}

async function create(client: Client, path: string, body: object): Promise<{ id: string }> {
  const { status, text, body: answer } = await client.post(path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return answer.data;
}

async function writeContacts({ deps, project }: DrillContext, people: number): Promise<ObjectId[]> {
  const at = new Date(Date.now() - 90 * DAY_MS);
  const blank = { firstName: null, lastName: null, userId: null, mobile: null, contactProperties: {} };
  const ids: ObjectId[] = [];
  for (let from = 0; from < people; from += WRITE_AT_ONCE) {
    const contacts = Array.from({ length: Math.min(WRITE_AT_ONCE, people - from) }, (_, index) => ({
      ...{ _id: new ObjectId(), projectId: project._id, email: addressOf(from + index), ...blank },
      ...{ listIds: [], segmentIds: [], createdAt: at, updatedAt: at },
    }));
    await deps.db.contacts.insertMany(contacts, { ordered: false });
    ids.push(...contacts.map(({ _id }) => _id));
  }
  return ids;
}

function addressOf(index: number): string {
  return `p${index}@${PROVIDERS[index % PROVIDERS.length]}`;
}

async function writeMails(
  { deps, project }: DrillContext,
  { contactIds, counts, clickedLinks, campaigns }: Seeded,
  { campaignId, at }: { campaignId: ObjectId; at: Date },
): Promise<void> {
  const projectId = project._id;
  const number = campaigns.length;
  const byLink = Array.from({ length: LINKS }, () => 0);
  for (let from = 0; from < contactIds.length; from += WRITE_AT_ONCE) {
    const messages: Message[] = [];
    const engagements: Engagement[] = [];
    for (let seq = from; seq < Math.min(from + WRITE_AT_ONCE, contactIds.length); seq += 1) {
      const _id = new ObjectId();
      const isBounced = seq % 100 >= 98;
      const sentAt = new Date(at.getTime() + seq * 30);
      const endedAt = new Date(sentAt.getTime() + 5_000);
      messages.push({
        ...{ _id, projectId, campaignId, lane: 'campaign', email: addressOf(seq), contactId: contactIds[seq]!, seq },
        ...{ state: isBounced ? 'bounced' : 'sent', createdAt: at, sentAt, ...(isBounced ? { endedAt } : {}) },
        subject: 'News',
      });
      counts.sent += 1;
      counts[isBounced ? 'bounced' : 'delivered'] += 1;
      const turn = (seq + number * 7) % 100;
      if (isBounced || turn >= 30) continue;
      // Most within a day, the last after five.
      const openedAt = new Date(sentAt.getTime() + ((seq * 7_919) % 100) ** 2 * 43_200);
      const link = (seq % LINKS) + 1;
      const isClicked = turn < 5;
      engagements.push({
        ...{ _id, projectId, campaignId, openedAt, openCount: 1 },
        ...(turn < 20 ? { humanOpenedAt: openedAt } : {}),
        ...(isClicked ? clickOf(openedAt, sentAt, link) : {}),
      });
      counts.opened += 1;
      if (turn < 20) counts.humanOpened += 1;
      if (!isClicked) continue;
      counts.clicked += 1;
      byLink[link - 1]! += 1;
    }
    await deps.db.messages.insertMany(messages, { ordered: false });
    await deps.db.engagements.insertMany(engagements, { ordered: false });
  }
  clickedLinks.set(campaignId.toHexString(), byLink);
}

function clickOf(openedAt: Date, deliveredAt: Date, link: number): Partial<Engagement> {
  const at = new Date(openedAt.getTime() + 60_000);
  return {
    ...{ clickedAt: at, clickCount: 1, linkClicks: { [link]: 1 } },
    clicks: [{ at, deliveredAt, url: `https://example.com/${link}`, agent: 'Mozilla/5.0 Firefox/140.0', link }],
  };
}
