import type { NewId } from './model/steps.ts';

const BYTES = 6;

/** 'email-1f3a9c02b4d7': of no other step, also of those that were removed. */
export const newId: NewId = (kind) => {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `${kind}-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};
