import { footer, header, heading, spans, starter, text } from './words.ts';

export const digest = starter({
  id: 'digest',
  name: 'Digest',
  description: 'The newest articles of a feed. Data: items (title, summary, url).',
  templateType: 'marketing',
  look: { accent: '#8a1c5b', background: '#f8eff4', font: 'serif' },
  words: {
    en: {
      subject: 'New on our site this week',
      previewText: '{items.0.title|The newest articles}',
      title: 'New this week',
      intro: 'Hello {firstName|there}, this is what we published since the last mail.',
      none: 'Nothing new this week. We write again when there is.',
      more: 'Read it',
    },
    de: {
      subject: 'Neu auf unserer Seite diese Woche',
      previewText: '{items.0.title|Die neuesten Artikel}',
      title: 'Neu diese Woche',
      intro: 'Hallo {firstName|zusammen}, das haben wir seit der letzten Mail veröffentlicht.',
      none: 'Diese Woche gibt es nichts Neues. Wir schreiben wieder, sobald es etwas gibt.',
      more: 'Lesen',
    },
    fr: {
      subject: 'Nouveau sur notre site cette semaine',
      previewText: '{items.0.title|Les derniers articles}',
      title: 'Cette semaine',
      intro: 'Bonjour {firstName|à vous}, voici ce que nous avons publié depuis le dernier e-mail.',
      none: 'Rien de nouveau cette semaine. Nous vous écrirons dès qu’il y en aura.',
      more: 'Lire',
    },
  },
  blocks: (words, common) => [
    header(common),
    heading('title', 1, words.title),
    text('intro', words.intro),
    {
      id: 'items',
      type: 'each',
      list: 'items',
      blocks: [
        { id: 'item-title', type: 'heading', level: 2, spans: spans('{title}', { href: '{{url}}' }) },
        text('item-summary', '{summary}'),
        { id: 'item-link', type: 'menu', links: [{ label: words.more, href: '{{url}}' }] },
        { id: 'item-line', type: 'divider' },
      ],
      otherwise: [text('none', words.none)],
    },
    footer(common),
  ],
});
