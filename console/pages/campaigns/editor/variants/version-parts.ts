import type { Parts } from '../../../../parts/forms/overtaken.tsx';
import { type OwnMail, textOfMail } from '../own-mail.ts';
import { type Index, keyOf, mailKeyOf, type OwnField, ownFields, VARIANT_IDS, type VariantFields } from './given.ts';
import { METRICS, TIES } from './test-fields.tsx';
import { minutesWords } from './words.ts';

const labels: Record<OwnField, string> = {
  subject: 'Subject',
  previewText: 'Preview text',
  'from/email': 'From',
  'from/name': 'Name shown',
  templateId: 'Template',
  share: 'Per cent',
};

/** For two versions next to each other. */
export function variantParts(templateName: (id: string) => string): Parts<VariantFields> {
  const own = VARIANT_IDS.flatMap((id, index) =>
    ownFields.map((field) => {
      const label = `${labels[field]} of mail ${id}`;
      const text = (value: string) => (field === 'templateId' && value !== '' ? templateName(value) : value);
      return [keyOf(index as Index, field), { label, text }];
    }),
  );
  const mails = VARIANT_IDS.map((id, index) => {
    const text = (mail: OwnMail | null) => (mail ? textOfMail(mail) : 'As it is saved');
    return [mailKeyOf(index as Index), { label: `Mail ${id}`, text }];
  });
  const minutes = (label: string) => ({ label, text: (value: string) => minutesWords(Number(value)) });
  const chosen = <V extends string>(label: string, options: ReadonlyArray<{ value: V; label: string }>) => ({
    label,
    text: (value: V) => options.find((option) => option.value === value)?.label ?? value,
  });
  return {
    ...(Object.fromEntries([...own, ...mails]) as Parts<Omit<VariantFields, 'variants'>>),
    variants: { label: 'How many mails', text: (count) => (count === '0' ? 'One mail for all' : count) },
    comparing: { label: 'Who gets which', text: (how) => (how === 'test' ? 'A test first' : 'Shares') },
    'test/share': 'Per cent of the people for the test',
    'test/metric': chosen('The better one has more', METRICS),
    event: 'Event',
    'test/decideAfterMinutes': minutes('Decided after'),
    'test/minPerVariant': 'Not before each mail has reached',
    'test/giveUpAfterMinutes': minutes('The figures have time until'),
    'test/onTie': chosen('If they have not decided by then', TIES),
    holdOutShare: 'Per cent who get nothing',
  };
}
