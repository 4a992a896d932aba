import type { Figure } from '../../rig/results/report.ts';
import { latency } from '../audience/requests.ts';
import { withApi } from './tabs.ts';

const LENGTH = 100_000;
/** A project may ask for 600 a minute. */
const CALLS_A_ROUND = 150;
const ASKED_MS = 50;

/** Drafts of 100 kB as an editor sends them: each is another text, and none was compiled before. */
export function previews(): Promise<Figure[]> {
  return withApi(async ({ client }) => {
    await client.post('/contacts', { email: 'ada@harbour.example', firstName: 'Ada' });
    const found = await latency('Preview of a draft of 100 kB', CALLS_A_ROUND, { atMost: ASKED_MS }, (index) =>
      client.post('/templates/preview', {
        ...{ emailTemplate: draftOf(index), subject: 'News for {{firstName}}', previewText: `Edition ${index}` },
        ...{ templateType: 'marketing', email: 'ada@harbour.example' },
      }),
    );
    return [found];
  });
}

/** A newsletter of tables, styles, links, pictures and variables. */
function draftOf(index: number): string {
  const parts: string[] = [];
  for (let length = 0; length < LENGTH; length += parts.at(-1)?.length ?? 0) parts.push(articleOf(index, parts.length));
  return `<!doctype html><html><head><title>Edition ${index}</title></head><body>\n${parts.join('\n')}\n<p><a href="{{unsubscribe}}">Unsubscribe</a></p></body></html>`;
}

function articleOf(edition: number, article: number): string {
  return `<table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td style="padding:16px 24px;font:16px/1.5 Georgia,serif">
<a href="https://harbour.example/books/${edition}/${article}?from=letter"><img src="https://harbour.example/covers/${article}.jpg" width="120" height="180" alt="Cover"></a>
<h2 style="margin:0 0 8px;font-size:20px">Book ${article} of edition ${edition}</h2>
<p style="margin:0 0 12px">{{default firstName "Reader"}}, this one is about the sea, and about the people who live by it. {{#if plan}}You have it at your price.{{/if}}</p>
<p style="margin:0"><a href="https://harbour.example/books/${edition}/${article}/order">Order it</a> &middot; <b>18,00 &euro;</b></p>
</td></tr></table>`;
}
