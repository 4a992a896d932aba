import type { Socket } from 'node:net';
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

type Parser = ReturnType<SMTPConnection['_createParser']>;

/**
 * A client may close its side with its last command, before it has read the reply: it gets all replies, and the connection is closed after
 * the last one. Without this the mail would be taken and its 250 lost, and the client would send it again.
 */
export function answerAfterEnd(connection: SMTPConnection): void {
  const closeAtEnd = (parser: Parser): Parser =>
    parser.once('finish', () => {
      if (connection._parser === parser) connection.close();
    });
  const createParser = connection._createParser.bind(connection);
  connection._createParser = () => {
    // STARTTLS: who leaves during the handshake waits for no reply.
    connection._socket.allowHalfOpen = false;
    return closeAtEnd(createParser());
  };
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    // Not the socket of the beginning once STARTTLS has replaced it.
    openForReplies(connection._socket);
    send(code, data, context);
  };
  openForReplies(connection._socket);
  if (connection._parser) closeAtEnd(connection._parser);
}

/** smtp-server writes only while both sides are open. */
function openForReplies(socket: Socket): void {
  socket.allowHalfOpen = true;
  Object.defineProperty(socket, 'readyState', {
    configurable: true,
    get: () => (socket.writable ? 'open' : 'closed'),
  });
}
