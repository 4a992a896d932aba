import { bodyOrNull, checkOf, text, textOrNull } from './checks.ts';

/** The fields of provider B's answers that are read; its own description says string where it sends null. */
interface Page<T> {
  data: T[];
  has_more?: boolean | null;
}

interface Item {
  id: string;
  name: string;
}

interface Contact {
  id: string;
  email: string;
  first_name?: string | null;
  last_name?: string | null;
  unsubscribed?: boolean | null;
  created_at?: string | null;
  properties?: Record<string, unknown> | null;
}

interface Template extends Item {
  subject?: string | null;
  html?: string | null;
  text?: string | null;
}

const flag = { type: ['boolean', 'null'] };
const item = { type: 'object', required: ['id', 'name'], properties: { id: text, name: text } };
const contact = {
  type: 'object',
  required: ['id', 'email'],
  properties: {
    id: text,
    email: text,
    first_name: textOrNull,
    last_name: textOrNull,
    unsubscribed: flag,
    created_at: textOrNull,
    properties: { type: ['object', 'null'] },
  },
};

function pageOf(row: object) {
  return {
    type: 'object',
    required: ['data'],
    properties: { has_more: flag, data: { type: 'array', items: row } },
  };
}

export const itemPage = checkOf<Page<Item>>(pageOf(item));

export const topicPage = checkOf<Page<Item & { description?: string | null }>>(
  pageOf({ ...item, properties: { ...item.properties, description: textOrNull } }),
);

export const propertyPage = checkOf<Page<{ id: string; key: string; type?: string | null }>>(
  pageOf({ type: 'object', required: ['id', 'key'], properties: { id: text, key: text, type: textOrNull } }),
);

export const contactPage = checkOf<Page<Contact>>(pageOf(contact));
export const oneContact = checkOf<Contact>(contact);

export const oneTemplate = checkOf<Template>({
  ...item,
  properties: { ...item.properties, subject: textOrNull, html: bodyOrNull, text: bodyOrNull },
});
