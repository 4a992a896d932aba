import { footer, header, heading, SITE, starter, text } from './words.ts';

export const survey = starter({
  id: 'survey',
  name: 'Survey',
  description: 'One question, answered by a click.',
  templateType: 'marketing',
  look: { accent: '#4a5d0a', background: '#f2f4e8' },
  words: {
    en: {
      subject: 'One question, one click',
      previewText: 'How did we do?',
      title: 'How did we do?',
      intro: 'Hello {firstName|there}, one click is your whole answer. We read every one of them.',
      answers: ['Very well', 'Well enough', 'Not well'],
      why: 'Do you want to say more? Answer this mail.',
    },
    de: {
      subject: 'Eine Frage, ein Klick',
      previewText: 'Wie waren wir?',
      title: 'Wie waren wir?',
      intro: 'Hallo {firstName|zusammen}, ein Klick ist die ganze Antwort. Wir lesen jede.',
      answers: ['Sehr gut', 'Gut genug', 'Nicht gut'],
      why: 'Möchten Sie mehr sagen? Antworten Sie auf diese Mail.',
    },
    fr: {
      subject: 'Une question, un clic',
      previewText: 'Êtes-vous satisfait ?',
      title: 'Êtes-vous satisfait ?',
      intro: 'Bonjour {firstName|à vous}, un clic suffit pour répondre. Nous lisons chaque réponse.',
      answers: ['Très satisfait', 'Plutôt satisfait', 'Pas satisfait'],
      why: 'Voulez-vous en dire plus ? Répondez à cet e-mail.',
    },
  },
  blocks: (words, common) => [
    header(common),
    heading('title', 1, words.title),
    text('intro', words.intro),
    ...words.answers.map((answer, index) => ({
      id: `answer-${index + 1}`,
      type: 'button' as const,
      spans: [{ text: answer }],
      href: `${SITE}survey?answer=${words.answers.length - index}`,
    })),
    text('why', words.why),
    footer(common),
  ],
});
