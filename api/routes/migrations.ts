import { givenKey, inputForA, inputForB, requireKey } from '../../core/migrations/inputs.ts';
import {
  cancelMigration,
  getMigration,
  listMigrations,
  retryMigration,
  skipMigration,
  startMigration,
} from '../../core/migrations/migrations.ts';
import type { Migration } from '../../core/migrations/model.ts';
import { migrateGroupNow, migrateTemplatesNow, planFromA, planFromB } from '../../core/migrations/on-demand.ts';
import { watchMigration } from '../../core/migrations/watch.ts';
import {
  groupMigratedAnswer,
  migrateGroupBody,
  migrateTemplatesBody,
  templatesMigratedAnswer,
} from '../../schemas/migrations/at-once.ts';
import {
  migrationAnswer,
  migrationsAnswer,
  migrationsQuery,
  retryMigrationBody,
  skipMigrationBody,
} from '../../schemas/migrations/migrations.ts';
import { planAAnswer, planBAnswer, planBody } from '../../schemas/migrations/plans.ts';
import { migrateABody, migrateBBody, startedAnswer } from '../../schemas/migrations/starts.ts';
import { EventStream, endpoint, type ServerEvent, streamEnds, streamErrors } from '../http/endpoint.ts';
import { presentMigratedGroup, presentMigratedTemplates, presentMigration } from '../present/migrations.ts';
import { presentPage } from '../present/page.ts';

const tag = 'migrations';
const badKey = { 422: 'The source provider refuses the key.' } as const;
const notNow = { 409: 'The state of the migration does not allow it.' } as const;

