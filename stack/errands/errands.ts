import { prepareNamespace } from '../../cli/temporal-namespace.ts';
import { prepare } from '../first-start.ts';
import { becomePrimary } from './primary.ts';

/** Work that needs the clients of the servers; `run` loads this in a process of its own. */
export const errands = { becomePrimary, prepareNamespace, prepare };
