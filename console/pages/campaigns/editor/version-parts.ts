import type { Campaign } from '../../../../client/index.ts';
import { useNames } from '../../../parts/choose/names.ts';
import { audiences, suppressionGroups, templates } from '../../../parts/choose/things.ts';
import type { Form } from '../../../parts/forms/form.ts';
import type { Parts } from '../../../parts/forms/overtaken.tsx';
import type { Draft } from './draft.ts';
import { draftOf } from './draft.ts';
import { LATE } from './local.ts';
import { measuringParts } from './measuring-section.tsx';
import { textOfMail } from './own-mail.ts';
import { placeOfPictures } from './pictures.ts';
import { indexesOf, keyOf } from './variants/given.ts';
import { variantParts } from './variants/version-parts.ts';

const times = {
  immediate: 'At once',
  scheduled: 'At a time',
  local: 'At local time',
  gradual: 'Gradually',
} as const;

/** The parts of the editor as the page calls them, for two versions next to each other. */
export function useVersionParts(newest: Campaign | null, form: Form<Draft>): Parts<Draft> {
  // Only then are the names of both needed.
  const both = newest ? [draftOf(newest), form.values.value] : [];
  const lists = useNames(
    audiences,
    both.flatMap(({ toLists, excludeLists }) => [...toLists, ...excludeLists]),
  );
  const groups = useNames(
    suppressionGroups,
    both.map(({ unsubscribeGroupId }) => unsubscribeGroupId),
  );
  const mails = useNames(
    templates,
    both.flatMap((one) => [one.templateId, ...indexesOf(one).map((index) => one[keyOf(index, 'templateId')])]),
  );
  const many = (label: string) => ({
    label,
    text: (ids: readonly string[]) => ids.map((id) => lists.name(id)).join('\n'),
  });
  return {
    name: 'Name of the campaign',
    subject: 'Subject',
    previewText: 'Preview text',
    fromEmail: 'From',
    fromName: 'Name shown',
    replyTo: 'Answers go to',
    templateId: { label: 'Template', text: (id) => (id === '' ? '' : mails.name(id)) },
    inlinePictures: { label: 'Pictures', text: placeOfPictures },
    mail: { label: 'Mail', text: (mail) => (mail ? textOfMail(mail) : '') },
    toLists: many('To'),
    excludeLists: many('But not'),
    audience: { label: 'Those who did not open a campaign', text: (other) => other?.campaignId ?? '' },
    unsubscribeGroupId: {
      label: 'Unsubscribe group',
      text: (id) => (id === '' ? 'The default group' : groups.name(id)),
    },
    tags: 'Tags',
    when: { label: 'When', text: (when) => times[when] },
    scheduledAt: { label: 'Time', text: (at) => at.replace('T', ' ') },
    'localTime/date': 'Day',
    'localTime/time': 'Time where each person is',
    'localTime/fallbackTimezone': 'People without a time zone are in',
    'localTime/late': {
      label: 'People whose time is over by then',
      text: (late) => LATE.find(({ value }) => value === late)?.label ?? late,
    },
    emailsPerDay: 'People on the first day',
    growth: 'Each day after it',
    timezone: 'Days begin in',
    ...measuringParts,
    ...variantParts((id) => (mails.of(id)?.thing?.campaignId ? 'Written in the campaign' : mails.name(id))),
  };
}
