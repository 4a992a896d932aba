import { picture } from './pictures/pictures.ts';
import { button, footer, header, heading, list, SITE, starter, text } from './words.ts';

export const winBack = starter({
  id: 'win-back',
  name: 'Win back',
  description: 'For people who have not bought for long: the news since then, and a reason to return.',
  templateType: 'marketing',
  look: { accent: '#7b2d8b', background: '#f5eef7' },
  words: {
    en: {
      subject: 'A few things have changed, {firstName|and for the better}',
      previewText: 'And 10 % for your next order.',
      picture: 'A house with lit windows at night',
      title: 'It has been a while',
      intro: 'Hello {firstName|there}, since your last visit we have done what customers asked for most:',
      news: ['The first improvement, in one line.', 'The second one.', 'The third one.'],
      code: 'With the code BACK10 your next order costs 10 % less, until the end of the month.',
      go: 'Look around',
      name: 'Your name',
    },
    de: {
      subject: 'Einiges ist anders, {firstName|und zwar besser}',
      previewText: 'Und 10 % für die nächste Bestellung.',
      picture: 'Ein Haus mit hellen Fenstern in der Nacht',
      title: 'Es ist eine Weile her',
      intro:
        'Hallo {firstName|zusammen}, seit Ihrem letzten Besuch haben wir getan, was sich Kunden am meisten gewünscht haben:',
      news: ['Die erste Verbesserung, in einer Zeile.', 'Die zweite.', 'Die dritte.'],
      code: 'Mit dem Code BACK10 kostet Ihre nächste Bestellung 10 % weniger, bis zum Ende des Monats.',
      go: 'Umsehen',
      name: 'Ihr Name',
    },
    fr: {
      subject: 'Il y a du nouveau, {firstName|et du meilleur}',
      previewText: 'Et 10 % sur votre prochaine commande.',
      picture: 'Une maison éclairée dans la nuit',
      title: 'Cela fait un moment',
      intro:
        'Bonjour {firstName|à vous}, depuis votre dernière visite, nous avons fait ce que nos clients demandaient le plus :',
      news: ['La première amélioration, en une ligne.', 'La deuxième.', 'La troisième.'],
      code: 'Avec le code BACK10, votre prochaine commande coûte 10 % de moins, jusqu’à la fin du mois.',
      go: 'Faire un tour',
      name: 'Votre nom',
    },
  },
  blocks: (words, common) => [
    header(common),
    picture('win-back', words.picture),
    heading('title', 1, words.title),
    text('intro', words.intro),
    list('news', words.news),
    text('code', words.code),
    button('go', words.go, SITE),
    { id: 'signed', type: 'signature', name: words.name },
    footer(common),
  ],
});
