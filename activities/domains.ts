import type { Deps } from '../core/base/deps.ts';
import { checkDomain, type DomainCheckResult } from '../core/domains/checks.ts';
import { beating } from './beating.ts';

export interface DomainActivities {
  checkDomainRecords(input: { projectId: string; domainId: string }): Promise<DomainCheckResult | null>;
}

export function domainActivities(deps: Deps): DomainActivities {
  return {
    checkDomainRecords: ({ projectId, domainId }) => beating(() => checkDomain(deps, projectId, domainId)),
  };
}
