import { ObjectId } from 'mongodb';
import type { Content, Message } from '../../../core/mail/ledger/model.ts';
import { withContent } from '../../../core/mail/messages/content-retention.ts';
import type { DrillContext } from '../../rig/context.ts';

/** As POST /mails/bulk takes them: 100 recipients a call. */
const CALL_MAX = 100;
const CALLS_AT_ONCE = 20;

export type WaitingLane = 'transactional' | 'automation';

/** `dueAt`: of all of them, so that they begin together; else in turn, and in the past. */
export function putBacklog(drill: DrillContext, lane: WaitingLane, count: number, dueAt?: Date): Promise<void> {
  const dueAtOf = dueAt ? () => dueAt : inTurn(count);
  return lane === 'transactional' ? putSingle(drill, count, dueAtOf) : putBulk(drill, count, dueAtOf);
}

type DueAtOf = (index: number) => Date;

/** As POST /mails/send stores them: each with its content. */
async function putSingle(drill: DrillContext, count: number, dueAtOf: DueAtOf): Promise<void> {
  const { deps } = drill;
  const single = (index: number): Message => {
    const dueAt = dueAtOf(index);
    const content = { ...contentOf(drill, dueAt), marketing: false, data: { name: `N${index}` } };
    const { data: _data, ...message } = messageOf(content, index, dueAt);
    return withContent({ ...message, lane: 'transactional', subject: `Hello N${index}` }, content);
  };
  const at = CALL_MAX * CALLS_AT_ONCE;
  for (let from = 0; from < count; from += at) {
    const messages = Array.from({ length: Math.min(at, count - from) }, (_, index) => single(from + index));
    await deps.db.messages.insertMany(messages, { ordered: false });
  }
}

async function putBulk(drill: DrillContext, count: number, dueAtOf: DueAtOf): Promise<void> {
  const { deps } = drill;
  for (let from = 0; from < count; from += CALL_MAX * CALLS_AT_ONCE) {
    const contents: Content[] = [];
    const messages: Message[] = [];
    for (let start = from; start < Math.min(count, from + CALL_MAX * CALLS_AT_ONCE); start += CALL_MAX) {
      const dueAt = dueAtOf(start);
      const content = contentOf(drill, dueAt);
      contents.push(content);
      for (let index = start; index < Math.min(count, start + CALL_MAX); index += 1)
        messages.push(messageOf(content, index, dueAt));
    }
    await deps.db.contents.insertMany(contents);
    await deps.db.messages.insertMany(messages, { ordered: false });
  }
}

/** As they would be with a thousand a second. */
function inTurn(count: number): DueAtOf {
  const beganAt = Date.now() - 60_000 - count;
  return (index) => new Date(beganAt + index);
}

export async function removeBacklog({ deps, project }: DrillContext): Promise<void> {
  await deps.db.messages.deleteMany({ projectId: project._id });
  await deps.db.contents.deleteMany({ projectId: project._id });
}

function contentOf({ project, sender }: DrillContext, createdAt: Date): Content {
  const { _id: projectId } = project;
  const paragraph = '<p>Hello, this is a newsletter paragraph with some text in it to fill.</p>\n';
  const html = `<p>Hi {{name}}</p>${paragraph.repeat(20)}<a href="https://example.com/read">read on</a>`;
  const source = { templateId: null, subject: 'Hello {{name}}', previewText: '', html, text: null, data: {} };
  const people = { messageIds: [], from: { email: sender, name: null }, replyTo: null };
  const options = {
    marketing: true,
    groupId: null,
    bypassSuppressions: false,
    trackingClick: true,
    trackingOpen: true,
  };
  const _id = new ObjectId();
  return { _id, projectId, ...people, ...source, headers: {}, attachments: [], ...options, createdAt };
}

function messageOf({ _id: contentId, projectId }: Content, index: number, dueAt: Date): Message {
  const who = { email: `b${index}@in.test`, data: { name: `N${index}` } };
  return {
    _id: new ObjectId(),
    projectId,
    lane: 'automation',
    state: 'queued',
    ...who,
    contentId,
    createdAt: dueAt,
    dueAt,
  };
}
