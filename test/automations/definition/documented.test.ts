import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { receivingDomain } from '../../feedback/support.ts';
import { useEnvironment } from '../../support/environment.ts';
import { created, makeSending, simple } from '../support.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');
const page = read('automations.md');
const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text as string);
const stepExamples = examples
  .map((text) => JSON.parse(text) as Array<{ type: string }> | object)
  .filter((shown) => Array.isArray(shown));
const { AutomationStepType, EntryType } = JSON.parse(read('openapi.json')).components.schemas;

describe('docs/automations.md', () => {
  const env = useEnvironment();
  before(() => makeSending(env.deps, env.own));

  it('shows steps and entries that can be activated as they are', async () => {
    const list = await created(env.own.client, '/contact-lists', { name: 'Welcomed' });
    const properties = [{ propertyName: 'amount', type: 'number' }];
    await created(env.own.client, '/events', { eventName: 'bought', properties });
    const form = await created(env.own.client, '/forms', { name: 'Welcome', listIds: [list.id] });
    const domainName = await receivingDomain(env, env.own);
    for (const text of examples) {
      const shown = JSON.parse(
        text.replaceAll('<listId>', list.id).replaceAll('<formId>', form.id).replaceAll('<domain>', domainName),
      );
      const given = Array.isArray(shown) ? { steps: shown } : { steps: simple.steps, entryCriteria: shown };
      const body = { name: 'As shown', active: true, ...given };
      const { status, body: answer } = await env.own.client.post('/automations', body);
      expect(status, `${text}\n${JSON.stringify(answer)}`).to.equal(201);
    }
  });

  it('has an example of each step, and a line for each entry', () => {
    const shown = stepExamples.flatMap((steps) => steps.map(({ type }) => type));
    expect(new Set(shown)).to.deep.equal(new Set(AutomationStepType.enum));
    const missing = EntryType.enum.filter((type: string) => !page.includes(`\`${type}\``));
    expect(missing).to.deep.equal([]);
  });
});
