import { ATTACHMENT_BYTES_MAX, type batchMailBody } from '../../../schemas/mail/mails.ts';
import type { Described } from '../../../schemas/schema.ts';
import { AppError, type ErrorKind, invalid, isRefusal } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { queueMailings, refuseFullBacklog } from '../messages/messages.ts';
import { dropFetched } from './fetch-attachments.ts';
import { type MailOrigin, type SendInput, uuidOf } from './inputs.ts';
import { type DraftedSend, draftSend, messagesOf } from './send.ts';
import { fetchFiles, mailingOf, publishStored } from './store.ts';

interface BatchInput {
  /** A mail that fails its schema is the fault. */
  mails: ReadonlyArray<SendInput | AppError>;
  mode: Described<typeof batchMailBody>['mode'];
}

interface BatchSent {
  batchId: string;
  totalRecipients: number;
  successCount: number;
  failedCount: number;
  results: BatchResult[];
}

type BatchResult = { index: number; emailId: string } | { index: number; error: Refusal };
type Refusal = Pick<AppError, 'message'> & Partial<Pick<AppError, 'code' | 'details'>>;
type Made = ReturnType<typeof messagesOf>;

/** Each reads its template and its group. */
const DRAFTS_AT_ONCE = 20;
/** Faults of one mail. All others are of the call: the database is down, or too many mails wait. */
const REFUSALS: readonly ErrorKind[] = ['invalid', 'not_found', 'unprocessable'];

/** Different mails, each by the rules of POST /mails/send. Strict: one that is refused refuses all. */
export async function sendBatch(
  deps: MailDeps,
  project: Project,
  { mails, mode = 'strict' }: BatchInput,
  origin: MailOrigin,
): Promise<BatchSent> {
  const isStrict = mode === 'strict';
  const origins = mails.map((_, index) => ({
    ...origin,
    seed: derivedId(origin.at, 'batch', origin.seed.toHexString(), index),
  }));
  if (isStrict) refuseFirst(mails);
  const drafts = await draftAll(deps, project, mails, origins);
  if (isStrict) refuseFirst(drafts);
  checkAttachments(drafts);
  const batchId = uuidOf(origin);
  const made = await fetchAll(deps, drafts, await makeAll(deps, drafts, origins, batchId));
  try {
    if (isStrict) refuseFirst(made);
    await storeAll(deps, project, drafts, made, origin.at);
  } catch (error) {
    // After another fault the mails may be stored.
    if (isRefusal(error)) await dropAll(deps, drafts);
    throw error;
  }
  const accepted = made.flatMap((one) => (one instanceof AppError ? [] : one));
  return {
    batchId,
    totalRecipients: accepted.reduce((sum, { totalRecipients }) => sum + totalRecipients, 0),
    successCount: accepted.length,
    failedCount: mails.length - accepted.length,
    results: made.map((one, index) =>
      one instanceof AppError ? { index, error: shown(one) } : { index, emailId: one.emailId },
    ),
  };
}

async function draftAll(
  deps: MailDeps,
  project: Project,
  mails: BatchInput['mails'],
  origins: MailOrigin[],
): Promise<Array<DraftedSend | AppError>> {
  const drafts: Array<DraftedSend | AppError> = [];
  for (let start = 0; start < mails.length; start += DRAFTS_AT_ONCE) {
    const some = mails.slice(start, start + DRAFTS_AT_ONCE).map((mail, place) => {
      if (mail instanceof AppError) return mail;
      return draftSend(deps, project, mail, origins[start + place]!).catch(refusalOf);
    });
    drafts.push(...(await Promise.all(some)));
  }
  return drafts;
}

async function makeAll(
  deps: MailDeps,
  drafts: ReadonlyArray<DraftedSend | AppError>,
  origins: MailOrigin[],
  batchId: string,
): Promise<Array<Made | AppError>> {
  const pause = breather();
  const made: Array<Made | AppError> = [];
  for (const [index, draft] of drafts.entries()) {
    await pause();
    made.push(draft instanceof AppError ? draft : make(deps, draft, origins[index]!, batchId));
  }
  return made;
}

function make(deps: MailDeps, draft: DraftedSend, origin: MailOrigin, batchId: string): Made | AppError {
  try {
    return messagesOf(deps, draft, origin, { batchId });
  } catch (error) {
    return refusalOf(error);
  }
}

/** The files of mails that wait for a time. */
function fetchAll(
  deps: MailDeps,
  drafts: ReadonlyArray<DraftedSend | AppError>,
  made: ReadonlyArray<Made | AppError>,
): Promise<Array<Made | AppError>> {
  return Promise.all(
    made.map(async (one, index) => {
      const draft = drafts[index]!;
      if (one instanceof AppError || draft instanceof AppError) return one;
      return fetchFiles(deps, draft.draft).then(() => one, refusalOf);
    }),
  );
}

async function dropAll(deps: MailDeps, drafts: ReadonlyArray<DraftedSend | AppError>): Promise<void> {
  for (const one of drafts) if (!(one instanceof AppError)) await dropFetched(deps, one.draft.content);
}

/** In one transaction: a process that ends leaves all of them or none. */
async function storeAll(
  deps: MailDeps,
  project: Project,
  drafts: ReadonlyArray<DraftedSend | AppError>,
  made: ReadonlyArray<Made | AppError>,
  at: Date,
): Promise<void> {
  const mails = drafts.flatMap((draft, index) => {
    const one = made[index]!;
    return draft instanceof AppError || one instanceof AppError ? [] : [{ ...draft, ...one }];
  });
  if (mails.length === 0) return;
  const messages = mails.flatMap((mail) => mail.messages);
  for (const [lane, some] of Map.groupBy(messages, (message: Message) => message.lane))
    await refuseFullBacklog(deps, project._id, lane, some.length);
  await queueMailings(deps, await Promise.all(mails.map((mail) => mailingOf(deps, mail.draft, mail.messages))));
  await publishStored(deps, project._id, messages, at);
}

/** Those behind a URL are not part of the call. */
function checkAttachments(drafts: ReadonlyArray<DraftedSend | AppError>): void {
  const attachments = drafts.flatMap((one) => (one instanceof AppError ? [] : one.draft.attachments));
  const total = attachments.reduce((sum, { fileUrl, sizeBytes }) => sum + (fileUrl === null ? (sizeBytes ?? 0) : 0), 0);
  if (total > ATTACHMENT_BYTES_MAX)
    throw invalid(
      `The attachments of all mails together may have ${ATTACHMENT_BYTES_MAX / 1024 / 1024} MiB after decoding.`,
      `mails: must have ${ATTACHMENT_BYTES_MAX} bytes of attachments together at most`,
    );
}

function refusalOf(error: unknown): AppError {
  if (error instanceof AppError && REFUSALS.includes(error.kind)) return error;
  throw error;
}

/** With the place of the mail before each field. */
function refuseFirst(mails: readonly unknown[]): void {
  const index = mails.findIndex((one) => one instanceof AppError);
  if (index < 0) return;
  const { kind, message, code, details } = mails[index] as AppError;
  const place = `mails/${index}`;
  const fields = details?.split('; ').map((line) => `${place}/${line}`);
  throw new AppError(kind, `Nothing was queued, since mail ${index} is refused: ${message}`, {
    code,
    details: fields?.join('; ') ?? place,
  });
}

function shown({ message, code, details }: AppError): Refusal {
  return { message, ...(code ? { code } : {}), ...(details === undefined ? {} : { details }) };
}
