import { expect } from 'chai';
import type { ObjectId } from 'mongodb';
import PostalMime, { type Email } from 'postal-mime';
import { formSubmissions } from '../../core/forms/handle-submissions.ts';
import type { Form, PendingSubscription } from '../../core/forms/model.ts';
import { pendingSubscriptions } from '../../core/forms/pending.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { SHOWN_INPUT, STAMP_INPUT } from '../../schemas/forms.ts';
import { hurry, type Post, type PostOptions, startPost } from '../delivery/support.ts';
import type { Reply } from '../support/client.ts';
import { until } from '../support/wait.ts';

export const SITE = 'https://www.example.com';

export interface MadeForm {
  id: string;
  listId: string;
  path: string;
}

/** The API, the queues of forms and the mail lanes in this process. */
export class Desk {
  readonly post: Post;
  #queues: ReturnType<typeof startQueues> | null = null;
  #clients = 0;

  constructor(post: Post) {
    this.post = post;
    this.startJobs();
  }

  get environment() {
    return this.post.environment;
  }

  get db() {
    return this.environment.deps.db;
  }

  get own() {
    return this.post.own;
  }

  startJobs(): void {
    const { deps } = this.environment;
    this.#queues ??= startQueues(deps, [formSubmissions(deps), pendingSubscriptions(deps)]);
  }

  async stopJobs(): Promise<void> {
    await this.#queues?.stop();
    this.#queues = null;
  }

  async stop(): Promise<void> {
    await this.stopJobs();
    await this.post.stop();
  }

  async list(name = 'News'): Promise<string> {
    return (await this.own.client.post('/contact-lists', { name })).body.data.id;
  }

  async form(fields: Partial<Record<keyof Form, unknown>> = {}): Promise<MadeForm> {
    const listId = await this.list();
    const { status, text, body } = await this.own.client.post('/forms', { name: 'Form', listIds: [listId], ...fields });
    expect(status, text).to.equal(201);
    return { id: body.data.id, listId, path: `/f/${body.data.id}` };
  }

  /** Another client with each call, so that the limits of clients concern the tests of limits alone. */
  browser(headers: Record<string, string> = {}) {
    this.#clients += 1;
    const address = `198.51.${Math.floor(this.#clients / 250)}.${(this.#clients % 250) + 1}`;
    return this.environment.client(null, { 'X-Forwarded-For': address, ...headers });
  }

  /** The page of the form, as a browser showed it some seconds ago. */
  async shown({ path }: MadeForm, headers: Record<string, string> = {}, agoMs = 5_000) {
    const { clock } = this.environment;
    clock.advance(-agoMs);
    const page = await this.browser(headers).get(path);
    clock.advance(agoMs);
    expect(page.status, page.text).to.equal(200);
    return { page, stamp: hiddenIn(page.text, STAMP_INPUT) };
  }

  /** Fills the page in and sends it, as a browser does without JavaScript. */
  async send(form: MadeForm, values: Record<string, string>, headers: Record<string, string> = {}): Promise<Reply> {
    const { stamp } = await this.shown(form, headers);
    return this.sendRaw(form, { [STAMP_INPUT]: stamp, ...values }, { Origin: 'null', ...headers });
  }

  sendRaw({ path }: MadeForm, values: Record<string, string>, headers: Record<string, string> = {}): Promise<Reply> {
    return this.browser(headers).send('POST', path, {
      body: new URLSearchParams(values).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  sendJson({ path }: MadeForm, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.browser({ Origin: SITE, ...headers }).post(path, body);
  }

  /** The jobs of everything that was sent are done, whatever the clock of the test says. */
  async settled(): Promise<void> {
    await this.db.formSubmissions.updateMany({ dueAt: { $exists: true } }, [{ $set: { dueAt: '$$NOW' } }]);
    await until(
      () => this.db.formSubmissions.countDocuments({}),
      (count) => count === 0,
    );
  }

  pending(email: string): Promise<PendingSubscription | null> {
    return this.db.pendingSubscriptions.findOne({ projectId: this.own.project._id, email });
  }

  contact(email: string) {
    return this.db.contacts.findOne({ projectId: this.own.project._id, email });
  }

  messages(email: string) {
    return this.db.messages.find({ email }).sort({ _id: 1 }).toArray();
  }

  /** The mails that arrived for an address, once none is waiting. */
  async mails(email: string): Promise<Email[]> {
    await this.settled();
    await hurry(this.post, 'queued');
    const open = { email, state: { $in: ['queued', 'committing', 'deferred'] as never[] } };
    await until(
      () => this.db.messages.countDocuments(open),
      (count) => count === 0,
    );
    const mine = this.post.sink.ledger.messages.filter(({ to }) => to.includes(email));
    return Promise.all(mine.map(({ raw }) => PostalMime.parse(Buffer.from(raw ?? '', 'latin1'))));
  }

  /** The path of the link in the last mail to the address. */
  async link(email: string): Promise<string> {
    const mail = (await this.mails(email)).at(-1);
    const path = /\/f\/confirm\/[\w-]+/.exec(mail?.text ?? '')?.[0];
    expect(path, `the mail to ${email}`).to.be.a('string');
    return path as string;
  }

  /** Opens the page and presses its button. */
  async press(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.pressOn((await this.browser(headers).get(path)).text, path, headers);
  }

  /** Presses the button of a page that was opened before. */
  pressOn(page: string, path: string, headers: Record<string, string> = {}): Promise<Reply> {
    const shown = new RegExp(`name="${SHOWN_INPUT}" value="(\\d+)"`).exec(page)?.[1];
    return this.browser(headers).send('POST', path, {
      body: shown === undefined ? '' : `${SHOWN_INPUT}=${shown}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'null' },
    });
  }

  /** Sends the form and confirms. */
  async subscribe(form: MadeForm, values: Record<string, string>): Promise<void> {
    expect((await this.send(form, values)).status).to.equal(200);
    expect((await this.press(await this.link(values.email as string))).status).to.equal(200);
  }

  async suppress(email: string, reason: string, group: object = {}): Promise<void> {
    const body = { emails: [email], reason, ...group };
    expect((await this.own.client.post('/suppression-groups/emails/suppress', body)).status).to.equal(200);
  }

  async entriesOf(email: string): Promise<string[]> {
    const entries = await this.db.suppressions.find({ projectId: this.own.project._id, email }).toArray();
    return entries.map(({ isGlobal, isDefault, groupId, reason }) => {
      return `${isGlobal ? 'global' : isDefault ? 'default' : groupId} ${reason}`;
    });
  }

  listIds(contact: { listIds: ObjectId[] } | null): string[] {
    return contact?.listIds.map((id) => id.toHexString()) ?? [];
  }
}

export async function startDesk(options: PostOptions = {}): Promise<Desk> {
  return new Desk(await startPost({ ...options, env: { TRUSTED_PROXIES: '1', ...options.env } }));
}

/** The value of a hidden field. */
export function hiddenIn(html: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1];
  expect(value, name).to.be.a('string');
  return value as string;
}
