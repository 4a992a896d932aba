import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tenant } from './environment.ts';

export interface Received {
  path: string;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type.
  body: any;
}

export interface Receiver {
  url: string;
  /** An address for the webhooks of one project: deliveries of other tests may be tried again at any time. */
  urlOf(tenant: Tenant): string;
  /** Received at the addresses of these projects. */
  receivedBy(...tenants: Tenant[]): Received[];
  received: Received[];
  /** The answer to the next requests. */
  answer: { status: number; location?: string; write?: (response: ServerResponse) => void };
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A customer's webhook endpoint, which can be stopped and started on the same port. */
export async function startReceiver(port: number): Promise<Receiver> {
  let server: Server;
  const receiver: Receiver = {
    url: '',
    urlOf: ({ project }) => `${receiver.url}?${project._id}`,
    receivedBy: (...tenants) =>
      receiver.received.filter(({ path }) => tenants.some(({ project }) => path.endsWith(`?${project._id}`))),
    received: [],
    answer: { status: 200 },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    start: () =>
      new Promise((resolve) => {
        server = createServer((request, response) => {
          let text = '';
          request.on('data', (piece) => {
            text += piece;
          });
          request.on('end', () => {
            const headers = request.headers as Record<string, string>;
            receiver.received.push({ path: request.url ?? '', headers, text, body: JSON.parse(text) });
            const { status, location, write } = receiver.answer;
            if (write) write(response);
            else response.writeHead(status, location ? { location } : {}).end();
          });
        }).listen(port, '127.0.0.1', () => {
          receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
          resolve();
        });
      }),
  };
  await receiver.start();
  return receiver;
}
