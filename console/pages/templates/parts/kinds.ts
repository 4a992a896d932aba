import type { MailPart, TemplateContent } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import type { Path } from '../../../paths.ts';
import { place } from '../../../router.ts';
import { type Calls, callsOf } from '../calls.ts';

/** Layouts and snippets differ in a few words, and in where they are. */
export interface Kind {
  part: 'layout' | 'snippet';
  plural: 'layouts' | 'snippets';
  title: string;
  path: '/templates/layouts' | '/templates/snippets';
  about: string;
}

const kinds: readonly Kind[] = [
  {
    ...{ part: 'layout', plural: 'layouts', title: 'Layouts', path: '/templates/layouts' },
    about:
      'A layout stands around mails: the head and the foot that they share. A template names the one that it stands in.',
  },
  {
    ...{ part: 'snippet', plural: 'snippets', title: 'Snippets', path: '/templates/snippets' },
    about: 'A snippet is a part that many mails share, such as a footer. Blocks name it, and code says {{> name}}.',
  },
];

/** Of the page that is shown. */
export function kindNow(): Kind {
  const { path } = place.value;
  return kinds.find((one) => path.startsWith(one.path)) ?? kinds[0]!;
}

export function pathOf({ path }: Kind, id: string): Path {
  return `${path}/${id}`;
}

/** The two have the same calls. */
export function apiOf({ plural }: Kind): typeof api.layouts {
  return api[plural] as typeof api.layouts;
}

export function callsOfPart(kind: Kind, id: string): Calls<MailPart> {
  return callsOf(kind.plural, id, pathOf(kind, id));
}

/** To begin with. */
export function firstContent({ part }: Kind, made: string): { emailTemplate: string } | { content: TemplateContent } {
  if (made === 'code')
    return {
      emailTemplate:
        part === 'layout'
          ? '<!doctype html>\n<html lang="en">\n<body>\n<h1>Your name</h1>\n{{{content}}}\n<p><a href="{{unsubscribe}}">Unsubscribe</a></p>\n</body>\n</html>\n'
          : '<p><a href="{{unsubscribe}}">Unsubscribe</a></p>\n',
    };
  const end = { id: 'end', type: 'footer' as const, brand: true as const };
  const blocks = [
    { id: 'top', type: 'header' as const, brand: true as const },
    { id: 'mail', type: 'content' as const },
    end,
  ];
  return { content: { v: 1, look: { brand: true }, blocks: part === 'layout' ? blocks : [end] } };
}
