import { repeatOnDuplicate } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { derivedId } from '../base/ids.ts';
import { countRequest } from '../base/limits/request-counts.ts';
import type { Project, Session } from '../base/model.ts';
import { DAY_MS, HOUR_MS } from '../base/time/durations.ts';
import { type DueOutcome, documentQueue, settled } from '../jobs/document-queue.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { insertWritten, type Written, wakeLanes, writtenOf } from '../mail/messages/messages.ts';
import { applyAgreements } from './apply-agreements.ts';
import { confirmationMail } from './confirmation-mail.ts';
import type { FormsDeps } from './deps.ts';
import type { Form, FormSubmission, PendingSubscription } from './model.ts';
import { firstEnd } from './pending.ts';
import { FORM_SUBMISSIONS, PENDING_MS } from './submit.ts';

const AT_ONCE_MAX = 8;
const LOOK_EVERY_MS = 1_000;
/** Of confirmation mails to one address, whatever the form: of a project, and of the installation. */
const MAILS_OF_PROJECT = [
  { most: 1, withinMs: HOUR_MS },
  { most: 3, withinMs: 7 * DAY_MS },
];
const MAILS_OF_INSTALLATION = [{ most: 10, withinMs: DAY_MS }];

/** Another process handled the submission. */
class Handled extends Error {}

/** Everything that depends on the address: the request that sent the form knows nothing of it. */
export function formSubmissions(deps: FormsDeps): JobQueue {
  return documentQueue<FormSubmission>(deps, {
    name: FORM_SUBMISSIONS,
    collection: deps.db.formSubmissions,
    field: 'dueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (submission) => handle(deps, submission),
  });
}

async function handle(deps: FormsDeps, submission: FormSubmission): Promise<DueOutcome> {
  const { projectId, agreement } = submission;
  const [project, form] = await Promise.all([
    deps.db.projects.findOne({ _id: projectId, deletedAt: null }),
    deps.db.forms.findOne({ _id: agreement.formId, projectId }),
  ]);
  if (!project || !form) await deps.db.formSubmissions.deleteOne({ _id: submission._id, projectId });
  else if (submission.doubleOptIn) await askForConfirmation(deps, project, form, submission);
  else await subscribe(deps, submission);
  return settled;
}

async function subscribe(deps: FormsDeps, submission: FormSubmission): Promise<void> {
  const { _id, projectId, email, agreement } = submission;
  const newId = derivedId(_id.getTimestamp(), 'contact of a form', _id.toHexString());
  const agreed = { projectId, email, agreements: [agreement], newId, confirmed: null };
  await applyAgreements(deps, agreed, (session) => remove(deps, session, submission)).catch(ignoringHandled);
}

/** The pending subscription, the counts and the mail are one transaction with the removal of the submission: each happens once. */
async function askForConfirmation(
  deps: FormsDeps,
  project: Project,
  form: Form,
  submission: FormSubmission,
): Promise<void> {
  const asked = await repeatOnDuplicate(() =>
    inTransaction(deps, async (session): Promise<Written | null> => {
      await remove(deps, session, submission);
      const pending = await addPending(deps, session, submission);
      if (!(await mayMail(deps, session, submission))) return null;
      const mailing = await confirmationMail(deps, { project, form, pending, submission });
      const written = mailing && writtenOf(deps, mailing);
      if (written) await insertWritten(deps, [written], session);
      return written;
    }),
  ).catch(ignoringHandled);
  if (asked) wakeLanes(deps, [asked]);
}

async function remove({ db }: FormsDeps, session: Session, { _id, projectId }: FormSubmission): Promise<void> {
  const { deletedCount } = await db.formSubmissions.deleteOne({ _id, projectId }, { session });
  if (deletedCount === 0) throw new Handled();
}

async function addPending(
  { db, clock }: FormsDeps,
  session: Session,
  { _id, projectId, email, agreement }: FormSubmission,
): Promise<PendingSubscription> {
  const { formId, language, askedAt } = agreement;
  const now = clock.now();
  const expiresAt = new Date(askedAt.getTime() + PENDING_MS);
  const last = { formId, language };
  const known = await db.pendingSubscriptions.findOne({ projectId, email }, { session });
  if (known) {
    const agreements = [...known.agreements.filter((one) => !one.formId.equals(formId)), agreement];
    const set = { ...last, agreements, expiresAt, dueAt: firstEnd(agreements) };
    const write = { $set: set, $inc: { revision: 1 } };
    await db.pendingSubscriptions.updateOne({ _id: known._id, projectId }, write, { session });
    return { ...known, ...set };
  }
  const pending: PendingSubscription = {
    ...{ _id, projectId, email, agreements: [agreement], revision: 0, confirmedAt: null, ...last },
    ...{ createdAt: now, expiresAt, dueAt: expiresAt },
  };
  await db.pendingSubscriptions.insertOne(pending, { session });
  return pending;
}

/** Of an address that a project has just mailed, the installation counts nothing. */
async function mayMail(deps: FormsDeps, session: Session, { projectId, email }: FormSubmission): Promise<boolean> {
  const purpose = 'confirmation mail';
  const ofProject = { purpose, who: `${projectId.toHexString()} ${email}`, limits: MAILS_OF_PROJECT };
  if (await countRequest(deps, ofProject, session)) return false;
  return (await countRequest(deps, { purpose, who: email, limits: MAILS_OF_INSTALLATION }, session)) === null;
}

function ignoringHandled(error: unknown): null {
  if (error instanceof Handled) return null;
  throw error;
}
