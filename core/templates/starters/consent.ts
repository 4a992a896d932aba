import { button, footer, header, heading, SITE, starter, text } from './words.ts';

export const consent = starter({
  id: 'consent',
  name: 'Consent again',
  description: 'Asks people who have not opened for long whether they want to stay.',
  templateType: 'marketing',
  look: { accent: '#1a5fb4' },
  words: {
    en: {
      subject: 'Say yes if you want to hear from us',
      previewText: 'Without a click you will get no more mail.',
      title: 'Shall we go on writing to you?',
      intro:
        'Hello {firstName|there}, you have not opened our mail for a while. That is fine: we only want to write to people who like to read it.',
      yes: 'Yes, keep me on the list',
      no: 'If you do nothing, we take you off the list in two weeks. You can come back whenever you like.',
    },
    de: {
      subject: 'Sagen Sie Ja, wenn Sie weiter von uns hören möchten',
      previewText: 'Ohne einen Klick erhalten Sie keine Mail mehr.',
      title: 'Sollen wir Ihnen weiter schreiben?',
      intro:
        'Hallo {firstName|zusammen}, Sie haben unsere Mails eine Weile nicht geöffnet. Das ist in Ordnung: Wir möchten nur denen schreiben, die es gern lesen.',
      yes: 'Ja, ich bleibe dabei',
      no: 'Wenn Sie nichts tun, nehmen wir Sie in zwei Wochen von der Liste. Sie können jederzeit zurückkommen.',
    },
    fr: {
      subject: 'Dites oui si vous voulez encore nous lire',
      previewText: 'Sans un clic, vous ne recevrez plus d’e-mail.',
      title: 'Devons-nous continuer à vous écrire ?',
      intro:
        'Bonjour {firstName|à vous}, vous n’avez pas ouvert nos e-mails depuis un moment. C’est bien ainsi : nous ne voulons écrire qu’à ceux qui aiment nous lire.',
      yes: 'Oui, je reste inscrit',
      no: 'Sans réponse, nous vous retirons de la liste dans deux semaines. Vous pouvez revenir quand vous voulez.',
    },
  },
  blocks: (words, common) => [
    header(common),
    heading('title', 1, words.title),
    text('intro', words.intro),
    button('yes', words.yes, `${SITE}stay`),
    text('no', words.no),
    footer(common),
  ],
});
