import type { Deps } from '../../../core/base/deps.ts';
import { invalid } from '../../../core/base/errors.ts';
import { findPreferences } from '../../../core/persons-own/preferences/preferences.ts';
import { findReason } from '../../../core/persons-own/preferences/reason.ts';
import { type Chosen, savePreferences, turnEverythingOff } from '../../../core/persons-own/preferences/save.ts';
import { readForm } from '../../http/body/form.ts';
import { endpoint, type RequestFacts } from '../../http/endpoint.ts';
import { linkNotFound } from '../../pages/not-found.ts';
import {
  ACTION_FIELD,
  GROUP_FIELD,
  LANGUAGE_FIELD,
  LIST_FIELD,
  offerOf,
  type PreferencesAction,
  preferencesPage,
} from '../../pages/preferences.ts';

const tag = 'public';
const errors = { 404: 'The token is not one of ours.' } as const;

export const preferenceRoutes = [
  endpoint({
    operation: 'public.preferencesPage',
    method: 'get',
    path: '/p/{token}',
    key: 'none',
    tag,
    summary: 'Show the preference page of the recipient of a mail; this changes nothing',
    description: 'The token is that of the unsubscribe link of the mail. The page shows public lists and groups alone.',
    produces: ['text/html'],
    errors,
    handler: async ({ deps, params, request }) => shown(deps, params.token ?? '', request, null),
  }),
  endpoint({
    operation: 'public.savePreferences',
    method: 'post',
    path: '/p/{token}',
    key: 'none',
    tag,
    summary: 'Save the choices of the preference page, or turn everything off',
    rawBody: ['application/x-www-form-urlencoded'],
    produces: ['text/html'],
    errors,
    handler: async ({ deps, params, request }) => {
      const token = params.token ?? '';
      const [form, preferences] = await Promise.all([
        readForm(request.incoming),
        findPreferences(deps, token, request.header('accept-language')),
      ]);
      if (!preferences) return linkNotFound(request);
      const action = form.get(ACTION_FIELD);
      if (action === 'everything-off') await turnEverythingOff(deps, preferences);
      else if (action === 'save')
        await savePreferences(deps, preferences, chosenIn(form), {
          ip: request.ip,
          offerOf: (list) => offerOf(preferences.language, list),
        });
      else throw invalid('Use a button of the page.', `${ACTION_FIELD}: must be save or everything-off`);
      return shown(deps, token, request, action);
    },
  }),
];

async function shown(deps: Deps, token: string, request: RequestFacts, done: PreferencesAction | null) {
  const preferences = await findPreferences(deps, token, request.header('accept-language'));
  if (!preferences) return linkNotFound(request);
  return preferencesPage(preferences, token, await findReason(deps, preferences), done);
}

/** Boxes that the form does not name were not shown. */
function chosenIn(form: ReadonlyMap<string, string>): Chosen {
  const boxes = (prefix: string) =>
    new Map(
      [...form].flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value === 'on'] as const] : [],
      ),
    );
  return { lists: boxes(LIST_FIELD), groups: boxes(GROUP_FIELD), language: form.get(LANGUAGE_FIELD) };
}
