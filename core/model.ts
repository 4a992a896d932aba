import type { ClientSession } from 'mongodb';

/** The stored shapes, one file a noun. The answers of the interface are made from them in api/present.ts. */
export type * from './model/accounts.ts';
export type * from './model/automations.ts';
export type * from './model/base.ts';
export type * from './model/campaigns.ts';
export type * from './model/collections.ts';
export type * from './model/contacts.ts';
export type * from './model/domains.ts';
export type * from './model/feed.ts';
export type * from './model/imports.ts';
export type * from './model/inbound.ts';
export type * from './model/jobs.ts';
export type * from './model/messages.ts';
export type * from './model/migrations.ts';
export type * from './model/outbox.ts';
export type * from './model/suppressions.ts';
export type * from './model/templates.ts';

export type Session = ClientSession;
