import { expect } from 'chai';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { done, publishFrench } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';
import { peopleInside } from '../people.ts';
import { activeAutomation, email, makeSending, wait } from '../support.ts';

const DAY_MS = 86_400_000;

describe('A step whose template is in several languages', () => {
  const environment = useEnvironment();
  before(() => makeSending(environment.deps, environment.own));

  it('sends and shows each person the one that they read, by the property that the project names', async () => {
    const { deps, own } = environment;
    const { client, project } = own;
    const admin = environment.client(own.adminKey);
    await done(admin.patch(`/account/projects/${project._id}`, { languageProperty: 'speaks' }));
    const given = { templateName: 'Hello', subject: 'Hello', emailTemplate: '<p>Hello {{unsubscribe}}</p>' };
    const { templateId } = await done(client.post('/templates', given));
    const french = { subject: 'Bonjour', emailTemplate: '<p>Bonjour {{unsubscribe}}</p>' };
    await publishFrench(client, templateId, french);
    const named = { stepId: 'named', email: { templateId } };
    const ours = { stepId: 'own', email: { templateId, subject: 'Ours' } };
    const { id } = await activeAutomation(client, {
      steps: [wait(1, 'days', { stepId: 'first' }), email('named', named), wait(1), email('own', ours)],
    });
    const people = await peopleInside(environment, id, 2);
    const [reader] = people;
    await deps.db.contacts.updateOne(
      { _id: reader!.contactId, projectId: project._id },
      { $set: { 'contactProperties.speaks': 'fr-CH' } },
    );
    let nowMs = environment.clock.now().getTime();
    for (let round = 0; round < 4; round += 1) {
      nowMs += 2 * DAY_MS;
      environment.clock.set(new Date(nowMs));
      for (const { _id } of people) await advanceEnrollment(deps, { projectId: project._id, enrollmentId: _id }, nowMs);
    }
    const { emails } = await done(client.get(`/emails?automationId=${id}&limit=100`));
    const lines = await Promise.all(
      emails.map(async ({ id: emailId, contactId, subject }: Record<string, string>) => {
        const { html } = await done(client.get(`/emails/${emailId}/content`));
        const body = /<p>(\w+)/.exec(html)?.[1];
        return `${contactId === String(reader!.contactId) ? 'reader' : 'other'}: ${subject}, ${body}`;
      }),
    );
    expect(lines.sort()).to.deep.equal([
      ...['other: Hello, Hello', 'other: Ours, Hello', 'reader: Bonjour, Bonjour', 'reader: Ours, Bonjour'],
    ]);
    const shown = await done(
      client.post(`/automations/${id}/simulate`, { contact: { contactId: String(reader!.contactId) }, preview: 0 }),
    );
    expect(shown.preview.subject).to.equal('Bonjour');
  });
});
