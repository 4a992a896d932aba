import { expect } from 'chai';
import type { AutomationStep } from '../../../client/index.ts';
import { addBefore, addOn } from '../../../console/pages/automations/edit/model/add.ts';
import { addWay, joinsOf, joinWay, newBranch, removeWay } from '../../../console/pages/automations/edit/model/forks.ts';
import { act, begin, redo, undo } from '../../../console/pages/automations/edit/model/history.ts';
import { mailsBefore } from '../../../console/pages/automations/edit/model/mails.ts';
import { copy, move } from '../../../console/pages/automations/edit/model/move.ts';
import { remove } from '../../../console/pages/automations/edit/model/remove.ts';
import {
  type Content,
  JOINS,
  type NewId,
  type Outcome,
  type Steps,
} from '../../../console/pages/automations/edit/model/steps.ts';
import { END, waysOf } from '../../../console/pages/automations/graph/flow.ts';
import type { AutomationStep as StoredStep } from '../../../core/automations/model/definition.ts';
import { graphFaults } from '../../../core/automations/rules/graph/faults.ts';
import { seededRandom, someOf } from '../../support/random.ts';

const links = { nextStepId: null, parentBranchStepId: null, parentBranchId: null, checkExitCriteria: true };
const wait = (stepId: string, more: object = {}): AutomationStep => ({
  ...{ ...links, stepId, type: 'wait', delay: { value: 1, unit: 'days' } },
  ...more,
});
const email = (stepId: string, more: object = {}): AutomationStep => ({
  ...{ ...links, stepId, type: 'email', email: { subject: stepId, htmlTemplate: stepId } },
  ...more,
});
const contents: Record<string, Content> = {
  wait: { type: 'wait', delay: { value: 2, unit: 'days' } },
  wait_until: { type: 'wait_until', until: { time: '09:00' } },
  email: { type: 'email', email: { subject: 'New', htmlTemplate: 'New' } },
  branch: { type: 'branch', branches: [newBranch({ branchId: 'yes', label: 'yes', mergeStepId: JOINS })] },
  split: {
    type: 'split',
    shares: ['a', 'b'].map((branchId) => ({ branchId, label: branchId, share: 50, nextStepId: null })),
  },
  update_contact: { type: 'update_contact', update: { contactProperties: { plan: 'pro' } } },
  exit: { type: 'exit' },
  goal: { type: 'goal', eventName: 'paid' },
  webhook: {
    type: 'webhook',
    webhook: { url: 'https://hooks.example.com/', wait: true, timeout: { value: 1, unit: 'hours' } },
  },
  wait_event: { type: 'wait_event', waitEvent: { eventName: 'bought', timeout: { value: 2, unit: 'days' } } },
  opened: { type: 'wait_event', waitEvent: { eventName: 'email.opened', timeout: { value: 3, unit: 'days' } } },
};
const linear = [wait('w1'), email('m1'), wait('w2'), email('m2')];

function ids(): NewId {
  let last = 0;
  return (kind) => {
    last += 1;
    return `${kind}-${last}`;
  };
}

function done(outcome: Outcome): Steps {
  if ('why' in outcome) throw new Error(outcome.why);
  return outcome.steps;
}

const why = (outcome: Outcome) => ('why' in outcome ? outcome.why : null);
const names = (steps: Steps) => steps.map(({ stepId }) => stepId).join(' ');

/** 'w1>m1 m1>end', in the order of the steps. */
function lines(steps: Steps): string {
  return waysOf(steps)
    .slice(1)
    .map(({ from, to, label }) => `${from}>${to === END ? 'end' : to}${label ? ` (${label})` : ''}`)
    .join(', ');
}

const faults = (steps: Steps) => graphFaults(steps as unknown as StoredStep[]);

