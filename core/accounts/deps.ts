import type { AutomationsDeps } from '../automations/deps.ts';
import type { Needs } from '../base/deps.ts';
import type { FiguresDeps } from '../figures/deps.ts';
import type { FormsDeps } from '../forms/deps.ts';
import type { MigrationsDeps } from '../migrations/deps.ts';
import type { PersonsOwnDeps } from '../persons-own/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type AccountsDeps = AutomationsDeps &
  FormsDeps &
  MigrationsDeps &
  PersonsOwnDeps &
  FiguresDeps &
  Needs<never, 'apiKeys' | 'confirmations' | 'memberSessions' | 'members' | 'signInLinks'>;
