import type { Form } from '../../../client/index.ts';
import { useNames } from '../../parts/choose/names.ts';
import { listsWithoutSegments, suppressionGroups, templates } from '../../parts/choose/things.ts';
import type { Form as Typed } from '../../parts/forms/form.ts';
import type { Parts } from '../../parts/forms/overtaken.tsx';
import type { Draft, DraftField } from './draft.ts';

/** The parts of the editor as the page calls them, for two versions next to each other. */
export function useParts(newest: Form | null, form: Typed<Draft>): Parts<Draft> {
  const typed = form.values.value;
  // Only then are the names of both needed.
  const ids = (name: 'listIds' | 'unsubscribeGroupIds') => (newest ? [...newest[name], ...typed[name]] : []);
  const lists = useNames(listsWithoutSegments, ids('listIds'));
  const groups = useNames(suppressionGroups, ids('unsubscribeGroupIds'));
  const mails = [newest?.confirmationTemplateId ?? '', newest ? typed.confirmationTemplateId : ''];
  const templateNames = useNames(templates, mails);
  const named = (label: string, names: { name(id: string): string }) => ({
    label,
    text: (chosen: readonly string[]) => chosen.map((id) => names.name(id)).join('\n'),
  });
  return {
    name: 'Name of the form',
    listIds: named('They join', lists),
    fields: { label: 'Fields', text: (fields) => fields.map(lineOf).join('\n') },
    doubleOptIn: 'People confirm their address by a mail',
    confirmationTemplateId: {
      label: 'The mail',
      text: (id) => (id === '' ? '' : templateNames.name(id)),
    },
    unsubscribeGroupIds: named('Takes back unsubscribes in', groups),
    'redirectTo/submitted': 'When the form was sent, they go to',
    'redirectTo/confirmed': 'When they have confirmed, they go to',
    allowedOrigins: 'Sites that may show it or send it',
    'texts/title': 'Heading',
    'texts/intro': 'Below it',
    'texts/button': 'Button',
    'texts/consent': 'What people agree to',
    'texts/submitted': 'When the form was sent',
    'texts/confirmed': 'When they have confirmed',
    'texts/mailSubject': 'Subject of the mail',
    'texts/mailText': 'Text of the mail',
    'texts/mailButton': 'Button of the mail',
  };
}

function lineOf({ name, label, type, options, required, initial }: DraftField): string {
  const more = [
    ...(required ? ['required'] : []),
    ...(options === '' ? [] : [`one of ${options.split('\n').join(', ')}`]),
    ...(initial === '' ? [] : [`begins with ${initial}`]),
  ];
  return [`${label} (${name}, ${type})`, ...more].join(', ');
}
