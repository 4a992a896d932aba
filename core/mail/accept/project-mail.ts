import type { ObjectId } from 'mongodb';
import { derivedId } from '../../base/ids.ts';
import type { Mailbox, Project } from '../../base/model.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { newContent } from '../messages/contents.ts';
import { dueAtOnce, type Mailing } from '../messages/messages.ts';
import { type Bodies, sealBodies } from '../messages/sealed-content.ts';

/** A mail that the project sends to a person by itself: a confirmation, a link to their data. */
export interface ProjectMail extends Bodies {
  /** The document that is the cause of the mail: a repeat is the same mail. */
  seed: ObjectId;
  to: string;
  subject: string;
  /** Only entries with BOUNCE, COMPLAINT and MANUAL stop it. */
  passesUnsubscribe: boolean;
}

type From = Pick<Project, '_id' | 'name' | 'publicName' | 'publicFrom'>;

const SUBJECT_MAX = 998;

/**
 * One transactional mail, without tracking and outside of templates: braces are ordinary text. Its bodies are sealed until it is composed,
 * since they hold a secret link. Callers write it in a transaction of theirs. null: the project has no verified domain to send from.
 */
export async function projectMailing(
  deps: MailDeps,
  project: From,
  { seed, to, subject, html, text, passesUnsubscribe }: ProjectMail,
): Promise<Mailing | null> {
  const from = await publicSender(deps, project);
  if (!from) {
    deps.log.warn({ projectId: project._id }, 'a mail of the project was not sent: it has no verified domain');
    return null;
  }
  const { _id: projectId } = project;
  const createdAt = deps.clock.now();
  const idOf = (kind: string) => derivedId(seed.getTimestamp(), kind, projectId.toHexString(), seed.toHexString());
  const message: Message = {
    _id: idOf('project mail'),
    projectId,
    lane: 'transactional',
    state: states.queued,
    email: to,
    contentId: idOf('project mail content'),
    subject: subject.slice(0, SUBJECT_MAX),
    createdAt,
    dueAt: dueAtOnce(deps),
  };
  const content = newContent({
    _id: message.contentId as ObjectId,
    projectId,
    messageIds: [message._id],
    from,
    subject: message.subject as string,
    verbatim: true,
    sealed: sealBodies(deps.config, message.contentId as ObjectId, { html, text }),
    ...(passesUnsubscribe ? { passesUnsubscribe } : {}),
    createdAt,
  });
  return { content, messages: [message] };
}

/** The address that the project names, or no-reply@ its first verified domain; one without records in DNS is the last choice. */
async function publicSender(
  { db }: Pick<MailDeps, 'db'>,
  { _id: projectId, name, publicName = name, publicFrom }: From,
): Promise<Mailbox | null> {
  if (publicFrom) return publicFrom;
  const [first] = await db.domains
    .find({ projectId, verificationStatus: 'VERIFIED' }, { projection: { domainName: 1 }, hint: 'domain_name' })
    .sort({ seeded: 1, _id: 1 })
    .limit(1)
    .toArray();
  return first ? { email: `no-reply@${first.domainName}`, name: publicName } : null;
}
