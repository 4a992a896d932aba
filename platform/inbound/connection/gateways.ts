import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

interface Client {
  remoteAddress: string;
  hostNameAppearsAs: string | false;
}

/**
 * Lets a gateway name the client whose mail it brings: by XCLIENT for the whole session, by XFORWARD for the next mail. `admit` is asked
 * with the client's address when XCLIENT has named it.
 */
export function followGateway(connection: SMTPConnection, admit: (address: string) => boolean): void {
  const gateway = connection.remoteAddress;
  connection._proxyCommandAllowed = () => !connection._xClient.has('ADDR');
  forwardForOneMail(connection);
  const greet = connection._sendGreeting.bind(connection);
  // Sent again after XCLIENT.
  connection._sendGreeting = () => {
    const client = connection.remoteAddress;
    if (client === gateway || admit(client)) greet();
    else connection.send(421, '4.7.0 Too many connections from this client; use those that are open');
  };
}

/** smtp-server keeps what XFORWARD said: a mail that comes without it would be judged as one of the client before. */
function forwardForOneMail(connection: SMTPConnection): void {
  let own: Client | null = null;
  let isForwarding = false;
  const forward = connection.handler_XFORWARD.bind(connection);
  connection.handler_XFORWARD = (command, callback) => {
    own ??= { remoteAddress: connection.remoteAddress, hostNameAppearsAs: connection.hostNameAppearsAs };
    isForwarding = true;
    forward(command, () => {
      isForwarding = false;
      callback();
    });
  };
  const reset = connection._resetSession.bind(connection);
  connection._resetSession = () => {
    if (own && !isForwarding) {
      Object.assign(connection, own);
      own = null;
    }
    reset();
  };
}
