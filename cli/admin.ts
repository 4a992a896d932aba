import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listApiKeys, revokeApiKey } from '../core/accounts/api-keys.ts';
import { createOrganization, listOrganizations } from '../core/accounts/organizations.ts';
import { listProjects } from '../core/accounts/projects.ts';
import { scopeOf } from '../core/accounts/scopes.ts';
import { endAllSessions } from '../core/accounts/sign-in/sessions.ts';
import { carryOverAutomations } from '../core/automations/carry-over.ts';
import { announceKeptEvents } from '../core/automations/events/kept.ts';
import type { Deps } from '../core/base/deps.ts';
import { AppError } from '../core/base/errors.ts';
import { parseId } from '../core/base/ids.ts';
import { SecretError } from '../core/base/secrets.ts';
import { doubtAfterRestore } from '../core/campaigns/audience/after-restore.ts';
import { carryOverCampaigns } from '../core/campaigns/carry-over.ts';
import { carryOverDomains } from '../core/domains/carry-over.ts';
import { recountProject } from '../core/figures/reports/counting/recount.ts';
import { carryOverMail } from '../core/mail/carry-over.ts';
import { announceKeptActs } from '../core/mail/feedback/kept-acts.ts';
import { startOpensRecompute } from '../core/mail/feedback/recompute-opens.ts';
import { carryOverMigrations } from '../core/migrations/progress/carry-over.ts';
import { carryOverPeople } from '../core/people/carry-over.ts';
import { carryOverImport, carryOverUnsubscribes } from '../core/persons-own/preferences/carry-over.ts';
import { removeOld } from '../core/retention.ts';
import { carryOverTemplates } from '../core/templates/carry-over.ts';
import { ConfigError, readConfig } from '../platform/config.ts';
import { makeIndexes, missingUniqueIndexes } from '../platform/mongo/indexes.ts';
import { searchAttributeNames } from '../workflows/attributes/names.ts';
import { consentCommands } from './consents.ts';
import { CommandError } from './error.ts';
import { mediaCommands } from './media.ts';
import { memberCommands } from './members.ts';
import { migrationCommands } from './migrations.ts';
import { secretCommands } from './secrets.ts';
import { shardingCommands } from './sharding.ts';
import { prepareNamespace } from './temporal-namespace.ts';
import { withDeps } from './with-deps.ts';

interface Command {
  usage: string;
  does: string;
  run(deps: Deps, args: string[]): Promise<void>;
}

/** Commands for work before any key exists, or from outside the REST interface. Others add their line. */
const commands: Record<string, Command> = {
  'organizations create': {
    usage: '<name>',
    does: 'creates an organization and prints its admin key, this once',
    async run(deps, [name]) {
      if (!name)
        throw new CommandError('Give the organization a name: npm run admin -- organizations create "My company"');
      const { organization, adminKey } = await createOrganization(deps, { name });
      print({ organizationId: organization._id, name, adminKey });
    },
  },
  'organizations list': {
    usage: '',
    does: 'lists the organizations and their projects',
    async run(deps) {
      for (const { _id, name } of await listOrganizations(deps)) {
        const { entries } = await listProjects(deps, _id, { limit: 100 });
        print({
          organizationId: _id,
          name,
          projects: entries.map((project) => ({ projectId: project._id, name: project.name })),
        });
      }
    },
  },
  'keys list': {
    usage: '<organizationId> [projectId]',
    does: 'lists the live keys of an organization, or of one of its projects, with scope and last use',
    async run(deps, [organizationId, projectId]) {
      const keys = await listApiKeys(
        deps,
        requireId(organizationId, 'organizationId'),
        projectId ? requireId(projectId, 'projectId') : null,
      );
      for (const apiKey of keys) {
        const { _id, name, shortId, domainName, createdAt, lastUsedAt = null } = apiKey;
        print({ apiKeyId: _id, name, shortId, scope: scopeOf(apiKey), domainName, createdAt, lastUsedAt });
      }
    },
  },
  'keys revoke': {
    usage: '<organizationId> <apiKeyId>',
    does: 'revokes a key; it stops within five seconds',
    async run(deps, [organizationId, apiKeyId]) {
      await revokeApiKey(deps, requireId(organizationId, 'organizationId'), apiKeyId ?? '');
      print({ revoked: apiKeyId });
    },
  },
  ...memberCommands,
  ...migrationCommands,
  ...consentCommands,
  ...mediaCommands,
  restored: {
    usage: '',
    does: 'after a backup was restored, before the workers start: asks about every open mail instead of sending it a second time, pauses campaigns that were to start, and ends all sessions',
    async run(deps) {
      const projects = await deps.db.projects.find({}, { projection: { _id: 1 } }).toArray();
      const sum = { doubted: 0, paused: 0 };
      for (const project of projects) {
        const { doubted, paused } = await doubtAfterRestore(deps, project);
        sum.doubted += doubted;
        sum.paused += paused;
      }
      print({ ...sum, sessionsEnded: await endAllSessions(deps) });
    },
  },
  retention: {
    usage: '',
    does: 'removes now, and not at night, what is older than RETENTION_DAYS, and consents of deleted contacts older than CONSENT_RETENTION_DAYS',
    async run(deps) {
      print(await removeOld(deps));
    },
  },
  recount: {
    usage: '[projectId]',
    does: 'counts the mail that the ledger still has again for the reports, and notes its opens, clicks and custom events for segments, of all projects or of one; run it once after the upgrade that brings reports',
    async run(deps, [projectId]) {
      const one = projectId ? { _id: requireId(projectId, 'projectId') } : {};
      for await (const project of deps.db.projects.find({ ...one, deletedAt: null }))
        print({
          projectId: project._id,
          ...(await recountProject(deps, project)),
          acts: await announceKeptActs(deps, project),
          events: await announceKeptEvents(deps, project),
        });
    },
  },
  ...secretCommands,
  indexes: {
    usage: '',
    does: 'makes the indexes that are missing, or are defined otherwise now',
    async run(deps) {
      const madeAgain = await makeIndexes(deps.db);
      print({ madeAgain, missing: await missingUniqueIndexes(deps.db) });
    },
  },
  ...shardingCommands,
  setup: {
    usage: '',
    does: 'makes what production needs before the first start, and after an upgrade: indexes, the search attributes of the Temporal namespace, and what earlier versions stored in another form',
    async run(deps) {
      const indexesMadeAgain = await makeIndexes(deps.db);
      const { temporalAddress, temporalNamespace } = deps.config;
      await prepareNamespace(temporalAddress, temporalNamespace, { own: false });
      print({
        indexesMadeAgain,
        missingIndexes: await missingUniqueIndexes(deps.db),
        searchAttributes: searchAttributeNames,
      });
      print({ ...(await carryOver(deps)), opensJudgedAgain: await startOpensRecompute(deps) });
    },
  },
  'suppressions widen': {
    usage: '<projectId> <importId>',
    does: 'stops all marketing mail to the people whom this import brought as unsubscribed; setup lists imports that may have meant the default group alone',
    async run(deps, [projectId, importId]) {
      const project = { _id: requireId(projectId, 'projectId') };
      print({ stopped: await carryOverImport(deps, project, requireId(importId, 'importId')) });
    },
  },
};

