import { bodyOrNull, checkOf, text, textOrNull } from './checks.ts';

/** The fields of provider A's answers that are read. Every list may be missing or null when it is empty. */
interface Item {
  id: string;
  name: string;
}

interface Page<T> {
  result?: T[] | null;
  _metadata?: { next?: string | null } | null;
}

interface Version {
  id: string;
  active?: unknown;
  subject?: string | null;
  html_content?: string | null;
  plain_content?: string | null;
}

interface Group {
  id: number | string;
  name: string;
  description?: string | null;
  unsubscribes?: number | null;
}

interface ExportState {
  status: string;
  urls?: string[] | null;
  contact_count?: number | null;
  message?: string | null;
}

const metadata = { type: ['object', 'null'], properties: { next: textOrNull } };
const COUNT_BOUNDS = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** The last second that a date can have. */
const SECONDS_MAX = 8_640_000_000_000;
const count = { type: ['integer', 'null'], ...COUNT_BOUNDS };
const id = { type: ['integer', 'string'] };
const item = { type: 'object', required: ['id', 'name'], properties: { id: text, name: text } };
const version = {
  type: 'object',
  required: ['id'],
  properties: { id: text, subject: textOrNull, html_content: bodyOrNull, plain_content: bodyOrNull },
};
const group = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id, name: text, description: textOrNull, unsubscribes: count },
};

function listOf(items: object) {
  return { type: ['array', 'null'], items };
}

export const scopes = checkOf<{ scopes: string[] }>({
  type: 'object',
  required: ['scopes'],
  properties: { scopes: { type: 'array', items: text } },
});

export const templatePage = checkOf<Page<Item> & { templates?: Item[] | null }>(
  { type: 'object', properties: { result: listOf(item), templates: listOf(item), _metadata: metadata } },
  {},
);

export const oneTemplate = checkOf<Item & { versions?: Version[] | null }>({
  ...item,
  properties: { ...item.properties, versions: listOf(version) },
});

export const oneVersion = checkOf<Version>(version);

export const fieldList = checkOf<{ custom_fields?: (Item & { field_type?: string | null })[] | null }>(
  {
    type: 'object',
    properties: { custom_fields: listOf({ ...item, properties: { ...item.properties, field_type: textOrNull } }) },
  },
  {},
);

export const listPage = checkOf<Page<Item & { contact_count?: number | null }>>(
  {
    type: 'object',
    properties: {
      result: listOf({ ...item, properties: { ...item.properties, contact_count: count } }),
      _metadata: metadata,
    },
  },
  {},
);

export const contactCount = checkOf<{ contact_count: number }>({
  type: 'object',
  required: ['contact_count'],
  properties: { contact_count: { type: 'integer', ...COUNT_BOUNDS } },
});

export const oneGroup = checkOf<Group>(group);
export const groupList = checkOf<Group[]>({ type: 'array', items: group }, []);
export const addressList = checkOf<string[]>({ type: 'array', items: text }, []);

export const suppressionRows = checkOf<{ email: string; group_id: number | string }[]>(
  {
    type: 'array',
    items: { type: 'object', required: ['email', 'group_id'], properties: { email: text, group_id: id } },
  },
  [],
);

export const suppressedRows = checkOf<{ email: string; created?: number | null }[]>(
  {
    type: 'array',
    items: {
      type: 'object',
      required: ['email'],
      properties: { email: text, created: { type: ['number', 'null'], minimum: 0, maximum: SECONDS_MAX } },
    },
  },
  [],
);

export const exportStarted = checkOf<{ id: string }>({
  type: 'object',
  required: ['id'],
  properties: { id: text },
});

export const exportState = checkOf<ExportState>({
  type: 'object',
  required: ['status'],
  properties: {
    status: text,
    urls: listOf({ type: 'string', maxLength: 8_000 }),
    contact_count: count,
    message: textOrNull,
  },
});
