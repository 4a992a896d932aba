/** The ids of the examples, so that they agree with each other. */
export const ids = {
  organization: '66f1c0a2e4b0a1b2c3d4e500',
  project: '66f1c0a2e4b0a1b2c3d4e501',
  contact: '66f1c0a2e4b0a1b2c3d4e502',
  list: '66f1c0a2e4b0a1b2c3d4e503',
  campaign: '66f1c0a2e4b0a1b2c3d4e504',
  sender: '66f1c0a2e4b0a1b2c3d4e505',
  domain: '66f1c0a2e4b0a1b2c3d4e506',
  automation: '66f1c0a2e4b0a1b2c3d4e507',
  email: '66f1c0a2e4b0a1b2c3d4e508',
  webhook: '66f1c0a2e4b0a1b2c3d4e509',
  event: '66f1c0a2e4b0a1b2c3d4e50a',
  inbound: '66f1c0a2e4b0a1b2c3d4e50b',
  migration: '66f1c0a2e4b0a1b2c3d4e50c',
  import: '66f1c0a2e4b0a1b2c3d4e50d',
  apiKey: '66f1c0a2e4b0a1b2c3d4e50e',
  member: '66f1c0a2e4b0a1b2c3d4e510',
  session: '66f1c0a2e4b0a1b2c3d4e511',
  form: '66f1c0a2e4b0a1b2c3d4e512',
  other: '66f1c0a2e4b0a1b2c3d4e50f',
  template: 'A-0c5d1e7a9b3f4862d0e1',
  group: 'K7Q2ZD',
} as const;

export const at = '2026-03-02T09:30:00.000Z';
export const later = '2026-03-02T09:31:12.482Z';
