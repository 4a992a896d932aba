import { picture } from './pictures/pictures.ts';
import { button, footer, header, heading, SITE, spans, starter, text } from './words.ts';

export const event = starter({
  id: 'event',
  name: 'Event',
  description: 'An invitation: when, where, what for, and a button to come.',
  templateType: 'marketing',
  look: { accent: '#00577a', background: '#ebf3f7' },
  words: {
    en: {
      subject: 'You are invited: the name of the event',
      previewText: 'Thursday, 18:30. Seats are limited.',
      picture: 'A calendar on a stage',
      title: 'The name of the event',
      intro: 'Hello {firstName|there}, come and spend an evening with us. This is what to expect.',
      rows: [
        ['When', 'Thursday, 14 May, 18:30 to 21:00'],
        ['Where', '1 Market Street, Your town'],
        ['Price', 'Free of charge'],
      ],
      come: 'Keep a seat for me',
      programme: 'Programme',
      parts: [
        ['18:30', 'Doors open'],
        ['19:00', 'The talk'],
        ['20:00', 'Questions and drinks'],
      ],
      cannot: 'You cannot come? Answer this mail, and we send you the recording.',
    },
    de: {
      subject: 'Einladung: der Name der Veranstaltung',
      previewText: 'Donnerstag, 18:30 Uhr. Die Plätze sind begrenzt.',
      picture: 'Ein Kalender auf einer Bühne',
      title: 'Der Name der Veranstaltung',
      intro: 'Hallo {firstName|zusammen}, verbringen Sie einen Abend mit uns. Das erwartet Sie:',
      rows: [
        ['Wann', 'Donnerstag, 14. Mai, 18:30 bis 21:00 Uhr'],
        ['Wo', 'Marktstraße 1, Ihr Ort'],
        ['Preis', 'Kostenlos'],
      ],
      come: 'Platz für mich freihalten',
      programme: 'Programm',
      parts: [
        ['18:30', 'Einlass'],
        ['19:00', 'Der Vortrag'],
        ['20:00', 'Fragen und Getränke'],
      ],
      cannot: 'Sie können nicht kommen? Antworten Sie auf diese Mail, wir schicken Ihnen die Aufzeichnung.',
    },
    fr: {
      subject: 'Invitation : le nom de l’événement',
      previewText: 'Jeudi à 18 h 30. Les places sont limitées.',
      picture: 'Un calendrier sur une scène',
      title: 'Le nom de l’événement',
      intro: 'Bonjour {firstName|à vous}, venez passer une soirée avec nous. Voici ce qui vous attend.',
      rows: [
        ['Quand', 'Jeudi 14 mai, de 18 h 30 à 21 h'],
        ['Où', '1 rue du Marché, Votre ville'],
        ['Prix', 'Gratuit'],
      ],
      come: 'Me garder une place',
      programme: 'Programme',
      parts: [
        ['18 h 30', 'Accueil'],
        ['19 h', 'La conférence'],
        ['20 h', 'Questions et verre'],
      ],
      cannot: 'Vous ne pouvez pas venir ? Répondez à cet e-mail, nous vous enverrons l’enregistrement.',
    },
  },
  blocks: (words, common) => [
    header(common, 'center'),
    picture('event', words.picture),
    heading('title', 1, words.title, 'center'),
    text('intro', words.intro),
    {
      id: 'facts',
      type: 'table',
      rows: words.rows.map(([name = '', value = '']) => [spans(name, { bold: true }), spans(value)]),
    },
    button('come', words.come, `${SITE}event`, 'center'),
    heading('programme', 2, words.programme),
    { id: 'parts', type: 'table', rows: words.parts.map(([at = '', what = '']) => [spans(at), spans(what)]) },
    text('cannot', words.cannot),
    footer(common),
  ],
});
