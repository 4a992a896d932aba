/** Names of signals and queries, shared by the workflows and the client. */
export const signals = {
  checkNow: 'checkNow',
  /** The run's document changed: read it again. */
  control: 'control',
} as const;

export const queries = {
  state: 'state',
} as const;
