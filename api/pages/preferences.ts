import { maskWholeEmail } from '../../core/base/text/addresses.ts';
import { escapeHtml } from '../../core/base/text/html.ts';
import { fill, fillHtml } from '../../core/base/text/languages/fill.ts';
import { LANGUAGES, type Language, type Texts, textsIn } from '../../core/base/text/languages/index.ts';
import { lookOf } from '../../core/base/text/look.ts';
import type { GroupChoice, ListChoice, Preferences } from '../../core/persons-own/preferences/preferences.ts';
import type { Reason } from '../../core/persons-own/preferences/reason.ts';
import type { Page } from '../http/endpoint.ts';
import { page } from './layout.ts';

export const ACTION_FIELD = 'action';
export const LANGUAGE_FIELD = 'language';
/** Before the id of a list, or the code of a group. The value is on or off; the browser sends both for a box that is checked. */
export const LIST_FIELD = 'list.';
export const GROUP_FIELD = 'group.';

export type PreferencesAction = 'save' | 'everything-off';

type Words = Texts['preferences'];

const DESCRIPTION_SHOWN_MAX = 200;

/** `done`: the action of the button that was just pressed. */
export function preferencesPage(
  preferences: Preferences,
  token: string,
  reason: Reason,
  done: PreferencesAction | null,
): Page {
  const { language, project, ref } = preferences;
  const texts = textsIn(language);
  const words = texts.preferences;
  const address = { html: `<strong>${escapeHtml(maskWholeEmail(ref.email))}</strong>` };
  const parts = [
    `<h1>${escapeHtml(words.heading)}</h1>`,
    `<p>${fillHtml(words.of, { address })}</p>`,
    done &&
      `<p role="status"><strong>${escapeHtml(done === 'save' ? words.saved : words.everythingIsOff)}</strong></p>`,
    choices(preferences, words),
    `<form method="post" action="">`,
    `<button type="submit" name="${ACTION_FIELD}" value="everything-off" class="quiet">${escapeHtml(words.everythingOff)}</button>`,
    '</form>',
    `<p class="note">${escapeHtml(words.everythingNote)}</p>`,
    done ? null : `<p class="note">${escapeHtml(texts.layout.nothingChanges)}</p>`,
    whyPart(preferences, reason, words),
    dataPart(preferences, token, texts),
  ];
  const body = parts.filter((part) => part !== null).join('\n');
  return page({ texts, look: lookOf(project), title: words.title, body });
}

/** The words in which a list is offered, for the record of the consent. */
export function offerOf(language: Language, list: ListChoice): string {
  const { lists } = textsIn(language).preferences;
  const description = list.description.slice(0, DESCRIPTION_SHOWN_MAX);
  return `${lists}: ${list.name}${description ? ` (${description})` : ''}`;
}

/** Posts to the URL of the page itself. */
function choices(preferences: Preferences, words: Words): string {
  const { lists, groups, mayChooseLanguage, language } = preferences;
  const boxes = [
    ...fieldset(words.lists, lists.map(listBox)),
    ...fieldset(
      words.groups,
      groups.map((group) => groupBox(group, words)),
    ),
    ...(mayChooseLanguage ? [languageChoice(language, words)] : []),
  ];
  if (boxes.length === 0) return '';
  return `<form method="post" action="">
${boxes.join('\n')}
<button type="submit" name="${ACTION_FIELD}" value="save">${escapeHtml(words.save)}</button>
</form>`;
}

function fieldset(legend: string, boxes: string[]): string[] {
  return boxes.length === 0
    ? []
    : [`<fieldset><legend>${escapeHtml(legend)}</legend>\n${boxes.join('\n')}\n</fieldset>`];
}

function listBox({ id, name, description, isOn }: ListChoice): string {
  return box(`${LIST_FIELD}${id}`, { name, description, isOn });
}

function groupBox({ group, state }: GroupChoice, words: Words): string {
  const { groupId, isDefault, description } = group;
  const name = isDefault ? words.newsletters : group.name;
  if (state === 'stopped') return check('type="checkbox" disabled', name, words.stopped);
  const isOn = state === 'subscribed';
  return box(`${GROUP_FIELD}${groupId}`, { name, description: isDefault ? '' : description, isOn });
}

/** The hidden field says that the box was shown: a list that becomes public afterwards is left as it is. */
function box(field: string, { name, description, isOn }: Omit<ListChoice, 'id'>): string {
  const input = `type="checkbox" name="${escapeHtml(field)}" value="on"${isOn ? ' checked' : ''}`;
  return `<input type="hidden" name="${escapeHtml(field)}" value="off">${check(input, name, description)}`;
}

function check(input: string, name: string, description: string): string {
  const more = description ? `<br><small>${escapeHtml(description.slice(0, DESCRIPTION_SHOWN_MAX))}</small>` : '';
  return `<label class="check"><input ${input}><span>${escapeHtml(name)}${more}</span></label>`;
}

function languageChoice(chosen: Language, words: Words): string {
  const options = LANGUAGES.map((language) => {
    const { tag, name } = textsIn(language);
    return `<option value="${tag}" lang="${tag}"${language === chosen ? ' selected' : ''}>${escapeHtml(name)}</option>`;
  });
  return `<div class="field"><label for="${LANGUAGE_FIELD}">${escapeHtml(words.language)}</label>
<select id="${LANGUAGE_FIELD}" name="${LANGUAGE_FIELD}">${options.join('')}</select></div>`;
}

function whyPart({ project, language }: Preferences, reason: Reason, words: Words): string {
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const on = (date: Date) => dates.format(date);
  const name = project.publicName ?? project.name;
  const sentences = [
    mailSentence(reason.mail, on, words),
    ...reason.lists.map((list) =>
      list.since === null
        ? fill(words.inList, { list: list.name })
        : fill(words.inListSince, { list: list.name, date: on(list.since) }),
    ),
    ...(reason.knownSince ? [fill(words.knownSince, { name, date: on(reason.knownSince) })] : []),
    ...reason.consents.map(({ text, askedAt, confirmedAt }) =>
      fill(words.agreed, { date: on(confirmedAt ?? askedAt), text }),
    ),
  ];
  const items = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`);
  return `<h2>${escapeHtml(words.why)}</h2>\n${items.join('\n')}`;
}

/** Posts to the path below that of the page. */
function dataPart({ project }: Preferences, token: string, texts: Texts): string {
  const { heading, ask, askButton } = texts.data;
  return `<h2>${escapeHtml(heading)}</h2>
<p>${escapeHtml(fill(ask, { name: project.publicName ?? project.name }))}</p>
<form method="post" action="${escapeHtml(token)}/data">
<button type="submit" class="quiet">${escapeHtml(askButton)}</button>
</form>`;
}

function mailSentence(mail: Reason['mail'], on: (date: Date) => string, words: Words): string {
  if (mail === null) return words.mailGone;
  const date = on(mail.sentAt);
  const opened =
    mail.subject === null
      ? fill(words.mailWithoutSubject, { date })
      : fill(words.mail, { subject: mail.subject, date });
  return `${opened} ${words[mail.kind]}`;
}
