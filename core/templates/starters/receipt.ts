import { button, header, heading, sender, spans, starter, text } from './words.ts';

export const receipt = starter({
  id: 'receipt',
  name: 'Receipt',
  description:
    'An order with its items and total. Data: order.number, order.items (name, amount, price), order.total, order.url.',
  templateType: 'transactional',
  look: { accent: '#1a5fb4' },
  words: {
    en: {
      subject: 'Your receipt for order {order.number}',
      previewText: 'Thank you for your order.',
      title: 'Thank you for your order',
      intro: 'Hello {firstName|there}, this is the receipt for order {order.number}.',
      times: '{amount} × {name}',
      total: 'Total: {order.total}',
      look: 'See your order',
      help: 'Is something wrong? Answer this mail, and we put it right.',
    },
    de: {
      subject: 'Ihre Quittung zur Bestellung {order.number}',
      previewText: 'Danke für Ihre Bestellung.',
      title: 'Danke für Ihre Bestellung',
      intro: 'Hallo {firstName|zusammen}, dies ist die Quittung zur Bestellung {order.number}.',
      times: '{amount} × {name}',
      total: 'Summe: {order.total}',
      look: 'Bestellung ansehen',
      help: 'Stimmt etwas nicht? Antworten Sie auf diese Mail, wir bringen es in Ordnung.',
    },
    fr: {
      subject: 'Votre reçu pour la commande {order.number}',
      previewText: 'Merci de votre commande.',
      title: 'Merci de votre commande',
      intro: 'Bonjour {firstName|à vous}, voici le reçu de la commande {order.number}.',
      times: '{amount} × {name}',
      total: 'Total : {order.total}',
      look: 'Voir la commande',
      help: 'Quelque chose ne va pas ? Répondez à cet e-mail, nous y remédierons.',
    },
  },
  blocks: (words, common) => [
    header(common),
    heading('title', 1, words.title),
    text('intro', words.intro),
    {
      id: 'items',
      type: 'each',
      list: 'order.items',
      blocks: [
        {
          id: 'item',
          type: 'table',
          align: ['left', 'right'],
          rows: [[spans(words.times), spans('{price}')]],
        },
      ],
    },
    heading('total', 3, words.total, 'right'),
    button('look', words.look, '{{order.url}}'),
    text('help', words.help),
    ...sender(common),
  ],
});
