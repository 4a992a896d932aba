import { domainData } from '../../domains/domain-data.ts';
import type { Domain } from '../../domains/model.ts';
import { publishEvents } from '../../events/events.ts';
import { figuresUntil } from '../../events/listeners.ts';
import type { FiguresDeps } from '../deps.ts';

/** For streams that ask for it. */
export function publishChecked(deps: FiguresDeps, domain: Domain): Promise<void> {
  const data = domainData(domain, deps.config);
  const key = `${data.id} ${domain.revision}`;
  return publishEvents(deps, domain.projectId, [{ type: 'domain.checked', key, data, eraseAt: figuresUntil(deps) }]);
}
