import { footer, starter, text } from './words.ts';

export const letter = starter({
  id: 'letter',
  name: 'Plain letter',
  description: 'Words alone, as one person writes to another.',
  templateType: 'marketing',
  look: { background: '#fdfdfd' },
  words: {
    en: {
      subject: 'A short note',
      previewText: 'From one person to another.',
      paragraphs: [
        'Hello {firstName|there},',
        'Write as you would write to one person whom you know: what you noticed, what you think about it, and one thing to try.',
        'Short paragraphs are read; long ones are kept for later.',
        'Answer me if it is different for you.',
      ],
      name: 'Your name',
    },
    de: {
      subject: 'Ein kurzer Brief',
      previewText: 'Von Mensch zu Mensch.',
      paragraphs: [
        'Hallo {firstName|zusammen},',
        'schreiben Sie, wie Sie jemandem schreiben, den Sie kennen: was Ihnen auffiel, was Sie davon halten und was man versuchen kann.',
        'Kurze Absätze werden gelesen; lange hebt man auf.',
        'Antworten Sie mir, wenn es bei Ihnen anders ist.',
      ],
      name: 'Ihr Name',
    },
    fr: {
      subject: 'Un petit mot',
      previewText: 'D’une personne à une autre.',
      paragraphs: [
        'Bonjour {firstName|à vous},',
        'Écrivez comme à quelqu’un que vous connaissez : ce que vous avez remarqué, ce que vous en pensez, et une chose à essayer.',
        'Les paragraphes courts sont lus ; les longs sont gardés pour plus tard.',
        'Répondez-moi si c’est différent pour vous.',
      ],
      name: 'Votre nom',
    },
  },
  blocks: (words, common) => [
    text('words', ...words.paragraphs),
    { id: 'signed', type: 'signature', name: words.name },
    footer(common),
  ],
});
