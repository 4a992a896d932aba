import { type Command, type Context, type Field, type Given, noPositional, textFlag, UsageError } from './command.ts';
import { printAnswer } from './print.ts';

const flags: readonly Field[] = [
  {
    name: 'from',
    kind: 'text',
    isRequired: true,
    about: 'On a verified domain: a@example.com or "Ada <a@example.com>".',
  },
  { name: 'to', kind: 'list', isRequired: true, about: 'The same; more than one --to is sent as one mail each.' },
  { name: 'cc', kind: 'list' },
  { name: 'bcc', kind: 'list' },
  { name: 'replyTo', kind: 'text' },
  { name: 'subject', kind: 'text', about: 'Required without a template that has one.' },
  { name: 'html', kind: 'text', about: '@mail.html reads a file, @- the standard input.' },
  { name: 'text', kind: 'text', about: 'Made from the HTML when omitted.' },
  { name: 'template', kind: 'text', about: 'The id of a template.' },
  { name: 'dynamicData', kind: 'object', about: 'For {{variables}}: --dynamic-data.name Ada, or JSON.' },
  { name: 'unsubscribeGroup', kind: 'text', about: 'A suppression group; makes the mail marketing.' },
];

export const send: Command = {
  words: ['send'],
  usage: '--from ADDRESS --to ADDRESS --subject TEXT (--html HTML | --text TEXT | --template ID)',
  about: 'Queue a mail',
  flags,
  async run(context, given) {
    noPositional(given, ': use --to');
    const mail = mailOf(given);
    const to = mailboxes(given, 'to');
    const [first, ...more] = to;
    if (!first) throw new UsageError('Give --to.');
    if (more.length > 0) return sendBulk(context, { ...mail, recipients: to });
    printAnswer(context, await context.everpost().mails.send({ ...mail, to: first }, { signal: context.signal }));
    return 0;
  },
};

/** An address that fails, fails alone; then the exit code is 1. */
async function sendBulk(
  context: Context,
  body: ReturnType<typeof mailOf> & { recipients: Mailbox[] },
): Promise<number> {
  const sent = await context.everpost().mails.bulk(body, { signal: context.signal });
  printAnswer(context, sent);
  return sent.failedCount > 0 ? 1 : 0;
}

function mailOf(given: Given) {
  const text = (name: string) => textFlag(given, name);
  const from = text('from');
  if (from === undefined) throw new UsageError('Give --from.');
  if (!['html', 'text', 'template'].some((name) => text(name) !== undefined))
    throw new UsageError('Give --html, --text or --template.');
  const { dynamicData } = given.flags;
  return without({
    from: mailboxOf(from),
    cc: orNone(mailboxes(given, 'cc')),
    bcc: orNone(mailboxes(given, 'bcc')),
    replyTo: text('replyTo') === undefined ? undefined : mailboxOf(text('replyTo') as string),
    subject: text('subject'),
    html: text('html'),
    text: text('text'),
    templateId: text('template'),
    unsubscribeGroupId: text('unsubscribeGroup'),
    dynamicData: dynamicData as Record<string, unknown> | undefined,
  });
}

interface Mailbox {
  email: string;
  name?: string;
}

function mailboxes({ flags }: Given, name: string): Mailbox[] {
  const given = flags[name] ?? [];
  return (Array.isArray(given) ? given : [given]).map((one) => mailboxOf(String(one)));
}

/** a@example.com, or Ada <a@example.com>; the API judges the address. */
function mailboxOf(text: string): Mailbox {
  const [, name = '', email] = /^\s*"?([^"<]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? [];
  if (email === undefined) return { email: text.trim() };
  return name === '' ? { email } : { email, name };
}

function orNone<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

type Without<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function without<T extends object>(fields: T): Without<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Without<T>;
}