/** Documents that earlier releases stored in another form. A second run finds none. */
async function carryOver(deps: Deps): Promise<object> {
  const carriedOver = {
    unsubscribes: 0,
    templates: 0,
    automations: 0,
    domains: 0,
    customFields: 0,
    imports: 0,
    campaigns: 0,
    migrations: 0,
    starts: 0,
  };
  const undecided: object[] = [];
  for await (const project of deps.db.projects.find({ deletedAt: null }, { projection: { _id: 1 } })) {
    const unsubscribes = await carryOverUnsubscribes(deps, project);
    carriedOver.unsubscribes += unsubscribes.written;
    undecided.push(...unsubscribes.undecided.map((one) => ({ projectId: project._id, ...one })));
    carriedOver.templates += await carryOverTemplates(deps, project);
    carriedOver.automations += await carryOverAutomations(deps, project);
    carriedOver.domains += await carryOverDomains(deps, project);
    for (const carry of [carryOverPeople, carryOverCampaigns, carryOverMigrations])
      for (const [what, count] of Object.entries(await carry(deps, project)))
        carriedOver[what as keyof typeof carriedOver] += count;
  }
  return { carriedOver: { ...carriedOver, ...(await carryOverMail(deps)) }, undecided };
}

async function main(args: string[]): Promise<void> {
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((words) => Object.hasOwn(commands, words));
  if (name === undefined) throw new CommandError(help());
  const rest = args.slice(name.split(' ').length);
  await withDeps(readConfig({ ...process.env, ...runningStack() }), (deps) =>
    (commands[name] as Command).run(deps, rest),
  );
}

/** While `npm start` runs, its servers are used, unless a URL says otherwise. */
function runningStack(): Record<string, string> {
  const { dataDir } = readConfig(process.env);
  const [file, keys] = [join(dataDir, 'stack.json'), join(dataDir, 'secret-keys')];
  if (process.env.MONGODB_URL || !existsSync(file)) return {};
  const { mongoUrl, redisUrl, temporalAddress, temporalNamespace } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: temporalNamespace,
    ...(!process.env.SECRET_KEYS && existsSync(keys) ? { SECRET_KEYS: readFileSync(keys, 'utf8').trim() } : {}),
  };
}

function help(): string {
  const lines = Object.entries(commands).map(
    ([name, { usage, does }]) => `  npm run admin -- ${`${name} ${usage}`.trim()}\n      ${does}`,
  );
  return `Say what to do:\n${lines.join('\n')}`;
}

function requireId(text: string | undefined, name: string) {
  const id = parseId(text);
  if (!id)
    throw new CommandError(
      `${name} must be 24 hexadecimal characters; npm run admin -- organizations list shows them.`,
    );
  return id;
}

function isForPeople(error: unknown): error is Error {
  return [CommandError, ConfigError, AppError, SecretError].some((kind) => error instanceof kind);
}

function print(fields: object): void {
  console.log(JSON.stringify(fields));
}

export function run(args: string[]): void {
  main(args).then(
    () => process.exit(0),
    (error) => {
      console.error(isForPeople(error) ? error.message : error);
      process.exit(1);
    },
  );
}

if (import.meta.main) run(process.argv.slice(2));
