import type { Campaign, VariantId } from '../../../core/campaigns/model.ts';
import { holdOutOf } from '../../../core/campaigns/variants/hold-out.ts';
import { variantAt } from '../../../core/campaigns/variants/places.ts';
import type { DrillContext } from '../../rig/context.ts';
import { messageIdOf } from '../../rig/facts/facts.ts';
import type { AcceptedMail } from '../../rig/sink.ts';

/** Each variant has a subject of its own, by which its mails are known at the relay. */
export const subjectOf = (id: VariantId) => `Mail ${id}`;

export interface SplitFacts {
  /** People of the test. */
  tested: number;
  /** The same by variant: by the mail that they got, or by their place where the outcome is unknown. */
  parts: number[];
  holdOut: number;
  /** Suppressed before the freeze, and not in the hold-out: its people are in no count. */
  suppressed: number;
  /** How far the test, or a part of it, is from its share, in people. */
  off: number;
  /** People of the audience who are neither in the campaign nor in its hold-out, or in both. */
  misplaced: number;
  /** Mails to people who were to get none. */
  uninvited: number;
  /** People with two mails, or with mails of two variants. */
  twice: number;
  /** People with another variant than their place has, or, outside the test, than the winner. */
  wrongMail: number;
}

interface Person {
  seq: number;
  mails: VariantId[];
}

/** The mails that each person got, by what the relay has. */
export async function readSplit(
  { deps }: DrillContext,
  campaign: Campaign,
  { listed, suppressed, mails }: { listed: readonly string[]; suppressed: readonly string[]; mails: AcceptedMail[] },
): Promise<SplitFacts> {
  const { _id, projectId, freeze } = campaign;
  const rows = await deps.db.messages.find({ projectId, campaignId: _id }).toArray();
  const people = new Map<string, Person>();
  const byMail = new Map<string, Person>();
  for (const { _id: messageId, contactId, seq = 0 } of rows) {
    const person = { seq, mails: [] };
    people.set(String(contactId), person);
    byMail.set(messageIdOf(messageId.toHexString()), person);
  }
  for (const { messageId, raw } of mails) byMail.get(messageId)?.mails.push(variantIn(raw));
  const isHeldOut = holdOutOf(_id, campaign.holdOutShare ?? 0);
  const contacts = await deps.db.contacts.find({ projectId }, { projection: { email: 1 } }).toArray();
  const invited = new Set(listed);
  const audience = contacts.filter((contact) => invited.has(contact.email));
  const held = audience.filter((contact) => isHeldOut(contact._id));
  const addresses = new Set(held.map(({ email }) => email));
  const wrongly = audience.filter((contact) => people.has(contact._id.toHexString()) === isHeldOut(contact._id));
  const all = [...people.values()];
  const tested = freeze?.tested ?? 0;
  const placed = variantAt(campaign);
  const parts = partsOf(campaign, all);
  return {
    ...{ tested, parts, holdOut: held.length },
    suppressed: suppressed.filter((email) => !addresses.has(email)).length,
    off: distance(campaign, parts),
    misplaced: wrongly.length + Math.abs((freeze?.holdOut ?? 0) - held.length),
    uninvited:
      mails.filter(({ to }) => to.some((email) => addresses.has(email))).length +
      all.filter(({ seq, mails: got }) => seq < 1 && got.length > 0).length,
    twice: all.filter(({ mails: got }) => got.length > 1).length,
    wrongMail: all.filter(({ seq, mails: got }) => got.some((id) => id !== placed(seq))).length,
  };
}

function variantIn(raw: string): VariantId {
  return (/^Subject: Mail (\w)/m.exec(raw)?.[1] ?? '') as VariantId;
}

function partsOf(campaign: Campaign, people: readonly Person[]): number[] {
  const placed = variantAt(campaign);
  const inTest = people.filter(({ seq }) => seq >= 1 && seq <= (campaign.freeze?.tested ?? 0));
  const got = inTest.map(({ seq, mails }) => mails[0] ?? placed(seq));
  return (campaign.variants ?? []).map(({ id }) => got.filter((one) => one === id).length);
}

function distance({ freeze, test }: Campaign, parts: readonly number[]): number {
  const [size, tested] = [freeze?.frozen?.inBlocks ?? 0, freeze?.tested ?? 0];
  const ofTest = Math.abs(tested - (size * (test?.share ?? 0)) / 100);
  return Math.max(ofTest, ...parts.map((part) => Math.abs(part - tested / parts.length)));
}
