import { expect } from 'chai';
import { endpointTable } from '../../api/http/table.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { authorRules } from '../../schemas/author-rules.ts';
import { isInRole, isInScope, operationNames, operations, ROLES } from '../../schemas/operations.ts';

const endpoints = endpointTable(createMetrics());
/** Endpoints 9, 14 and 16 of the interface, and those that only compute. */
const postsThatOnlyRead = [
  'campaigns.audience',
  'contacts.findByEmail',
  'contactLists.searchContacts',
  'contactLists.preview',
  'suppressionGroups.searchEntries',
  'templates.preview',
  'templates.previewDraft',
  'templates.render',
  'templates.convert',
  'brand.preview',
  'forms.preview',
  'campaigns.preview',
  'automations.simulate',
  // Its tools are those of the key's scope.
  'mcp.call',
];

/** Everything about a person in one file: more than a program that reports needs. */
const GETS_OF_FULL_KEYS = ['contacts.data'];

describe('The table of operations', () => {
  it('has one endpoint for each name, and one name for each endpoint', () => {
    const used = endpoints.map(({ operation }) => operation);
    expect(used.toSorted()).to.deep.equal(operationNames.toSorted());
  });

  it('lets a read key call every GET that takes a project key but the data of a person, the POSTs that only read, and nothing else', () => {
    const takesProjectKey = endpoints.filter(({ key }) => key === 'project' || key === 'token');
    const expected = takesProjectKey
      .filter(({ method, operation }) => method === 'get' || postsThatOnlyRead.includes(operation))
      .map(({ operation }) => operation)
      .filter((operation) => !GETS_OF_FULL_KEYS.includes(operation));
    const allowed = operationNames.filter((name) => isInScope('read', name));
    expect(allowed.toSorted()).to.deep.equal(expected.toSorted());
  });

  it('lets a send key send mail, and read, reschedule and cancel the mail that it sent', () => {
    const allowed = operationNames.filter((name) => isInScope('send', name));
    const sends = ['mails.send', 'mails.bulk', 'mails.batch', 'inbound.reply'];
    const mails = [
      'emails.list',
      'emails.get',
      'emails.content',
      'emails.update',
      'emails.cancel',
      'emails.cancelBatch',
    ];
    expect(allowed).to.have.members([...sends, ...mails, 'mcp.call']);
  });

  it('gives no scope to operations that take no project key', () => {
    const others = endpoints.filter(({ key }) => ['admin', 'session', 'none'].includes(key));
    for (const { operation } of others) expect(operations[operation].scopes, operation).to.deep.equal([]);
    expect(isInScope('full', 'campaigns.pause')).to.equal(true);
    expect(isInScope('send', 'campaigns.pause')).to.equal(false);
  });

  it('has a least role for each operation that members call, and none for the others', () => {
    for (const { key, operation } of endpoints) {
      const isForMembers = key !== 'none' && operation !== 'mcp.call';
      expect(operations[operation].role !== null, operation).to.equal(isForMembers);
    }
  });

  it('lets a viewer call what a read key may, projects and the own session, and nothing else', () => {
    const others = ['mcp.call'];
    const readable = operationNames.filter((name) => isInScope('read', name) && !others.includes(name));
    const own = ['projects.list', 'projects.get'];
    const ofSessions = endpoints.filter(({ key }) => key === 'session').map(({ operation }) => operation);
    const allowed = operationNames.filter((name) => isInRole('viewer', name));
    expect(allowed.toSorted()).to.deep.equal([...readable, ...own, ...ofSessions].toSorted());
  });

  it('lets owners alone call what takes an admin key, changes domains or answers with a secret', () => {
    const expected = endpoints.filter(
      ({ operation, key, secret, method }) =>
        (key === 'admin' && !isInRole('viewer', operation)) ||
        secret !== undefined ||
        (operation.startsWith('domains.') && method !== 'get'),
    );
    const owned = operationNames.filter((name) => operations[name].role === 'owner');
    expect(owned.toSorted()).to.deep.equal(expected.map(({ operation }) => operation).toSorted());
  });

  it('lets an author prepare: no more than these', () => {
    const prepared = [
      ...['campaigns.create', 'campaigns.update', 'campaigns.duplicate', 'campaigns.test'],
      ...['templates.create', 'templates.update', 'templates.restore', 'automations.create', 'automations.update'],
      ...[
        'layouts.create',
        'layouts.update',
        'layouts.restore',
        'snippets.create',
        'snippets.update',
        'snippets.restore',
      ],
      ...['contacts.import', 'contacts.previewImport', 'contacts.bulkUpdate', 'contactLists.create'],
      ...['templates.test', 'media.upload', 'automations.discardDraft'],
      ...['templates.translate', 'templates.deleteTranslation', 'templates.importTranslations'],
    ];
    const allowed = operationNames.filter((name) => isInRole('author', name) && !isInRole('viewer', name));
    expect(allowed).to.have.members(prepared);
  });

  it('gives each role what the ones before it have', () => {
    for (const [index, role] of ROLES.entries())
      for (const name of operationNames)
        if (isInRole(role, name))
          for (const higher of ROLES.slice(index)) expect(isInRole(higher, name), `${higher} ${name}`).to.equal(true);
  });

  it('names in each rule for authors operations that authors may call', () => {
    for (const { operations: named } of Object.values(authorRules))
      for (const name of named) expect(operations[name].role, name).to.equal('author');
  });
});
