import driver from 'mongodb/lib/cmap/connection.js';

/**
 * The driver waits for `drain` when a socket does not take a command at once. When the server closed the connection in the same turn of
 * the event loop, neither that nor an error ever comes, no timeout of the driver covers the wait, and the operation would wait for ever.
 * So a connection that ends also ends that wait; the driver then finds its error, and repeats what may be repeated.
 */
const { prototype } = driver.Connection;
const { cleanup } = prototype;
prototype.cleanup = function (error) {
  cleanup.call(this, error);
  this.socket.emit('drain');
};