export const migrationRoutes = [
  endpoint({
    operation: 'migrations.planProviderA',
    method: 'post',
    path: '/migrations/providerA/plan',
    aliases: ['/migrations/sendgrid/plan'],
    key: 'project',
    tag,
    summary: 'Preview a migration from provider A, and check its key',
    body: planBody,
    answer: planAAnswer,
    errors: badKey,
    handler: async ({ deps, body, request }) => planFromA(deps, { key: requireKey(body), signal: request.signal }),
  }),
  endpoint({
    operation: 'migrations.startProviderA',
    method: 'post',
    path: '/migrations/providerA/migrate',
    aliases: ['/migrations/sendgrid/migrate'],
    key: 'project',
    tag,
    summary: 'Start a migration from provider A in the background',
    body: migrateABody,
    answer: startedAnswer,
    status: 202,
    errors: { ...badKey, 409: 'A migration of this project is under way.' },
    handler: async ({ deps, project, body, request }) =>
      presentStarted(await startMigration(deps, project, inputForA(body), request)),
  }),
  templatesRoute(
    'A',
    '/migrations/providerA/providerA-template',
    withBoth('providerA', 'sendgrid', ['providerA-template', 'sendgrid-template', 'sg-template']),
  ),
  endpoint({
    operation: 'migrations.groupProviderA',
    method: 'post',
    path: '/migrations/providerA/providerA-unsubscribe-group',
    aliases: withBoth('providerA', 'sendgrid', [
      'providerA-unsubscribe-group',
      'sendgrid-unsubscribe-group',
      'sg-unsubscribe-group',
    ]),
    key: 'project',
    tag,
    summary: 'Migrate one unsubscribe group of provider A at once, with its addresses if you want',
    body: migrateGroupBody,
    answer: groupMigratedAnswer,
    errors: { ...badKey, 404: 'Provider A has no such group.' },
    handler: async ({ deps, project, body, request }) => {
      const { unsubscribeGroupId, addEmailsInSuppression: withEmails = false } = body;
      const caller = { key: requireKey(body), signal: request.signal };
      const wish = { groupId: String(unsubscribeGroupId), withEmails, origin: request };
      return presentMigratedGroup(await migrateGroupNow(deps, project, { ...caller, ...wish }));
    },
  }),
  endpoint({
    operation: 'migrations.planProviderB',
    method: 'post',
    path: '/migrations/providerB/plan',
    aliases: ['/migrations/resend/plan'],
    key: 'project',
    tag,
    summary: 'Preview a migration from provider B, and check its key',
    body: planBody,
    answer: planBAnswer,
    errors: badKey,
    handler: async ({ deps, project, body, request }) =>
      planFromB(deps, project, { key: requireKey(body), signal: request.signal }),
  }),
  endpoint({
    operation: 'migrations.startProviderB',
    method: 'post',
    path: '/migrations/providerB/migrate',
    aliases: ['/migrations/resend/migrate'],
    key: 'project',
    tag,
    summary: 'Start a migration from provider B in the background',
    body: migrateBBody,
    answer: startedAnswer,
    status: 202,
    errors: { ...badKey, 409: 'A migration of this project is under way.' },
    handler: async ({ deps, project, body, request }) =>
      presentStarted(await startMigration(deps, project, inputForB(body), request)),
  }),
  templatesRoute(
    'B',
    '/migrations/providerB/template',
    withBoth('providerB', 'resend', ['template', 'providerB-template', 'resend-template']),
  ),
  endpoint({
    operation: 'migrations.list',
    method: 'get',
    path: '/migrations',
    key: 'token',
    tag,
    summary: 'List migrations, newest first',
    query: migrationsQuery,
    answer: migrationsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('migrations', await listMigrations(deps, project, query), presentMigration),
  }),
  endpoint({
    operation: 'migrations.get',
    method: 'get',
    path: '/migrations/{migrationId}',
    key: 'token',
    tag,
    summary: 'Get a migration with its phases, and its report when it is over',
    answer: migrationAnswer,
    handler: async ({ deps, project, params }) =>
      presentMigration(await getMigration(deps, project, params.migrationId ?? '')),
  }),
  endpoint({
    operation: 'migrations.watch',
    method: 'get',
    path: '/migrations/{migrationId}/events',
    key: 'token',
    tag,
    summary: 'Watch a migration as server-sent events',
    description: `Each event is the whole migration, and its id is the version. With Last-Event-ID the stream begins after that version. ${streamEnds}`,
    produces: ['text/event-stream'],
    events: migrationAnswer,
    errors: streamErrors,
    handler: async ({ deps, project, params, request }) => {
      const { _id } = await getMigration(deps, project, params.migrationId ?? '');
      const afterVersion = Number.parseInt(request.header('last-event-id'), 10) || 0;
      const watch = { afterVersion, signal: request.signal };
      return new EventStream(eventsOf(watchMigration(deps, project, _id.toHexString(), watch)));
    },
  }),
  endpoint({
    operation: 'migrations.retry',
    method: 'post',
    path: '/migrations/{migrationId}/retry',
    key: 'token',
    tag,
    summary: 'Continue a migration that needs attention, failed or was cancelled, where it stopped or from a phase',
    body: retryMigrationBody,
    answer: migrationAnswer,
    errors: { ...notNow, 422: 'The key is gone; give it again.' },
    handler: async ({ deps, project, params, body }) => {
      const wish = { key: givenKey(body), fromPhase: body.fromPhase };
      return presentMigration(await retryMigration(deps, project, params.migrationId ?? '', wish));
    },
  }),
  endpoint({
    operation: 'migrations.skip',
    method: 'post',
    path: '/migrations/{migrationId}/skip',
    key: 'token',
    tag,
    summary: 'Skip the phase that needs attention, and continue with the next one',
    body: skipMigrationBody,
    answer: migrationAnswer,
    errors: notNow,
    handler: async ({ deps, project, params, body }) =>
      presentMigration(await skipMigration(deps, project, params.migrationId ?? '', body.reason ?? '')),
  }),
  endpoint({
    operation: 'migrations.cancel',
    method: 'post',
    path: '/migrations/{migrationId}/cancel',
    key: 'token',
    tag,
    summary: 'Cancel a migration; everything migrated so far stays',
    answer: migrationAnswer,
    errors: notNow,
    handler: async ({ deps, project, params }) =>
      presentMigration(await cancelMigration(deps, project, params.migrationId ?? '')),
  }),
];

function templatesRoute<Path extends string>(provider: 'A' | 'B', path: Path, aliases: string[]) {
  return endpoint({
    operation: `migrations.templatesProvider${provider}`,
    method: 'post',
    path,
    aliases,
    key: 'project',
    tag,
    summary: `Migrate selected templates of provider ${provider} at once`,
    body: migrateTemplatesBody,
    answer: templatesMigratedAnswer,
    errors: badKey,
    handler: async ({ deps, project, body, request }) => {
      const { templateIds, onExistUpdateHTML: update = false } = body;
      const wanted = { templateIds: templateIds.map(String), update, origin: request };
      const caller = { key: requireKey(body), signal: request.signal };
      const migrated = await migrateTemplatesNow(deps, project, `provider${provider}`, { ...caller, ...wanted });
      return presentMigratedTemplates(migrated);
    },
  });
}

function presentStarted({ _id, status }: Migration) {
  return { bulkOperationId: _id, status };
}

/** Each path with either word at either position; the first one is the path itself. */
function withBoth(word: string, name: string, lasts: string[]): string[] {
  return [word, name].flatMap((first) => lasts.map((last) => `/migrations/${first}/${last}`)).slice(1);
}

async function* eventsOf(changes: AsyncIterable<Migration | null>): AsyncGenerator<ServerEvent | null> {
  for await (const change of changes)
    yield change && { id: String(change.version), event: `migration.${change.status}`, data: presentMigration(change) };
}
