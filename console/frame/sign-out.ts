import { allDrafts } from '../drafts.ts';
import { confirm } from '../parts/over/confirm.tsx';
import { signOut } from '../session.ts';

/** Asks first where something was typed and not saved: signing out takes it out of the browser. */
export async function askAndSignOut(): Promise<void> {
  if (allDrafts().length === 0) return signOut();
  await confirm({
    title: 'Sign out',
    text: 'Something that was typed in this browser is not saved. It is gone then.',
    action: 'Sign out',
    isDangerous: true,
    run: signOut,
  });
}
