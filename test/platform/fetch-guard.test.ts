import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type GuardOptions, guardedFetch, guardedOpen, UrlNotFetched } from '../../platform/fetch/guard.ts';

const read = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const PUBLIC = '8.8.8.8';
const servers: Server[] = [];

async function serve(listener: RequestListener, tls = false): Promise<number> {
  const server = tls
    ? createTlsServer({ key: read('localhost.key'), cert: read('localhost.crt') }, listener)
    : createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Plays the Internet: whatever address is dialled, our server answers, under that address. */
function internet(port: number, dialled: string[] = [], seenAs?: string): Pick<GuardOptions, 'dial'> {
  return {
    dial: (address: string): Socket => {
      dialled.push(address);
      const socket = connect({ host: '127.0.0.1', port });
      Object.defineProperty(socket, 'remoteAddress', { value: seenAs ?? address });
      return socket;
    },
  };
}

const LIMITS = { maxBytes: 1_000_000, timeoutMs: 30_000, http: true };

function* zeros(mebibytes: number): Generator<Buffer> {
  const one = Buffer.alloc(1_048_576);
  for (let made = 0; made < mebibytes; made++) yield one;
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(UrlNotFetched);
  expect((error as UrlNotFetched).message).to.equal(
    'The URL could not be fetched: it must be a public https address that answers in time with a file of allowed size.',
  );
  return (error as UrlNotFetched).reason;
}

describe('Fetching a URL that a caller named', () => {
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('gives the bytes and the type of a public file', async () => {
    const dialled: string[] = [];
    const port = await serve((request, response) => {
      expect(request.headers.host).to.equal('files.test');
      expect(request.url).to.equal('/a.pdf?x=1');
      response.setHeader('content-type', 'application/pdf').end('hello');
    });
    const resolve = async () => [PUBLIC];
    const answer = await guardedFetch('http://files.test/a.pdf?x=1', {
      ...LIMITS,
      resolve,
      ...internet(port, dialled),
    });
    expect([answer.status, answer.contentType, String(answer.bytes)]).to.deep.equal([200, 'application/pdf', 'hello']);
    expect(dialled).to.deep.equal([PUBLIC]);
  });

  it('speaks TLS for the name, to the address that was judged', async () => {
    const port = await serve((_, response) => response.end('secret'), true);
    const options = { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port) };
    expect(await reasonOf(guardedFetch('https://files.test/', options))).to.match(/certificate/);
    const defaults = getCACertificates('default');
    setDefaultCACertificates([...defaults, read('localhost.crt')]);
    expect(await reasonOf(guardedFetch('https://files.test/', options))).to.match(/altnames/);
    const answer = await guardedFetch(`https://127.0.0.1:${port}/`, { ...LIMITS, allow: [`127.0.0.1:${port}`] });
    setDefaultCACertificates(defaults);
    expect(String(answer.bytes)).to.equal('secret');
  });

  for (const url of [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest',
    'http://localhost/',
    'file:///etc/passwd',
    'http://u:p@files.test/',
  ])
    it(`never opens a connection for ${url}`, async () => {
      const dialled: string[] = [];
      const port = await serve((_, response) => response.end('secret'));
      const resolve = async () => ['127.0.0.1'];
      expect(await reasonOf(guardedFetch(url, { ...LIMITS, resolve, ...internet(port, dialled) }))).to.equal(
        'not allowed',
      );
      expect(dialled).to.deep.equal([]);
    });

  for (const addresses of [
    ['127.0.0.1'],
    [PUBLIC, '127.0.0.1'],
    [PUBLIC, '::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['10.0.0.1'],
    [],
    ['not an address'],
  ])
    it(`never opens a connection for a name with the addresses ${addresses.join(', ') || 'none'}`, async () => {
      const dialled: string[] = [];
      const port = await serve((_, response) => response.end('secret'));
      const options = { ...LIMITS, resolve: async () => addresses, ...internet(port, dialled) };
      expect(await reasonOf(guardedFetch('http://files.test/', options))).to.equal('address not allowed');
      expect(dialled).to.deep.equal([]);
    });

  it('is not fooled by a name whose next answer is another: the address that was judged is the one dialled', async () => {
    const dialled: string[] = [];
    const port = await serve((_, response) => response.end('public'));
    let lookups = 0;
    const resolve = async () => (lookups++ === 0 ? [PUBLIC] : ['127.0.0.1']);
    await guardedFetch('http://files.test/', { ...LIMITS, resolve, ...internet(port, dialled) });
    expect([lookups, dialled]).to.deep.equal([1, [PUBLIC]]);
  });

  it('looks at the other end of the connection as well', async () => {
    const port = await serve((_, response) => response.end('secret'));
    const options = { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port, [], '127.0.0.1') };
    expect(await reasonOf(guardedFetch('http://files.test/', options))).to.equal('the connection went elsewhere');
  });

  it('tries the next address when one does not answer', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const { dial } = internet(port);
    const options = {
      ...LIMITS,
      resolve: async () => ['1.1.1.1', PUBLIC],
      dial: (address: string, at: number) => (address === '1.1.1.1' ? connect(1, '127.0.0.1') : dial!(address, at)),
    };
    expect(String((await guardedFetch('http://files.test/', options)).bytes)).to.equal('ok');
  });

  it('reaches a private host only when host and port are listed', async () => {
    const port = await serve((_, response) => response.end('inside'));
    const options = {
      maxBytes: 100,
      allow: [`127.0.0.1:${port}`, `files.test:${port}`],
      resolve: async () => ['127.0.0.1'],
    };
    for (const host of ['127.0.0.1', 'files.test'])
      expect(String((await guardedFetch(`http://${host}:${port}/`, options)).bytes)).to.equal('inside');
    expect(await reasonOf(guardedFetch(`http://127.0.0.1:${port + 1}/`, options))).to.equal('not allowed');
  });

  const redirects = [
    'http://127.0.0.1/',
    'http://169.254.169.254/',
    'http://[::1]/',
    '//127.0.0.1/',
    'http://inside.test/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'http://files.test:22/',
    'http://u:p@files.test/',
    'http://[::1',
  ];
  for (const status of [301, 302, 303, 307, 308])
    it(`follows no ${status} to where it would not have gone itself`, async () => {
      for (const location of redirects) {
        let asked = 0;
        const port = await serve((_, response) => {
          asked++;
          response.writeHead(status, { location }).end();
        });
        const resolve = async (name: string) => [name === 'inside.test' ? '10.0.0.1' : PUBLIC];
        expect(
          await reasonOf(guardedFetch('http://files.test/', { ...LIMITS, resolve, ...internet(port) })),
          location,
        ).to.match(/not allowed/);
        expect(asked).to.equal(1);
      }
    });

  it('follows three redirects, not four, and takes no password along', async () => {
    const seen: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      seen.push(request.headers.authorization);
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `http://other.test/${left - 1}` }).end();
    });
    const options = {
      ...LIMITS,
      headers: { authorization: 'Bearer x' },
      resolve: async () => [PUBLIC],
      ...internet(port),
    };
    const answer = await guardedFetch('http://files.test/3', options);
    expect([String(answer.bytes), answer.url]).to.deep.equal(['there', 'http://other.test/0']);
    expect(seen).to.deep.equal(['Bearer x', undefined, undefined, undefined]);
    expect(await reasonOf(guardedFetch('http://files.test/4', options))).to.equal('too many redirects');
  });

  it('ends a redirect loop', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(
      await reasonOf(
        guardedFetch('http://files.test/', { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port) }),
      ),
    ).to.equal('too many redirects');
  });

  it('a redirect is an answer like any other where none may be followed', async () => {
    const port = await serve((request, response) => {
      expect(request.method).to.equal('POST');
      response.writeHead(307, { location: 'http://127.0.0.1/' }).end('moved');
    });
    const options = {
      ...LIMITS,
      method: 'POST' as const,
      body: '{}',
      redirectsMax: 0,
      resolve: async () => [PUBLIC],
      ...internet(port),
    };
    expect(await guardedOpen('http://files.test/', options, async ({ status }) => status)).to.equal(307);
  });

  it('counts after inflation, whatever the encoding', async () => {
    const text = 'x'.repeat(5_000);
    for (const [encoding, bytes] of Object.entries({
      gzip: gzipSync(text),
      'x-gzip': gzipSync(text),
      deflate: deflateSync(text),
      br: brotliCompressSync(text),
      identity: Buffer.from(text),
    })) {
      const port = await serve((_, response) => response.setHeader('content-encoding', encoding).end(bytes));
      const options = { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port) };
      expect(String((await guardedFetch('http://files.test/', options)).bytes), encoding).to.equal(text);
      expect(await reasonOf(guardedFetch('http://files.test/', { ...options, maxBytes: 4_999 })), encoding).to.equal(
        'too large',
      );
    }
  });

  it('stops a bomb of 200 MB at the limit, without the memory for it', async () => {
    const bomb = Buffer.concat(await Readable.from(zeros(200)).pipe(createGzip()).toArray());
    expect(bomb.length).to.be.below(300_000);
    const port = await serve((_, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    const options = { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port) };
    const before = process.memoryUsage().rss;
    expect(await reasonOf(guardedFetch('http://files.test/', options))).to.equal('too large');
    // The collector of garbage may leave some tens of megabytes.
    expect(process.memoryUsage().rss - before).to.be.below(100_000_000);
  });

  it('refuses encodings in a row, and those it does not know', async () => {
    for (const encoding of [Array(1_000).fill('gzip').join(','), 'gzip, gzip', 'zzz']) {
      const port = await serve((_, response) => response.setHeader('content-encoding', encoding).end('x'));
      expect(
        await reasonOf(
          guardedFetch('http://files.test/', { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port) }),
        ),
      ).to.equal('content encoding');
    }
  });

  it('a Content-Length that lies, an endless body and a body cut short are all refused', async () => {
    const options = async (listener: RequestListener) => ({
      ...LIMITS,
      resolve: async () => [PUBLIC],
      ...internet(await serve(listener)),
    });
    const huge = await options((_, response) => response.setHeader('content-length', 10_000_000_000).write('x'));
    expect(await reasonOf(guardedFetch('http://files.test/', huge))).to.equal('too large');
    const endless = await options((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect(await reasonOf(guardedFetch('http://files.test/', endless))).to.equal('too large');
    const cut = await options((_, response) => {
      response.setHeader('content-length', 100).write('x');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await reasonOf(guardedFetch('http://files.test/', cut))).to.match(/aborted|closed/);
  });

  it('the time is one for all: names, headers, every byte', async () => {
    const slow = { ...LIMITS, timeoutMs: 150 };
    expect(
      await reasonOf(guardedFetch('http://files.test/', { ...slow, resolve: () => new Promise(() => {}) })),
    ).to.equal('timeout');
    const silent = await serve(() => {});
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    for (const port of [silent, dripping]) {
      const from = performance.now();
      expect(
        await reasonOf(
          guardedFetch('http://files.test/', { ...slow, resolve: async () => [PUBLIC], ...internet(port) }),
        ),
      ).to.equal('timeout');
      expect(performance.now() - from).to.be.below(10_000);
    }
  });

  it('anything but a 2xx is no file, and an abort of the caller stays one', async () => {
    const port = await serve((_, response) => response.writeHead(404).end('no'));
    const options = { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port) };
    expect(await reasonOf(guardedFetch('http://files.test/', options))).to.equal('status 404');
    const signal = AbortSignal.abort(new Error('stopped'));
    const error = await guardedFetch('http://files.test/', { ...options, signal }).catch((reason: unknown) => reason);
    expect((error as Error).message).to.equal('stopped');
  });

  it('a fault of the reader is not a fault of the URL', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(100_000)));
    const options = { ...LIMITS, resolve: async () => [PUBLIC], ...internet(port) };
    const error = await guardedOpen('http://files.test/', options, async () => {
      throw new Error('mine');
    }).catch((reason: unknown) => reason);
    expect((error as Error).message).to.equal('mine');
  });
});
