import { findUnnamedKeys, resealSecrets } from '../core/accounts/stored-secrets.ts';
import type { Deps } from '../core/base/deps.ts';
import { CommandError } from './error.ts';

/** How an operator replaces a key; docs/operators/secret-keys.md has the steps. */
export const secretCommands = {
  reseal: {
    usage: '',
    does: 'seals every stored secret again with the first of SECRET_KEYS, beside running processes; may be repeated',
    async run(deps: Deps) {
      const counts = await resealSecrets(deps);
      for (const kind of counts) console.log(JSON.stringify(kind));
      if (counts.every(({ unopened }) => unopened === 0)) return;
      throw new CommandError(
        (await findUnnamedKeys(deps)) ??
          'Some secrets do not open under the keys that sealed them; nothing was changed there.',
      );
    },
  },
};
