import { button, header, heading, sender, spans, starter, text } from './words.ts';

export const password = starter({
  id: 'password',
  name: 'Password',
  description: 'A link to choose a new password. Data: resetUrl, minutes.',
  templateType: 'transactional',
  look: { accent: '#22252a' },
  words: {
    en: {
      subject: 'Choose a new password',
      previewText: 'The link works for {minutes|60} minutes.',
      title: 'Choose a new password',
      intro:
        'Hello {firstName|there}, somebody asked for a new password for this address. If that was you, choose it here:',
      choose: 'Choose a new password',
      until: 'The link works once, and for {minutes|60} minutes.',
      not: 'If it was not you, you need not do anything: your password stays as it is.',
      plain: 'If the button does not work, open this address: ',
    },
    de: {
      subject: 'Neues Passwort wählen',
      previewText: 'Der Link gilt {minutes|60} Minuten.',
      title: 'Neues Passwort wählen',
      intro:
        'Hallo {firstName|zusammen}, für diese Adresse wurde ein neues Passwort verlangt. Wenn Sie das waren, wählen Sie es hier:',
      choose: 'Neues Passwort wählen',
      until: 'Der Link gilt einmal und {minutes|60} Minuten lang.',
      not: 'Wenn Sie es nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
      plain: 'Wenn der Knopf nicht geht, öffnen Sie diese Adresse: ',
    },
    fr: {
      subject: 'Choisir un nouveau mot de passe',
      previewText: 'Le lien est valable {minutes|60} minutes.',
      title: 'Choisir un nouveau mot de passe',
      intro:
        'Bonjour {firstName|à vous}, un nouveau mot de passe a été demandé pour cette adresse. Si c’était vous, choisissez-le ici :',
      choose: 'Choisir un mot de passe',
      until: 'Le lien sert une fois, et pendant {minutes|60} minutes.',
      not: 'Si ce n’était pas vous, vous n’avez rien à faire : votre mot de passe reste le même.',
      plain: 'Si le bouton ne marche pas, ouvrez cette adresse : ',
    },
  },
  blocks: (words, common) => [
    header(common),
    heading('title', 1, words.title),
    text('intro', words.intro),
    button('choose', words.choose, '{{resetUrl}}'),
    text('until', words.until, words.not),
    {
      id: 'plain',
      type: 'text',
      nodes: [{ type: 'paragraph', spans: [{ text: words.plain }, ...spans('{resetUrl}', { href: '{{resetUrl}}' })] }],
    },
    ...sender(common),
  ],
});
