/** Names of signals and queries, for the workflows that listen and for the client that sends. */
export const signals = {
  checkNow: 'checkNow',
} as const;

export const queries = {
  state: 'state',
} as const;
