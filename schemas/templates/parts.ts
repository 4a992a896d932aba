import {
  createdByField,
  idField,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  seenUpdate,
  timestampField,
} from '../common.ts';
import { schema, shape } from '../schema.ts';
import { contentField } from './blocks.ts';
import { unpublished } from './brand.ts';
import { newestVersion, TEMPLATE_LENGTH_MAX, templateQuery } from './templates.ts';

/** Layouts around mails, and snippets inside them. */

const name = { type: 'string', minLength: 1, maxLength: 200, format: 'line', pattern: '\\S' } as const;
const snippetName = {
  type: 'string',
  pattern: '^[a-z][a-z0-9-]{0,39}$',
  description: 'As in {{> name}}; it stays.',
} as const;
const fields = {
  description: { type: 'string', maxLength: 1_000 },
  emailTemplate: {
    type: 'string',
    minLength: 1,
    maxLength: TEMPLATE_LENGTH_MAX,
    description: 'HTML; instead of content.',
  },
  content: contentField,
  draft: { type: 'boolean', description: 'Saved as a draft, which no mail has. For authors always.' },
} as const;

export const createLayoutBody = schema({
  title: 'CreateLayoutBody',
  type: 'object',
  required: ['name'],
  properties: { name, ...fields },
});
export const createSnippetBody = schema({
  title: 'CreateSnippetBody',
  type: 'object',
  required: ['name'],
  properties: { name: snippetName, ...fields },
});
const changed = { ...fields, newestVersion, updatedAt: seenUpdate } as const;
export const updateLayoutBody = schema({
  title: 'UpdateLayoutBody',
  type: 'object',
  properties: { name, ...changed },
});
export const updateSnippetBody = schema({ title: 'UpdateSnippetBody', type: 'object', properties: changed });

export const partQuery = templateQuery;
export const partsQuery = schema({
  type: 'object',
  properties: { ...pageFields, search: { type: 'string', maxLength: 200, description: 'Part of the name.' } },
});

const user = {
  title: 'PartUser',
  type: 'object',
  required: ['kind', 'id', 'name'],
  properties: {
    kind: { type: 'string', enum: ['template', 'layout', 'snippet'] },
    id: { type: 'string' },
    name: { type: 'string' },
  },
} as const;

const part = {
  title: 'MailPart',
  type: 'object',
  required: [
    ...['id', 'projectId', 'name', 'description', 'emailTemplate', 'builderType', 'editorJson', 'createdBy', 'version'],
    ...[
      'publishedVersion',
      'draftVersion',
      'newestVersion',
      'isDraftOutdated',
      'publishedAt',
      'createdAt',
      'updatedAt',
    ],
  ],
  properties: {
    id: { type: 'string', description: 'Of a layout: its layoutId; of a snippet: its name.' },
    projectId: idField,
    name: { type: 'string' },
    description: { type: 'string' },
    emailTemplate: { type: 'string' },
    builderType: { type: 'string', enum: ['code', 'editor'] },
    editorJson: { type: ['object', 'null'] },
    createdBy: createdByField,
    version: { type: 'integer' },
    publishedVersion: { type: ['integer', 'null'] },
    draftVersion: { type: ['integer', 'null'] },
    newestVersion: { type: 'integer' },
    isDraftOutdated: { type: 'boolean' },
    publishedAt: nullableTimestamp,
    createdAt: timestampField,
    updatedAt: timestampField,
    usedBy: {
      type: 'array',
      items: user,
      description: 'Of GET of one: what has it in its published version or its draft; the newest 100.',
    },
    uses: { type: 'integer', description: 'Of GET of one: how many there are.' },
  },
} as const;

export const partAnswer = shape(part);
export const layoutsAnswer = pageAnswer('LayoutsPage', 'layouts', part);
export const snippetsAnswer = pageAnswer('SnippetsPage', 'snippets', part);

export const republishBody = schema({
  title: 'RepublishBody',
  type: 'object',
  description: 'One of its fields.',
  properties: {
    templateIds: { type: 'array', minItems: 1, maxItems: 10_000, items: { type: 'string', maxLength: 64 } },
    layoutId: { type: 'string', maxLength: 64, description: 'All that have it.' },
    snippet: { type: 'string', maxLength: 64, description: 'The name; all that have it.' },
    brand: { type: 'boolean', enum: [true], description: 'All that name it.' },
  },
});

const count = { type: 'integer', minimum: 0 } as const;
export const republicationAnswer = shape({
  title: 'Republication',
  type: 'object',
  required: [
    ...['id', 'status', 'total', 'published', 'unchanged', 'failed', 'failures', 'pending'],
    ...['createdAt', 'updatedAt', 'completedAt'],
  ],
  properties: {
    id: idField,
    status: { title: 'RepublicationStatus', enum: ['queued', 'running', 'completed'] },
    total: count,
    published: { ...count, description: 'As a new version.' },
    unchanged: { ...count, description: 'Their mail is the same.' },
    failed: count,
    failures: { type: 'array', items: unpublished, description: 'The first 100.' },
    pending: count,
    createdAt: timestampField,
    updatedAt: timestampField,
    completedAt: nullableTimestamp,
  },
});
