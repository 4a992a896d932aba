import type { Migration, MigrationPhase } from '../../core/migrations/model.ts';
import type { MigratedGroup } from '../../core/migrations/on-demand.ts';
import type { MigratedTemplate } from '../../core/migrations/phases/templates.ts';
import { presentSuppressionGroup } from './consent.ts';

export function presentMigration(migration: Migration) {
  const { _id, projectId, provider, status, phase, phases, attention, run, version } = migration;
  const { startedAt, completedAt, failureReason, createdAt, updatedAt } = migration;
  const isReported = completedAt !== null || status === 'needs_attention';
  return {
    id: _id,
    bulkOperationId: _id,
    projectId,
    provider,
    status,
    phase,
    phases: phases.map(presentPhase),
    report: isReported ? phases.map(presentReport) : null,
    attention,
    run,
    version,
    startedAt,
    completedAt,
    failureReason,
    createdAt,
    updatedAt,
  };
}

function presentPhase({ cursor: _, review: __, details: ___, ...phase }: MigrationPhase) {
  return phase;
}

/** Total of the source and count here; `failed` and `skipped` are the difference. */
function presentReport(phase: MigrationPhase) {
  const { name, status, total, succeeded, created, updated, skipped, failed, details, review } = phase;
  return {
    name,
    status,
    sourceCount: total,
    targetCount: succeeded,
    created,
    updated,
    skipped,
    failed,
    details,
    needsReview: review,
  };
}

export function presentMigratedTemplates(templates: MigratedTemplate[]) {
  const count = (status: MigratedTemplate['status']) =>
    templates.filter((template) => template.status === status).length;
  return {
    created: count('created'),
    updated: count('updated'),
    skipped: count('skipped'),
    failed: count('failed'),
    templates: templates.map(
      ({ sourceId, templateId, templateName, status, needsReview, message, notes, failures }) => ({
        sourceId,
        templateId,
        templateName,
        status,
        needsReview,
        notes: [...(message === null ? [] : [message]), ...notes, ...failures],
      }),
    ),
  };
}

/** When the group existed already and only the group was requested, the answer is its record. */
export function presentMigratedGroup({ group, created, importedEmails }: MigratedGroup) {
  const { groupId, name } = group;
  if (created || importedEmails !== null) return { groupId, name, created, importedEmails: importedEmails ?? 0 };
  return presentSuppressionGroup(group);
}
