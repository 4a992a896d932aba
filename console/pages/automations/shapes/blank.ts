import { starterContent } from '../../templates/starter.ts';
import { type Shape, wait } from './parts.ts';

export const blank: Shape = {
  label: 'From nothing',
  hint: 'A single mail that is not written yet',
  name: '',
  entryCriteria: { type: 'contact_created' },
  steps: [wait(0, 'minutes'), { type: 'email', email: { subject: 'New mail', content: starterContent('marketing') } }],
};
