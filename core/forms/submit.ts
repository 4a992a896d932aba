import { ObjectId } from 'mongodb';
import { countRequest, tooManyRequests } from '../base/limits/request-counts.ts';
import { networkOf } from '../base/text/networks.ts';
import { DAY_MS, HOUR_MS } from '../base/time/durations.ts';
import { networkAddressFor } from '../consent/consents/record.ts';
import { wakeQueue } from '../jobs/queue.ts';
import { dueAtOnce } from '../mail/messages/messages.ts';
import { projectRulesOf } from '../people/project-rules.ts';
import type { FormsDeps } from './deps.ts';
import type { FormSubmission } from './model.ts';
import { type Fault, readValues, type Sent } from './read-values.ts';
import { consentVersion, type ShownForm } from './shown-form.ts';
import { readStamp, type Stamp } from './tokens.ts';

export const FORM_SUBMISSIONS = 'form-submissions';
/** The time within which a subscription must be confirmed; what was sent is kept no longer. */
export const PENDING_MS = 7 * DAY_MS;

/** A person needs longer to fill in a form. */
export const SHOWN_AT_LEAST_MS = 2_000;
const SHOWN_AT_MOST_MS = 7 * DAY_MS;
/** An hour, of one client: pages of ours, and sites that send the form by themselves, without a stamp. */
export const FORMS_PER_CLIENT = { page: 60, site: 20 };

export interface Submission extends Sent {
  /** null: a page of an allowed origin sent the form, which has none. */
  stamp: string | null;
  honeypot: string;
  ip: string;
}

/**
 * stored: also when nothing was stored, since it was sent by a robot. faults: the person must correct it. changed: the person agreed to
 * a sentence that the form does not have any more, or has had the page open for days. early: it came sooner than most people write, and is
 * shown again, since a browser that fills in forms by itself is as quick as a robot.
 */
export type Submitted = { kind: 'stored' } | { kind: 'faults'; faults: Fault[] } | { kind: 'changed' | 'early' };

/** Writes one document, whatever is known about the address: the job does the rest. 429 over the limit of a client. */
export async function submitForm(deps: FormsDeps, shown: ShownForm, sent: Submission): Promise<Submitted> {
  if (sent.honeypot !== '') return { kind: 'stored' };
  const { form } = shown;
  const read = readValues(form, await projectRulesOf(deps, form.projectId), sent);
  if (!read.ok) return { kind: 'faults', faults: read.faults };
  if (sent.stamp !== null) {
    const stamp = readStamp(deps.config, sent.stamp);
    if (!stamp) return { kind: 'stored' };
    if (isTooFast(deps, stamp)) return { kind: 'early' };
    if (isOutdated(deps, shown, stamp)) return { kind: 'changed' };
  }
  await limitClient(deps, sent);
  await store(deps, shown, sent, read);
  return { kind: 'stored' };
}

function isTooFast({ clock }: FormsDeps, { shownAt }: Stamp): boolean {
  return clock.now().getTime() - shownAt.getTime() < SHOWN_AT_LEAST_MS;
}

function isOutdated({ clock }: FormsDeps, shown: ShownForm, { formId, shownAt, textVersion }: Stamp): boolean {
  const isOld = clock.now().getTime() - shownAt.getTime() > SHOWN_AT_MOST_MS;
  return isOld || !formId.equals(shown.form._id) || textVersion !== consentVersion(shown);
}

async function limitClient(deps: FormsDeps, { ip, stamp }: Submission): Promise<void> {
  const kind = stamp === null ? 'site' : 'page';
  const limits = [{ most: FORMS_PER_CLIENT[kind], withinMs: HOUR_MS }];
  const freeAt = await countRequest(deps, { purpose: `form of a ${kind}`, who: networkOf(ip), limits });
  if (freeAt) throw tooManyRequests('Too many forms came from this client', freeAt, deps.clock.now());
}

async function store(
  deps: FormsDeps,
  { form, project, language, words }: ShownForm,
  { ip }: Submission,
  { email, fields }: { email: string; fields: FormSubmission['agreement']['fields'] },
): Promise<void> {
  const createdAt = deps.clock.now();
  const { _id: formId, projectId, listIds, unsubscribeGroupIds: groupIds, doubleOptIn } = form;
  await deps.db.formSubmissions.insertOne({
    _id: new ObjectId(),
    projectId,
    email,
    agreement: {
      ...{ formId, listIds, groupIds, fields, consent: words.consent, language, askedAt: createdAt },
      // A confirmation has the address of the person who confirms.
      networkAddress: doubleOptIn ? null : networkAddressFor(project, ip),
    },
    doubleOptIn,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + PENDING_MS),
    dueAt: dueAtOnce(deps),
  });
  wakeQueue(deps, FORM_SUBMISSIONS, projectId);
}
