// Promise: nothing is sent twice.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { statusesBefore } from '../../core/base/transitions.ts';
import {
  ALL_STATES,
  CLAIMABLE_STATES,
  FINAL_STATES,
  isOpen,
  isOrphan,
  isOver,
  type MessageState,
  messageTransitions,
  OPEN_STATES,
  ORPHAN_STATES,
  shownState,
  statesShownAs,
} from '../../core/mail/ledger/states.ts';
import { drawnTransitions, pairsOf } from '../support/pictures.ts';
import { sources } from '../support/sources.ts';

const root = join(import.meta.dirname, '../..');
const rooms = ['core', 'api', 'workers', 'activities', 'workflows'];
/** `state` in these folders is that of another noun: an export of provider A. */
const otherNouns = /^core\/migrations\//;
/** The model's types. */
const declares = 'core/mail/ledger/states.ts';
const name = `'(?:${ALL_STATES.join('|')})'`;
const spelled = [
  new RegExp(`\\bstate\\b['\\]]*\\s*(?:[!=]==|[:,])\\s*(?:\\{\\s*\\$\\w+:\\s*)?\\[?\\s*${name}`, 'g'),
  new RegExp(`\\bstate: [^,;{}]*[?:] ${name}`, 'g'),
  new RegExp(`switch \\((?:\\w+\\.)?state\\)[^}]*?case ${name}`, 'g'),
  new RegExp(`(?:MessageState|ShownState)(?:\\[\\]|>)[^;]*= \\[[^\\]]*${name}`, 'g'),
  /'committing'/g,
];

describe('The states of a message', () => {
  it('are spelled in core/mail/ledger/states.ts alone', () => {
    const files = rooms.flatMap((room) => sources(room)).filter((file) => file !== declares && !otherNouns.test(file));
    const faults = files.flatMap((file) =>
      spellings(readFileSync(join(root, file), 'utf8')).map((found) => `${file}: ${found}`),
    );
    expect(faults, 'import `states` or a list of core/mail/ledger/states.ts').to.deep.equal([]);
  });

  it('are found wherever logic spells one', () => {
    const samples = [
      "if (message.state === 'sent') return;",
      "if (state !== 'unknown') return;",
      "{ $set: { state: 'queued', dueAt } }",
      "{ state: { $in: ['queued' as const, 'deferred' as const] } }",
      "{ $in: ['$outcome.state', ['sent', 'bounced']] }",
      "{ state: hit ? 'suppressed' : states.queued }",
      "switch (state) {\n  case 'sent':",
      "const OPEN: MessageState[] = ['queued'];",
      "of('committing')",
    ];
    for (const sample of samples) expect(spellings(sample), sample).to.have.length(1);
    const others = [
      "outcome.kind === 'sent'",
      "status: 'failed'",
      "state: 'running'",
      "{ type: 'failed', state }",
      "// state: 'sent'",
    ];
    for (const sample of others) expect(spellings(sample), sample).to.deep.equal([]);
  });

  it('change as ARCHITECTURE.md draws it', () => {
    expect(drawnTransitions('ARCHITECTURE.md', '## The ledger')).to.deep.equal(pairsOf(messageTransitions));
  });

  it('are all reached from `queued` and `scheduled`, or written with the message', () => {
    const reached = new Set<MessageState>(CLAIMABLE_STATES);
    for (const from of reached) for (const to of messageTransitions[from]) reached.add(to);
    expect([...reached].toSorted()).to.deep.equal(ALL_STATES.toSorted());
  });

  it('are claimable where `committing` may follow, and in doubt where an outcome may', () => {
    expect(statusesBefore<MessageState>(messageTransitions, 'committing')).to.deep.equal(CLAIMABLE_STATES);
    for (const from of ORPHAN_STATES)
      expect(messageTransitions[from], from).to.include.members([...FINAL_STATES, 'queued', 'deferred']);
  });

  it('are open or over, and orphans only where a process had the claim', () => {
    expect(ALL_STATES.filter(isOpen)).to.deep.equal(OPEN_STATES);
    expect(ALL_STATES.filter(isOver)).to.deep.equal(
      ['sent', 'unknown', 'bounced', 'failed', 'suppressed', 'cancelled'].toSorted(byTable),
    );
    expect(ALL_STATES.filter(isOrphan)).to.deep.equal(ORPHAN_STATES);
  });

  it('are shown as they are, but a claimed message as queued', () => {
    expect(shownState('committing')).to.equal('queued');
    expect(statesShownAs('queued')).to.deep.equal(['queued', 'committing']);
    expect(statesShownAs('sent')).to.deep.equal(['sent']);
  });
});

function byTable(a: string, b: string): number {
  return ALL_STATES.indexOf(a as MessageState) - ALL_STATES.indexOf(b as MessageState);
}

function spellings(text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return spelled.flatMap((pattern) => code.match(pattern) ?? []);
}
