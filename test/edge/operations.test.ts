import { expect } from 'chai';
import { endpointTable } from '../../api/http/table.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { isInScope, operationNames, operations } from '../../schemas/operations.ts';

const endpoints = endpointTable(createMetrics());
/** Endpoints 9, 14 and 16 of the interface, and those that only compute. */
const postsThatOnlyRead = [
  'contacts.findByEmail',
  'contactLists.searchContacts',
  'contactLists.preview',
  'suppressionGroups.searchEntries',
  'templates.preview',
  'automations.simulate',
  // Its tools are those of the key's scope.
  'mcp.call',
];

describe('The table of operations', () => {
  it('has one endpoint for each name, and one name for each endpoint', () => {
    const used = endpoints.map(({ operation }) => operation);
    expect(used.toSorted()).to.deep.equal(operationNames.toSorted());
  });

  it('lets a read key call every GET that takes a project key, the POSTs that only read, and nothing else', () => {
    const takesProjectKey = endpoints.filter(({ key }) => key === 'project' || key === 'token');
    const expected = takesProjectKey
      .filter(({ method, operation }) => method === 'get' || postsThatOnlyRead.includes(operation))
      .map(({ operation }) => operation);
    const allowed = operationNames.filter((name) => isInScope('read', name));
    expect(allowed.toSorted()).to.deep.equal(expected.toSorted());
  });

  it('lets a send key send mail and read the mail that it sent', () => {
    const allowed = operationNames.filter((name) => isInScope('send', name));
    const mails = ['mails.send', 'mails.bulk', 'inbound.reply', 'emails.list', 'emails.get'];
    expect(allowed).to.have.members([...mails, 'mcp.call']);
  });

  it('gives no scope to operations that take no project key', () => {
    const others = endpoints.filter(({ key }) => key === 'admin' || key === 'none');
    for (const { operation } of others) expect(operations[operation].scopes, operation).to.deep.equal([]);
    expect(isInScope('full', 'campaigns.pause')).to.equal(true);
    expect(isInScope('send', 'campaigns.pause')).to.equal(false);
  });
});
