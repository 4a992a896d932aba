import { listenHttp } from './http.ts';
import { openMailbox } from './mails.ts';
import { listenSmtp } from './smtp.ts';

/** The mail catcher of the embedded default: `main.ts <smtp port> <page port> <folder>`. */
const [smtpPort = '0', pagePort = '0', folder = '.data/mailbox'] = process.argv.slice(2);
const mailbox = openMailbox(folder);
const smtp = await listenSmtp(mailbox, Number(smtpPort));
const page = await listenHttp(mailbox, Number(pagePort));

function leave(): void {
  smtp.close();
  page.close();
  setTimeout(() => process.exit(0), 200);
}
process.once('SIGTERM', leave);
process.once('disconnect', leave);
process.send?.({ ready: true, url: `http://127.0.0.1:${pagePort}`, port: Number(pagePort) });
