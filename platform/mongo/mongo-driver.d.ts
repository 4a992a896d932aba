/** A part of the driver without types of its own. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';

  const driver: { Connection: { prototype: { socket: Socket; cleanup(error: Error): void } } };
  export default driver;
}
