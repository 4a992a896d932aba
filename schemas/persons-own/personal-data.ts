import { timestampField } from '../common.ts';
import { shape } from '../schema.ts';

/** The file with the data of a person: documented here, and made of core/persons-own/personal-data. */
export const personalDataFile = shape({
  title: 'PersonalData',
  type: 'object',
  required: ['project', 'email', 'madeAt'],
  description: 'A part for each collection that names the person, each an array. docs/public-door.md has the parts.',
  properties: {
    project: { type: 'string', description: 'The name of the project.' },
    email: { type: 'string' },
    madeAt: timestampField,
  },
  additionalProperties: { type: 'array', items: { type: 'object' } },
});
