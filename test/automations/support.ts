import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { createSender } from '../../core/domains/senders.ts';
import { createTemplate } from '../../core/templates/templates.ts';
import type { Client, Reply } from '../support/client.ts';
import type { Environment, Tenant } from '../support/environment.ts';

type Step = Record<string, unknown> & { type?: string; stepId?: string };
export const wait = (value = 0, unit = 'days', more: object = {}): Step => ({
  type: 'wait',
  delay: { value, unit },
  ...more,
});
export const email = (name: string, more: object = {}): Step => ({
  type: 'email',
  stepId: name,
  email: { htmlTemplate: `<p>${name}</p>`, subject: name },
  ...more,
});
export const filter = (field: string, operator: string, value?: unknown, more: object = {}) => ({
  logicalOperator: 'AND',
  groups: [{ field, operator, ...(value === undefined ? {} : { value }), ...more }],
});

/** Two days, then a mail. */
export const simple = { name: 'Welcome', steps: [wait(2), email('welcome')] };

/** A project that can send: a verified domain, a sender and a template. */
export async function makeSending(deps: Deps, { project }: Tenant) {
  const origin = () => ({ at: deps.clock.now(), seed: project._id });
  await seedVerifiedDomain(deps, project, `${project._id.toHexString()}.test`, new ObjectId());
  const sender = await createSender(
    deps,
    project,
    { email: `news@${project._id.toHexString()}.test`, name: 'News' },
    origin(),
  );
  const template = await createTemplate(
    deps,
    project,
    { templateName: 'Hello', emailTemplate: '<p>Hello {{firstName}}</p>', subject: 'Hello {{firstName}}' },
    origin(),
  );
  return { sender, template };
}

export async function created(client: Client, path: string, body: object): Promise<Reply['body']> {
  const reply = await client.post(path, body);
  expect(reply.status, reply.text).to.equal(201);
  return reply.body.data;
}

export async function activeAutomation(client: Client, body: object): Promise<Reply['body']> {
  const automation = await created(client, '/automations', { ...simple, active: true, ...body });
  expect(automation.status).to.equal('active');
  return automation;
}

/** The error of an answer. */
export function refusal(reply: Reply): { status: number; code: string; details: string } {
  expect(reply.body.success, reply.text).to.equal(false);
  return { status: reply.status, code: reply.body.error.code, details: reply.body.error.details };
}

export function enrollmentsOf({ own }: Environment, automationId: string, query = ''): Promise<Reply['body']> {
  return own.client
    .get(`/automations/${automationId}/enrollments${query}`)
    .then((reply) => reply.body.data.enrollments);
}
