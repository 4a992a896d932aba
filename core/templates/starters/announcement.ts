import { picture } from './pictures/pictures.ts';
import { button, footer, header, heading, list, SITE, starter, text } from './words.ts';

export const announcement = starter({
  id: 'announcement',
  name: 'Announcement',
  description: 'Something new, three reasons to look at it, one button.',
  templateType: 'marketing',
  look: { accent: '#3d348b', background: '#efeef8' },
  words: {
    en: {
      subject: 'It is here: the name of the new thing',
      previewText: 'See in a minute what it does for you.',
      picture: 'A megaphone',
      title: 'Say in one line what is new',
      intro: 'Hello {firstName|there}, today we bring you something that we have worked on for months.',
      why: 'Three things it does for you:',
      reasons: [
        'It saves you a step that you take every day.',
        'It works on your phone too.',
        'It costs you nothing more.',
      ],
      more: 'See how it works',
      ask: 'Questions? Answer this mail; a person reads it.',
    },
    de: {
      subject: 'Da ist es: der Name des Neuen',
      previewText: 'In einer Minute sehen, was es für Sie tut.',
      picture: 'Ein Megafon',
      title: 'In einer Zeile sagen, was neu ist',
      intro: 'Hallo {firstName|zusammen}, heute zeigen wir Ihnen, woran wir seit Monaten arbeiten.',
      why: 'Drei Dinge, die es für Sie tut:',
      reasons: [
        'Es erspart Ihnen einen Schritt, den Sie jeden Tag machen.',
        'Es läuft auch auf dem Telefon.',
        'Es kostet Sie nichts zusätzlich.',
      ],
      more: 'Sehen, wie es geht',
      ask: 'Fragen? Antworten Sie auf diese Mail; ein Mensch liest sie.',
    },
    fr: {
      subject: 'C’est arrivé : le nom de la nouveauté',
      previewText: 'Voyez en une minute ce qu’elle fait pour vous.',
      picture: 'Un mégaphone',
      title: 'Dites en une ligne ce qui est nouveau',
      intro: 'Bonjour {firstName|à vous}, voici ce à quoi nous travaillons depuis des mois.',
      why: 'Trois choses qu’elle fait pour vous :',
      reasons: [
        'Elle vous épargne une étape de chaque jour.',
        'Elle marche aussi sur votre téléphone.',
        'Elle ne vous coûte rien de plus.',
      ],
      more: 'Voir comment cela marche',
      ask: 'Des questions ? Répondez à cet e-mail ; une personne le lit.',
    },
  },
  blocks: (words, common) => [
    header(common, 'center'),
    picture('announcement', words.picture),
    heading('title', 1, words.title, 'center'),
    text('intro', words.intro, words.why),
    list('reasons', words.reasons),
    button('more', words.more, `${SITE}new`, 'center'),
    text('ask', words.ask),
    footer(common),
  ],
});
