import type { ObjectId } from 'mongodb';
import { AppError } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import type { Project, Session } from '../base/model.ts';
import { DEFAULT_LANGUAGE, type Language, languageOfTag } from '../base/text/languages/index.ts';
import { networkAddressFor } from '../consent/consents/record.ts';
import { builtInGroup } from '../consent/suppressions/built-in-groups.ts';
import { findGroup } from '../consent/suppressions/find-groups.ts';
import type { SuppressionGroup } from '../consent/suppressions/model.ts';
import { type TurnedOn, takeBackUnsubscribes } from '../consent/suppressions/suppressions.ts';
import { applyAgreements } from './apply-agreements.ts';
import type { FormsDeps } from './deps.ts';
import type { Agreement, Form, FormField, PendingSubscription } from './model.ts';
import { liveAgreements } from './pending.ts';
import { readConfirmToken } from './tokens.ts';

/** The page behind the link of a confirmation mail. */
export interface ShownPending {
  project: Project;
  /** null: it was deleted since. */
  form: Form | null;
  language: Language;
  state:
    | { kind: 'waiting'; pending: PendingSubscription; email: string; agreements: Agreement[]; values: ShownValue[] }
    /** Nothing else of it is kept. */
    | { kind: 'confirmed' };
}

/** A value that was typed, with the label of its field. */
interface ShownValue {
  label: string;
  value: string;
}

export interface Pressed {
  shown: ShownPending;
  /** Something was added or changed since the page was shown: nothing is confirmed, and the page is to be shown again. */
  isChanged: boolean;
}

/** The pending subscription changed after it was read. */
class Changed extends Error {}

const TRIES_MAX = 10;

/** null: the link is not one of ours, or nothing waits any more. Changes nothing. */
export async function findPending(deps: FormsDeps, token: string): Promise<ShownPending | null> {
  const ref = readConfirmToken(deps.config, token);
  if (!ref) return null;
  const { projectId } = ref;
  const [project, pending] = await Promise.all([
    deps.db.projects.findOne({ _id: projectId, deletedAt: null }),
    deps.db.pendingSubscriptions.findOne({ _id: ref.pendingId, projectId }),
  ]);
  if (!project || !pending || pending.expiresAt <= deps.clock.now()) return null;
  const form = await deps.db.forms.findOne({ _id: pending.formId, projectId });
  const shown = { project, form, language: languageOfTag(pending.language) ?? DEFAULT_LANGUAGE };
  const { email } = pending;
  if (email === undefined) return { ...shown, state: { kind: 'confirmed' } };
  const agreements = liveAgreements(deps, pending);
  if (agreements.length === 0) return null;
  const values = await valuesOf(deps, projectId, agreements);
  return { ...shown, state: { kind: 'waiting', pending, email, agreements, values } };
}

/** As a confirmation sets them: of each field the value of the last form. */
async function valuesOf({ db }: FormsDeps, projectId: ObjectId, agreements: Agreement[]): Promise<ShownValue[]> {
  const ids = { $in: agreements.map(({ formId }) => formId) };
  const forms = await db.forms.find({ projectId, _id: ids }, { projection: { fields: 1 }, hint: '_id_' }).toArray();
  const fieldsOf = new Map<string, FormField[]>(forms.map(({ _id, fields }) => [_id.toHexString(), fields]));
  const values = new Map<string, ShownValue>();
  for (const { formId, fields } of agreements.toSorted((a, b) => a.askedAt.getTime() - b.askedAt.getTime()))
    for (const [name, value] of Object.entries(fields)) {
      const field = fieldsOf.get(formId.toHexString())?.find((one) => one.name === name);
      values.set(name, { label: field?.label ?? name, value: String(value) });
    }
  return [...values.values()];
}

/** Confirms what the page showed, which is everything that waits for the address. Confirming again is harmless; null as above. */
export async function confirmPending(
  deps: FormsDeps,
  token: string,
  { revision, ip }: { revision: number | null; ip: string },
): Promise<Pressed | null> {
  for (let tries = 1; ; tries += 1) {
    const shown = await findPending(deps, token);
    if (!shown) return null;
    if (shown.state.kind === 'confirmed') return { shown, isChanged: false };
    if (shown.state.pending.revision !== revision) return { shown, isChanged: true };
    try {
      await confirm(deps, shown.project, shown.state, ip);
      return { shown: { ...shown, state: { kind: 'confirmed' } }, isChanged: false };
    } catch (error) {
      const isNews = error instanceof Changed || (error instanceof AppError && error.kind === 'not_found');
      if (!isNews || tries >= TRIES_MAX) throw error;
    }
  }
}

async function confirm(
  deps: FormsDeps,
  project: Project,
  { pending, email, agreements }: Extract<ShownPending['state'], { kind: 'waiting' }>,
  ip: string,
): Promise<void> {
  const { _id, projectId } = pending;
  const at = deps.clock.now();
  const turnedOn = await turnedOnBy(deps, project, agreements);
  const newId = derivedId(_id.getTimestamp(), 'contact of a form', _id.toHexString());
  const confirmed = { at, networkAddress: networkAddressFor(project, ip) };
  await applyAgreements(deps, { projectId, email, agreements, newId, confirmed }, async (session) => {
    await claim(deps, session, pending, at);
    await takeBackUnsubscribes(deps, session, turnedOn, email);
  });
}

/** Of two confirmations one comes through, and its page showed everything that waits. */
async function claim(
  { db }: FormsDeps,
  session: Session,
  { _id, projectId, revision }: PendingSubscription,
  confirmedAt: Date,
): Promise<void> {
  const { matchedCount } = await db.pendingSubscriptions.updateOne(
    { _id, projectId, revision, confirmedAt: null },
    { $set: { confirmedAt, agreements: [] }, $unset: { email: '', dueAt: '' } },
    { session },
  );
  if (matchedCount === 0) throw new Changed();
}

/**
 * A person who turned everything off gets mail of the groups that the form names, and no other; a form without groups turns on mail
 * that names none. A group that was deleted since is left out.
 */
async function turnedOnBy(deps: FormsDeps, project: Project, agreements: Agreement[]): Promise<TurnedOn> {
  const codes = [...new Set(agreements.flatMap(({ groupIds }) => groupIds))];
  const found = await Promise.all(codes.map((code) => groupOrNull(deps, project, code)));
  const named = found.filter((group) => group !== null);
  const ofDefault = await builtInGroup(deps, project, 'default');
  const all = [ofDefault, await builtInGroup(deps, project, 'global'), ...named];
  const isWithoutGroups = agreements.some(({ groupIds }) => groupIds.length === 0);
  return {
    groups: [...new Map(all.map((group) => [group.groupId, group])).values()],
    exceptGroupIds: [...named, ...(isWithoutGroups ? [ofDefault] : [])].map(({ groupId }) => groupId),
    marketing: await builtInGroup(deps, project, 'marketing'),
  };
}

async function groupOrNull(
  deps: FormsDeps,
  project: { _id: ObjectId },
  code: string,
): Promise<SuppressionGroup | null> {
  return findGroup(deps, project, code).catch((error) => {
    if (error instanceof AppError && error.kind === 'not_found') return null;
    throw error;
  });
}