describe('The acts of the automation editor', () => {
  const forked = () => done(addOn(linear, 'm1', contents.branch!, ids()));

  it('add a step on a line, with a wait where a mail needs one', () => {
    const added = done(addOn(linear, 'm2', contents.email!, ids()));
    expect(lines(added)).to.equal('w1>m1, m1>w2, w2>m2, m2>wait-2, wait-2>email-1, email-1>end');
    expect(added.at(-2)?.delay).to.deep.equal({ value: 1, unit: 'days' });
    const first = done(addOn(linear, 'entry', contents.email!, ids()));
    expect(names(first)).to.equal('wait-2 email-1 w1 m1 w2 m2');
    expect(first[0]?.delay).to.deep.equal({ value: 0, unit: 'minutes' });
    expect(names(done(addOn(linear, 'w1', contents.update_contact!, ids())))).to.equal('w1 update_contact-1 m1 w2 m2');
    expect(names(linear), 'what it was given').to.equal('w1 m1 w2 m2');
  });

  it('add no second wait next to one, where waits and mails take turns', () => {
    expect(why(addOn(linear, 'w1', contents.wait!, ids()))).to.contain('There is a wait here already');
    const graph = done(addOn(linear, 'm2', contents.update_contact!, ids()));
    expect(names(done(addOn(graph, 'w1', contents.wait!, ids())))).to.contain('w1 wait-1 m1');
  });

  it('add a branch whose ways join where its line led', () => {
    const steps = forked();
    expect(lines(steps)).to.equal('w1>m1, m1>branch-1, branch-1>w2 (yes), branch-1>w2 (otherwise), w2>m2, m2>end');
    const onWay = done(addOn(steps, 'branch-1/0', contents.wait_until!, ids()));
    expect(lines(onWay)).to.contain('branch-1>wait_until-1 (yes), branch-1>w2 (otherwise), wait_until-1>w2');
    const onElse = done(addOn(onWay, 'branch-1/else', contents.update_contact!, ids()));
    expect(lines(onElse)).to.contain('branch-1>update_contact-1 (otherwise)');
    expect(lines(onElse)).to.contain('update_contact-1>w2');
    const joined = done(addBefore(onElse, 'w2', contents.update_contact!, () => 'both'));
    expect(lines(joined)).to.contain('wait_until-1>both').and.to.contain('update_contact-1>both, both>w2');
    for (const one of [steps, onWay, onElse, joined]) expect(faults(one)).to.deep.equal([]);
  });

  it('add the same content again without a change of the first step', () => {
    const once = forked();
    const before = JSON.stringify(once);
    done(addOn(once, 'm2', contents.branch!, () => 'again'));
    expect(JSON.stringify(once)).to.equal(before);
  });

  it('add an exit only where nothing is cut off', () => {
    expect(why(addOn(linear, 'm1', contents.exit!, ids()))).to.contain('never be reached');
    expect(lines(done(addOn(forked(), 'branch-1/0', contents.exit!, ids())))).to.contain('branch-1>exit-1 (yes)');
    expect(lines(done(addOn(linear, 'm2', contents.exit!, ids())))).to.contain('m2>exit-1');
  });

  it('add to one of the two ways after an event, and leave the other one where it led', () => {
    const waiting = done(addOn(linear, 'm1', contents.wait_event!, () => 'event'));
    expect(lines(waiting)).to.contain('event>w2 (when it comes), event>w2 (not in time)');
    const heard = done(addOn(waiting, 'event/heard', contents.update_contact!, () => 'thanks'));
    expect(lines(heard)).to.contain('event>thanks (when it comes), event>w2 (not in time), thanks>w2');
    const late = done(addOn(waiting, 'event/timed_out', contents.update_contact!, () => 'late'));
    expect(lines(late)).to.contain('event>w2 (when it comes), event>late (not in time), late>w2');
    expect(lines(done(remove(late, 'late', ids())))).to.equal(lines(waiting));
    const last = done(addOn(linear, 'm2', contents.wait_event!, () => 'event'));
    const ended = (way: string) => done(addOn(last, way, contents.update_contact!, (kind) => kind));
    expect(lines(ended('event/timed_out'))).to.contain(
      'event>exit (when it comes), event>update_contact (not in time), update_contact>end',
    );
    expect(lines(ended('event/heard'))).to.contain(
      'event>update_contact (when it comes), event>exit (not in time), update_contact>end',
    );
    expect(lines(done(remove(ended('event/heard'), 'update_contact', ids())))).to.contain('event>exit (not in time)');
    const left = done(addOn(last, 'event/heard', contents.exit!, () => 'leave'));
    const reminded = done(addOn(left, 'event/timed_out', contents.update_contact!, () => 'late'));
    expect(lines(reminded)).to.contain('event>leave (when it comes), event>late (not in time)');
    for (const one of [waiting, heard, late, last, left, reminded, ended('event/heard'), ended('event/timed_out')])
      expect(faults(one)).to.deep.equal([]);
    // In a way that ends, the event ends there too, and its time-out joins the others.
    const yes = { parentBranchStepId: 'fork', parentBranchId: 'yes' };
    const fork = { stepId: 'fork', nextStepId: 'w2', branches: [newBranch({ branchId: 'yes' })] };
    const apart: AutomationStep[] = [
      ...linear.slice(0, 2),
      { ...links, ...fork, type: 'branch' },
      { ...links, ...contents.wait_event!, ...yes, stepId: 'event', timeoutStepId: 'w2' } as AutomationStep,
      ...linear.slice(2),
    ];
    expect(faults(apart)).to.deep.equal([]);
    const inPart = done(addOn(apart, 'event/timed_out', contents.update_contact!, (kind) => kind));
    expect(lines(inPart)).to.contain('event>exit (when it comes), event>update_contact (not in time)');
    expect(lines(inPart)).to.contain('update_contact>w2');
    expect(faults(inPart)).to.deep.equal([]);
  });

  it('ask whether the nearest mail before is opened, and for nothing where none comes before', () => {
    const asked = (steps: Steps, way: string) =>
      done(addOn(steps, way, contents.opened!, () => 'opened')).find(({ stepId }) => stepId === 'opened')?.waitEvent;
    expect(asked(linear, 'm2')?.emailStepId).to.equal('m2');
    expect(asked(linear, 'w2')?.emailStepId).to.equal('m1');
    expect(why(addOn(linear, 'entry', contents.opened!, ids()))).to.contain('No mail comes before it');
    // The mail of another way does not lead there.
    const onWay = done(addOn(forked(), 'branch-1/0', contents.email!, ids()));
    expect(asked(onWay, 'branch-1/else')?.emailStepId).to.equal('m1');
    expect(asked(onWay, 'email-1')?.emailStepId).to.equal('email-1');
    expect(mailsBefore(onWay, 'm2').map(({ stepId }) => stepId)).to.have.members(['m1', 'email-1']);
    expect(lines(done(addOn(linear, 'm2', contents.opened!, () => 'opened')))).to.contain('opened>end (opened)');
  });

  it('remove a step, a mail with its wait where they take turns, and a fork with its ways', () => {
    expect(names(done(remove(linear, 'm1', ids())))).to.equal('w2 m2');
    expect(why(remove(linear, 'w2', ids()))).to.contain('A mail needs a wait before it');
    const onWay = done(addOn(forked(), 'branch-1/0', contents.email!, ids()));
    expect(names(onWay)).to.contain('wait-2 email-1');
    const without = done(remove(onWay, 'branch-1', ids()));
    expect(names(without)).to.equal('w1 m1 w2 m2');
    expect(without).to.deep.equal(linear);
  });

  it('keep the ends of a way whose steps are removed', () => {
    const onWay = done(addOn(forked(), 'branch-1/0', contents.update_contact!, ids()));
    expect(lines(done(remove(onWay, 'update_contact-1', ids())))).to.equal(lines(forked()));
    const both = done(addBefore(onWay, 'w2', contents.update_contact!, () => 'both'));
    expect(lines(done(remove(both, 'both', ids())))).to.equal(lines(onWay));
  });

  it('move and copy steps, with their ways', () => {
    expect(names(done(move(linear, 'm1', 'm2', ids())))).to.equal('w2 m2 w1 m1');
    expect(why(move(linear, 'm1', 'm1', ids()))).to.contain('there already');
    const onWay = done(addOn(forked(), 'branch-1/0', contents.update_contact!, ids()));
    const moved = done(move(onWay, 'branch-1', 'm2', ids()));
    expect(lines(moved)).to.equal(
      'w1>m1, m1>w2, w2>m2, m2>branch-1, branch-1>update_contact-1 (yes), branch-1>end (otherwise), update_contact-1>end',
    );
    const copied = done(copy(onWay, 'branch-1', null, (kind) => `${kind}-copy`));
    expect(lines(copied)).to.contain('m1>branch-copy, branch-copy>update_contact-copy (yes)');
    expect(lines(copied)).to.contain('branch-copy>branch-1 (otherwise)');
    expect(names(done(copy(linear, 'm1', null, (kind) => `${kind}-copy`)))).to.equal(
      'w1 m1 wait-copy email-copy w2 m2',
    );
    for (const one of [moved, copied]) expect(faults(one)).to.deep.equal([]);
  });

  it('copy a wait for a mail with that mail, and name the copy of it', () => {
    const onWay = done(addOn(forked(), 'branch-1/0', contents.email!, ids()));
    const click = { eventName: 'email.clicked', emailStepId: 'email-1', timeout: { value: 1, unit: 'days' as const } };
    const steps = done(addOn(onWay, 'email-1', { type: 'wait_event', waitEvent: click }, ids()));
    const copies = done(copy(steps, 'branch-1', null, (kind) => `${kind}-copy`));
    const mails = copies.flatMap(({ waitEvent }) => waitEvent?.emailStepId ?? []);
    expect(mails).to.have.members(['email-1', 'email-copy']);
  });

  it('add and remove ways, and let them join elsewhere or end', () => {
    const two = done(addWay(forked(), 'branch-1', { label: 'no' }, ids()));
    expect(lines(two)).to.contain('branch-1>w2 (yes), branch-1>w2 (no), branch-1>w2 (otherwise)');
    expect(lines(done(removeWay(two, 'branch-1', 'yes', ids())))).to.contain('m1>branch-1, branch-1>w2 (no)');
    expect(why(removeWay(forked(), 'branch-1', 'yes', ids()))).to.contain('remove the whole step');
    expect(joinsOf(two, 'branch-1')).to.deep.equal(['w2', 'm2']);
    const ended = done(joinWay(two, 'branch-1', 'yes', null, ids()));
    expect(lines(ended)).to.contain('branch-1>end (yes)');
    expect(lines(done(joinWay(ended, 'branch-1', 'yes', 'w2', ids())))).to.equal(lines(two));
    const split = done(addOn(linear, 'm1', contents.split!, ids()));
    const three = done(addWay(split, 'split-1', {}, ids()));
    expect(three.find(({ type }) => type === 'split')?.shares?.map(({ share }) => share)).to.deep.equal([34, 33, 33]);
    const back = done(removeWay(three, 'split-1', 'a', ids()));
    expect(back.find(({ type }) => type === 'split')?.shares?.map(({ share }) => share)).to.deep.equal([50, 50]);
  });

  it('are taken back and done again; what is typed into one field is one act', () => {
    let history = act(act(act(begin('a'), 'b'), 'c1', 'name'), 'c2', 'name');
    expect(history.now).to.equal('c2');
    history = undo(history);
    expect(history.now).to.equal('b');
    expect(undo(undo(history)).now).to.equal('a');
    expect(redo(history).now).to.equal('c2');
    expect(redo(act(history, 'd')).now).to.equal('d');
  });

  it('leave every valid definition valid, whatever is done to it, and undo restores it exactly', function () {
    this.timeout(60_000);
    const runs = someOf(60);
    let acts = 0;
    for (let run = 0; run < runs; run += 1) {
      const random = seededRandom(run);
      let history = begin<Steps>(run % 2 === 0 ? linear : odd(random));
      const newId = ids();
      for (let turn = 0; turn < 25; turn += 1) {
        const before = JSON.stringify(history.now);
        const { name, outcome } = anyAct(history.now, random, (kind) => `${newId(kind)}-${run}`);
        expect(JSON.stringify(history.now), name).to.equal(before);
        if ('why' in outcome) continue;
        expect(
          faults(unasked(outcome.steps)),
          `run ${run}, turn ${turn}: ${name}\n${before}\n${JSON.stringify(outcome.steps)}`,
        ).to.deep.equal([]);
        history = act(history, outcome.steps);
        expect(JSON.stringify(undo(history).now)).to.equal(before);
        acts += 1;
      }
    }
    expect(acts).to.be.greaterThan(runs * 8);
  });
});

