import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** The ceiling: servers that take the same requests and the same mails and drop them. In a process of its own. */
const http = createServer((_request, response) => {
  response.writeHead(302, { Location: 'https://example.com/', 'Content-Length': '0' }).end();
});
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  onData: (stream, _session, callback) => void stream.resume().on('end', () => callback(null)),
});
http.listen(0, '127.0.0.1', () =>
  smtp.listen(0, '127.0.0.1', () =>
    process.send?.({
      httpPort: (http.address() as AddressInfo).port,
      smtpPort: (smtp.server.address() as AddressInfo).port,
    }),
  ),
);
process.on('disconnect', () => process.exit(0));
