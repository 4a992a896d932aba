import type { Input } from './arguments.ts';
import type { Mailing } from './people.ts';
import type { Tool } from './tools.ts';

/** A call with checked arguments, and the mail to several people that it would cause. */
export interface Planned {
  tool: Tool;
  input: Input;
  mailing: Mailing;
  /** Of the tool and all its arguments, without holding them. */
  hash: string;
}