/** A mail that a wait asks about may be taken away from before it: the wait is to mend then, and everything else is sound. */
function unasked(steps: Steps): Steps {
  return steps.map(({ waitEvent, ...step }) => {
    const { emailStepId: _, ...asked } = waitEvent ?? {};
    return { ...step, ...(waitEvent && { waitEvent: asked }) };
  });
}

function anyAct(steps: Steps, random: () => number, newId: NewId): { name: string; outcome: Outcome } {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const step = pick(steps);
  const way = pick(waysOf(steps)).id;
  const content = contents[pick(Object.keys(contents))]!;
  const [branchId = ''] = [...(step?.branches ?? []), ...(step?.shares ?? [])].map((one) => one.branchId);
  const joins = step ? [null, ...joinsOf(steps, step.stepId)] : [null];
  const all: Array<[string, () => Outcome]> = [
    [`add ${content.type} on ${way}`, () => addOn(steps, way, content, newId)],
    [`add ${content.type} on ${way}`, () => addOn(steps, way, content, newId)],
  ];
  if (step)
    all.push(
      [`add ${content.type} before ${step.stepId}`, () => addBefore(steps, step.stepId, content, newId)],
      [`remove ${step.stepId}`, () => remove(steps, step.stepId, newId)],
      [`move ${step.stepId} to ${way}`, () => move(steps, step.stepId, way, newId)],
      [`copy ${step.stepId} to ${way}`, () => copy(steps, step.stepId, way, newId)],
      [`copy ${step.stepId}`, () => copy(steps, step.stepId, null, newId)],
    );
  if (branchId) {
    const to = pick(joins);
    all.push(
      [`join ${step.stepId}/${branchId} to ${to}`, () => joinWay(steps, step.stepId, branchId, to, newId)],
      [`add a way to ${step.stepId}`, () => addWay(steps, step.stepId, {}, newId)],
      [`remove ${step.stepId}/${branchId}`, () => removeWay(steps, step.stepId, branchId, newId)],
    );
  }
  const [name, run] = pick(all);
  return { name, outcome: run() };
}

