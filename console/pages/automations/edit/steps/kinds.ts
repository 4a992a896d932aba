import { branch } from './branch.tsx';
import { exit } from './exit.tsx';
import { goal } from './goal.tsx';
import { email } from './mail/email.tsx';
import { split } from './split.tsx';
import type { Kind, KindOffered } from './step-form.ts';
import { updateContact } from './update-contact.tsx';
import { wait } from './wait.tsx';
import { opened, waitEvent } from './wait-event.tsx';
import { waitUntil } from './wait-until.tsx';
import { webhook } from './webhook.tsx';

/** A type without an entry is drawn, moved and removed, and its content stays as it is. */
export const kinds: Readonly<Record<string, Kind>> = {
  email,
  wait,
  wait_until: waitUntil,
  wait_event: waitEvent,
  branch,
  split,
  update_contact: updateContact,
  webhook,
  goal,
  exit,
};

/** In the order of the menu. */
export const offered: readonly KindOffered[] = [
  ...[email, wait, waitUntil, opened, waitEvent, branch, split, updateContact, webhook, goal, exit],
];
