/** A message for the person at the command line; it is printed without a stack. */
export class CommandError extends Error {}
