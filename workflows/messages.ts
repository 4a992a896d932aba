/** Names of signals and queries, for the workflows that listen and for the client that sends. */
export const signals = {
  checkNow: 'checkNow',
  /** Something was decided about the run's document: look at it again. */
  control: 'control',
} as const;

export const queries = {
  state: 'state',
} as const;
