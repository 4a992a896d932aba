import type { Deps } from '../core/deps.ts';
import { checkDomain, type DomainCheckResult } from '../core/domain-checks.ts';

export interface DomainActivities {
  checkDomainRecords(input: { projectId: string; domainId: string }): Promise<DomainCheckResult | null>;
}

export function domainActivities(deps: Deps): DomainActivities {
  return {
    checkDomainRecords: ({ projectId, domainId }) => checkDomain(deps, projectId, domainId),
  };
}
