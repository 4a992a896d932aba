import { type Indexes, onlyWith } from '../base/indexes.ts';

export const inboundIndexes = {
  inboundMessages: {
    once: {
      key: { projectId: 1, dedupe: 1 },
      unique: true,
      because: 'A mail that is delivered again, because our answer was lost, is stored once.',
    },
    newest: {
      key: { projectId: 1, receivedAt: -1, _id: -1 },
      because: 'The inbound messages of a project, newest first.',
    },
    thread: { key: { projectId: 1, threadId: 1, receivedAt: -1, _id: -1 }, because: 'The messages of a conversation.' },
    message_id: { key: { projectId: 1, messageId: 1 }, because: 'The mail that a reply answers.' },
    sender: {
      key: { projectId: 1, 'from.email': 1, receivedAt: -1, _id: -1 },
      because: 'Inbound messages of an address: searches, and erasure with the contact.',
    },
    removal: {
      key: { projectId: 1, removeDueAt: 1 },
      ...onlyWith('removeDueAt'),
      because: 'Inbound messages to remove, or to erase with their contact.',
    },
  },
  inboundUsage: {
    put_off: {
      key: { projectId: 1, day: 1, putOff: -1 },
      ...onlyWith('putOff'),
      because: 'The networks whose mail was put off on a day, those with the most first.',
    },
    expiry: { key: { expiresAt: 1 }, expireAfterSeconds: 0, because: 'The bytes of a day are not asked for after it.' },
  },
} satisfies Indexes;
