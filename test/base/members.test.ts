import { expect } from 'chai';
import { ALONE, GONE_MS, Members } from '../../core/base/members.ts';

const MAIL = ['mail'];

describe('The members of the installation', () => {
  it('are this process alone until they were read, and it counts itself where its own report is missing', () => {
    const members = new Members();
    expect([members.rank('mail'), members.count('mail')]).to.deep.equal([ALONE, 1]);
    members.read(MAIL, [{ _id: other(0), roles: MAIL }]);
    expect(members.count('mail')).to.equal(2);
    expect(members.rank('mail').count).to.equal(2);
  });

  it('are counted by role, and ranked by id so that all processes agree', () => {
    const processes = Array.from({ length: 20 }, (_, at) => ({
      members: new Members(),
      roles: at % 2 ? MAIL : ['api', 'mail'],
    }));
    const rows = processes.map(({ members, roles }) => ({ _id: members.id, roles }));
    for (const { members, roles } of processes) members.read(roles, rows);
    expect(processes.map(({ members }) => members.rank('mail').rank).toSorted((a, b) => a - b)).to.deep.equal(
      rows.map((_, at) => at),
    );
    for (const { members, roles } of processes) {
      expect([members.count('mail'), members.count('api'), members.count('campaign')]).to.deep.equal([20, 10, 1]);
      expect(members.rank('api').count, 'of a role that half of them have').to.equal(roles === MAIL ? 1 : 10);
    }
  });

  it('follow each read, but after an outage those before it stay until they had time to report', () => {
    let nowMs = 0;
    const members = new Members({ now: () => nowMs });
    const all = [0, 1, 2].map((at) => ({ _id: other(at), roles: MAIL }));
    const readEvery5s = (rows: typeof all, times: number) => {
      for (let turn = 0; turn < times; turn++, nowMs += 5_000) members.read(MAIL, rows);
    };
    readEvery5s(all, 5);
    expect(members.count('mail')).to.equal(4);
    readEvery5s(all.slice(1), 1);
    expect(members.count('mail'), 'one has stopped').to.equal(3);

    nowMs += GONE_MS * 4;
    expect(members.count('mail'), 'during an outage').to.equal(3);
    readEvery5s([], 1);
    expect(members.count('mail'), 'at its end').to.equal(3);
    readEvery5s(all.slice(1, 2), 4);
    expect(members.count('mail'), 'when all had time to report').to.equal(2);
  });
});

function other(at: number): string {
  return `00000000-0000-4000-8000-00000000000${at}`;
}
