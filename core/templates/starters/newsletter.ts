import { button, footer, header, heading, SITE, starter, text } from './words.ts';

export const newsletter = starter({
  id: 'newsletter',
  name: 'Newsletter',
  description: 'One story in full and two in short.',
  templateType: 'marketing',
  look: { accent: '#0b6e4f', background: '#eef3f0' },
  words: {
    en: {
      subject: 'What is new this month',
      previewText: 'One long read and two short ones.',
      title: 'The long read of the month',
      hello: 'Hello {firstName|there},',
      story: [
        'Begin with the story that your readers would miss if you left it out. Two or three paragraphs are enough.',
        'Say what happened, why it matters to them, and what they can do with it.',
      ],
      more: 'Read the whole story',
      left: ['In short: one', 'A sentence or two, and where to find the rest.'],
      right: ['In short: two', 'Another one, as short as the first.'],
      go: 'Read on',
      quote: 'Words of a customer say more than ours.',
      by: 'A customer',
    },
    de: {
      subject: 'Neues aus diesem Monat',
      previewText: 'Ein langer Beitrag und zwei kurze.',
      title: 'Der lange Beitrag des Monats',
      hello: 'Hallo {firstName|zusammen},',
      story: [
        'Beginnen Sie mit der Geschichte, die Ihren Lesern fehlen würde. Zwei oder drei Absätze genügen.',
        'Schreiben Sie, was geschehen ist, warum es Ihre Leser angeht und was sie damit anfangen können.',
      ],
      more: 'Die ganze Geschichte lesen',
      left: ['Kurz gesagt: eins', 'Ein oder zwei Sätze, und wo man den Rest findet.'],
      right: ['Kurz gesagt: zwei', 'Noch etwas, so kurz wie das erste.'],
      go: 'Weiterlesen',
      quote: 'Die Worte einer Kundin sagen mehr als unsere.',
      by: 'Eine Kundin',
    },
    fr: {
      subject: 'Les nouvelles du mois',
      previewText: 'Un article long et deux courts.',
      title: 'L’article du mois',
      hello: 'Bonjour {firstName|à vous},',
      story: [
        'Commencez par l’histoire qui manquerait à vos lecteurs. Deux ou trois paragraphes suffisent.',
        'Dites ce qui s’est passé, pourquoi cela les concerne et ce qu’ils peuvent en faire.',
      ],
      more: 'Lire l’article entier',
      left: ['En bref : un', 'Une phrase ou deux, et où trouver la suite.'],
      right: ['En bref : deux', 'Une autre nouvelle, aussi courte que la première.'],
      go: 'Lire la suite',
      quote: 'Les mots d’un client en disent plus que les nôtres.',
      by: 'Un client',
    },
  },
  blocks: (words, common) => [
    header(common),
    heading('title', 1, words.title),
    text('story', words.hello, ...words.story),
    button('more', words.more, `${SITE}story`),
    { id: 'line', type: 'divider' },
    {
      id: 'short',
      type: 'columns',
      columns: [['left', words.left] as const, ['right', words.right] as const].map(
        ([side, [title = '', line = '']]) => ({
          share: 1,
          blocks: [
            heading(`${side}-title`, 3, title),
            text(`${side}-text`, line),
            { id: `${side}-link`, type: 'menu', links: [{ label: words.go, href: `${SITE}${side}` }] },
          ],
        }),
      ),
    },
    { id: 'quote', type: 'quote', spans: [{ text: words.quote }], by: words.by },
    footer(common),
  ],
});
