import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { script, style } from './look.ts';
import type { Mail } from './mail.ts';
import type { Mailbox } from './mails.ts';
import { htmlOf, isView, listFragment, mailPage, type View } from './pages.ts';

/** Everything is inside the page: no other host is asked for anything. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** A mail's own HTML runs nothing, reads nothing and loads nothing from outside. */
const mailPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";
const tellEveryMs = 250;

export async function listenHttp(mailbox: Mailbox, port: number): Promise<{ close(): void }> {
  const server = createServer((request, response) => {
    answer(mailbox, request, response).catch((error) => {
      console.error(error);
      if (!response.headersSent) send(response, 500, 'text/plain', 'The mailbox could not answer; see its log.');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(mailbox: Mailbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mailbox');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const [room, id = '', part, index] = pathname.slice(1).split('/');
  if (!isFromHere(request)) return send(response, 403, 'text/plain', 'Ask for the mailbox as 127.0.0.1 or localhost.');
  if (method === 'DELETE' && pathname === '/email/all') {
    await mailbox.clear();
    return sendJson(response, { success: true });
  }
  if (method === 'POST' && pathname === '/clear') {
    await mailbox.clear();
    response.writeHead(303, { Location: '/' }).end();
    return;
  }
  if (method !== 'GET') return send(response, 405, 'text/plain', 'Only GET, and DELETE /email/all.');
  if (pathname === '/style.css') return send(response, 200, 'text/css', style);
  if (pathname === '/script.js') return send(response, 200, 'text/javascript', script);
  if (pathname === '/events') return tellChanges(mailbox, response);
  if (pathname === '/email') return sendJson(response, await readAll(mailbox));
  if (pathname === '/list')
    return send(response, 200, 'text/html', listFragment(await readAll(mailbox), searchParams.get('open')));
  if (pathname === '/') return sendRange(response, mailPage(await readAll(mailbox), null, 'html'));
  const mail = room === 'email' || room === 'mail' ? await mailbox.read(id) : null;
  if (!mail) return send(response, 404, 'text/plain', 'There is no such mail here.');
  if (room === 'email') return sendPart(mailbox, mail, part, Number(index), response);
  const view: View = isView(part) ? part : 'html';
  const source = view === 'source' ? ((await mailbox.source(id))?.toString() ?? '') : '';
  return sendRange(response, mailPage(await readAll(mailbox), mail, view, source));
}

async function sendPart(
  mailbox: Mailbox,
  mail: Mail,
  part: string | undefined,
  index: number,
  response: ServerResponse,
): Promise<void> {
  if (part === undefined) return sendJson(response, mail);
  if (part === 'source') return send(response, 200, 'text/plain', (await mailbox.source(mail.id)) ?? '');
  if (part === 'html') {
    response.setHeader('Content-Security-Policy', mailPolicy);
    return send(
      response,
      200,
      'text/html',
      await htmlOf(mail, async (at) => (await mailbox.attachment(mail.id, at))?.content),
    );
  }
  const found = part === 'attachments' ? await mailbox.attachment(mail.id, index) : null;
  if (!found) return send(response, 404, 'text/plain', 'There is no such part of this mail.');
  const name = encodeURIComponent(found.about.filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  response.setHeader('Content-Disposition', `attachment; filename*=UTF-8''${name}`);
  response.setHeader('Content-Security-Policy', mailPolicy);
  send(response, 200, 'application/octet-stream', found.content);
}

async function readAll(mailbox: Mailbox): Promise<Mail[]> {
  const mails = await Promise.all(mailbox.ids().map((id) => mailbox.read(id)));
  return mails.filter((mail) => mail !== null);
}

/** Other web sites must not read or clear the mailbox through a person's browser. */
function isFromHere({ headers, socket }: IncomingMessage): boolean {
  const { port } = socket.address() as AddressInfo;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const origin = headers.origin?.replace('http://', '');
  return hosts.includes(headers.host ?? '') && (origin === undefined || hosts.includes(origin));
}

function tellChanges(mailbox: Mailbox, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': here\n\n');
  let timer: NodeJS.Timeout | undefined;
  const end = mailbox.onChange(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      response.write('data: changed\n\n');
    }, tellEveryMs);
  });
  response.on('close', () => {
    clearTimeout(timer);
    end();
  });
}

function sendRange(response: ServerResponse, page: string): void {
  response.setHeader('Content-Security-Policy', pagePolicy);
  send(response, 200, 'text/html', page);
}

function sendJson(response: ServerResponse, value: unknown): void {
  send(response, 200, 'application/json', JSON.stringify(value));
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  const text = type.startsWith('text/') || type === 'application/json' ? '; charset=utf-8' : '';
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.writeHead(status, { 'Content-Type': type + text }).end(body);
}
