// Promise: counts are exact.
import { expect } from 'chai';
import type { Deps } from '../../../core/base/deps.ts';
import type { Campaign, CampaignStatus } from '../../../core/campaigns/model.ts';
import {
  ABORTABLE,
  campaignTransitions,
  DELETABLE,
  OVER,
  PAUSABLE,
  PUBLISHED,
} from '../../../core/campaigns/status.ts';
import { transition } from '../../../core/campaigns/transition.ts';
import { drawnTransitions, pairsOf } from '../../support/pictures.ts';

const statuses = Object.keys(campaignTransitions) as CampaignStatus[];

describe('The status of a campaign', () => {
  it('changes as the README of the folder draws it', () => {
    expect(drawnTransitions('core/campaigns/README.md', '# Campaigns')).to.deep.equal(pairsOf(campaignTransitions));
  });

  it('does not change in a way that the table does not have, and nothing is read or written then', async () => {
    const deps = {} as Deps;
    for (const status of statuses)
      for (const to of statuses.filter((other) => other !== status && !campaignTransitions[status].includes(other))) {
        const moved = transition(deps, { status } as Campaign, { status: to }, { wakeRun: false });
        const refused = await moved.then(
          () => null,
          (error) => error,
        );
        expect(refused, `${status} -> ${to}`).to.include({ kind: 'conflict', code: 'INVALID_STATE' });
      }
  });

  it('says what may be paused, aborted and deleted', () => {
    expect(PAUSABLE).to.deep.equal(['scheduled', 'sending', 'sending_gradual']);
    expect(ABORTABLE).to.deep.equal([...PAUSABLE, 'paused']);
    expect([...PUBLISHED, ...OVER, 'draft']).to.have.members(statuses);
    expect(DELETABLE).to.have.members(['draft', 'scheduled', ...OVER]);
  });
});