/** As a program may write it: links in any order, ways that end or join the flow anywhere. */
function odd(random: () => number): Steps {
  for (;;) {
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const main = ['a', 'b', 'c', 'd', 'e'];
    const target = () => pick([null, null, ...main]);
    const inside = { parentBranchStepId: 'fork', parentBranchId: 'yes' };
    const isSplit = random() < 0.3;
    const shares = ['yes', 'no'].map((branchId) => ({ branchId, label: branchId, share: 50, nextStepId: null }));
    const branches = [newBranch({ branchId: 'yes', label: 'yes', mergeStepId: target() })];
    const fork: AutomationStep = {
      ...{ ...links, stepId: 'fork', nextStepId: target() },
      ...(isSplit ? { type: 'split', shares } : { type: 'branch', branches }),
    };
    const some = main.slice(0, 2 + Math.floor(random() * 4)).map((id) => {
      const links = { nextStepId: random() < 0.3 ? target() : null };
      const awaits = { ...contents.wait_event!, timeoutStepId: random() < 0.5 ? target() : null };
      const steps = [wait(id, links), wait(id, links), wait(id, { ...links, ...awaits }), email(id, links)];
      return pick(steps);
    });
    some.splice(1 + Math.floor(random() * (some.length - 1)), 0, fork);
    const within = ['i', 'j'].slice(0, Math.floor(random() * 3));
    some.push(...within.map((id) => wait(id, { ...inside, nextStepId: random() < 0.3 ? target() : null })));
    if (faults(some).length === 0) return some;
  }
}
