import { SEARCHED_LENGTH_MAX } from '../../core/people/filters/model.ts';
import { PROPERTY_TEXT_MAX } from '../../schemas/people/contacts.ts';
import type { Case, Threads } from './judge.ts';
import { newActor, type Stage, send } from './stage.ts';

const MIB = 1_048_576;
const BESIDE: Threads = { kinds: ['jsonBody'], bytes: MIB };
const STEPS = 200;
const BRANCHES = 20;
const FOUND = {
  'question marks in a link': (length: number) => `<a href="https://x.test/${'?'.repeat(length)}{{x}}">x</a>`,
  'spaces in a link': (length: number) => `<a href="https://x.test/${' '.repeat(length)}x">x</a>`,
  'spaces in a text': (length: number) => `<pre>${' '.repeat(length)}x</pre>`,
  'unclosed links': (length: number) => `{{x}}${'<a '.repeat(length / 3)}`,
  'spaces before a link': (length: number) => `{{x}}<a href=${' '.repeat(length)}x>`,
  'unquoted values': (length: number) => `{{x}}${'<a b='.repeat(length / 5)}`,
  'an unquoted value': (length: number) => `<a b=${'c'.repeat(length)}{{x}}>`,
  'open elements': (length: number) => '<b>'.repeat(Math.min(49_000, length / 3)),
  'deep lists': (length: number) => '<ul><li>'.repeat(Math.min(24_000, length / 8)),
  'open comments': (length: number) => '<!-- '.repeat(length / 5),
};

/** Inputs that were slow once, in their slow form: HTML, numbers and searched texts. */
export function corpus(stage: Stage): Case[] {
  const { environment } = stage;
  const post = (path: string, body: object) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const { projectKey } = environment.own;
    return () => send(environment, { method: 'post', path: `/v1${path}`, key: projectKey, body: bytes });
  };
  const html = Object.entries(FOUND).flatMap(([what, make]) => [
    {
      name: `a template with ${what}`,
      threads: BESIDE,
      prepare: async (part: number, serial: string) =>
        post('/templates', { templateName: serial, emailTemplate: serial + make(0.95 * MIB * part) }),
    },
    {
      name: `a preview with ${what}`,
      threads: BESIDE,
      prepare: async (part: number, serial: string) =>
        post('/templates/preview', { emailTemplate: serial + make(0.95 * MIB * part) }),
    },
  ]);
  const digits = (part: number, serial: string) => `${'1'.repeat(0.95 * MIB * part)}x${serial}`;
  return [
    ...html,
    {
      name: 'digits in a filter',
      threads: BESIDE,
      async prepare(part, serial) {
        const group = { field: 'contactProperties.age', operator: 'greater_than', fieldType: 'number' };
        const filterCriteria = { logicalOperator: 'AND', groups: [{ ...group, value: digits(part, serial) }] };
        return post('/contact-lists/preview', { filterCriteria });
      },
    },
    {
      name: 'an address of one letter',
      threads: BESIDE,
      prepare: async (part, serial) => post('/contacts/email', { email: `${'a@'.repeat((MIB * part) / 3)}${serial}` }),
    },
    {
      name: 'an automation of branches that each merge into the next',
      threads: BESIDE,
      prepare: async (part, serial) => post('/automations', { name: serial, steps: mergingBranches(STEPS * part) }),
    },
    searching(stage),
  ];
}

/** As many steps and branches as there may be; whether each branch reaches its merge step was followed for each of them once. */
function mergingBranches(count: number): object[] {
  const last = count - 2;
  const forks = Array.from({ length: last }, (_, at) => {
    const next = at + 1 < last ? `s${at + 1}` : 'wait';
    const branches = Array.from({ length: BRANCHES }, (_each, branch) => ({
      branchId: `b${branch}`,
      mergeStepId: next,
    }));
    return { type: 'branch', stepId: `s${at}`, nextStepId: next, branches };
  });
  return [
    ...forks,
    { type: 'wait', stepId: 'wait', delay: { value: 1, unit: 'days' } },
    { type: 'email', stepId: 'mail', email: { htmlTemplate: 'x', subject: 'x' } },
  ];
}

/** Contacts are changed in a project whose segments and automations search as much as they may, and almost find it everywhere. */
function searching({ environment }: Stage): Case {
  const VALUE = 500;
  const filter = (values: number) => ({
    logicalOperator: 'OR',
    groups: Array.from({ length: values }, (_, at) => ({
      ...{ field: 'contactProperties.bio', operator: 'contains' },
      value: `${'a'.repeat(9 + at)}b`.padEnd(VALUE, 'a'),
    })),
  });
  let actor: Awaited<ReturnType<typeof newActor>> | null = null;
  return {
    name: 'contacts of filters that almost match',
    threads: BESIDE,
    async prepare(part, serial) {
      if (!actor) {
        actor = await newActor(environment, []);
        const half = SEARCHED_LENGTH_MAX / VALUE / 2;
        await actor.client.post('/contact-lists', { name: 's', type: 'segment', filterCriteria: filter(half) });
        const steps = [
          { type: 'wait', delay: { value: 1, unit: 'days' } },
          { type: 'email', email: { htmlTemplate: 'x', subject: 'x', senderEmail: `post@${actor.domain}` } },
        ];
        const entryCriteria = { type: 'contact_property_matches_with', filterCriteria: filter(half) };
        await actor.client.post('/automations', { name: 'a', active: true, steps, entryCriteria });
      }
      const contacts = Array.from({ length: 100 * part }, (_, at) => ({
        email: `${serial}-${at}@example.com`,
        contactProperties: { bio: `${at}`.padEnd(PROPERTY_TEXT_MAX, 'a') },
      }));
      const body = Buffer.from(JSON.stringify({ contacts }));
      const { projectKey } = actor;
      return () => send(environment, { method: 'post', path: '/v1/contacts/bulk-update', key: projectKey, body });
    },
  };
}
