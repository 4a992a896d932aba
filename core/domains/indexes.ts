import { type Indexes, onlyWith } from '../base/indexes.ts';

export const domainIndexes = {
  senders: {
    email: { key: { projectId: 1, email: 1 }, unique: true, because: 'One sender for each address of a project.' },
  },
  domains: {
    domain_name: { key: { projectId: 1, domainName: 1 }, unique: true, because: 'A project has a domain name once.' },
    verified_once: {
      key: { domainName: 1 },
      unique: true,
      partialFilterExpression: { verificationStatus: 'VERIFIED' },
      because: 'One project at a time holds a domain name verified.',
    },
    recheck_due: {
      key: { projectId: 1, recheckDueAt: 1 },
      ...onlyWith('recheckDueAt'),
      because: 'Verified domains whose records must be checked again.',
    },
    inbound: {
      key: { domainName: 1, inboundEnabledAt: 1 },
      partialFilterExpression: { inboundEnabledAt: { $type: 'date' } },
      because: 'Which project receives mail for a domain.',
    },
  },
} satisfies Indexes;
