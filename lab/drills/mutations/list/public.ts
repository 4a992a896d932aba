import type { Mutation } from '../mutation.ts';

const OPT_IN = ['test/forms/double-opt-in.test.ts'];
const PREFERENCES = ['test/preferences/preferences.test.ts'];

/** Forms and preferences: people who speak for themselves. */
export const publicMutations: readonly Mutation[] = [
  {
    name: 'a confirmation does not take the unsubscribe of the person back',
    file: 'core/forms/confirm.ts',
    find: 'await takeBackUnsubscribes(deps, session, turnedOn, email);',
    replace: 'void takeBackUnsubscribes;',
    tests: OPT_IN,
    grep: 'in the default group, the global one and those of the form',
  },
  {
    name: 'turning everything off stops the mail that a person needs',
    file: 'core/persons-own/preferences/save.ts',
    find: "builtInGroup(deps, project, 'marketing')",
    replace: "builtInGroup(deps, project, 'global')",
    tests: PREFERENCES,
    grep: 'turns all marketing mail off',
  },
];
