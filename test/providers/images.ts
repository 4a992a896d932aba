import { crc32, deflateSync } from 'node:zlib';
import { type Answer, type StandIn, startStandIn } from './stand-in.ts';

const TYPES: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' };

/** The image host of provider A's templates: pictures by their ending, and the traps by their name. */
export async function startImageHost({ port = 0 }: { port?: number } = {}): Promise<StandIn> {
  return startStandIn(({ path }) => answer(path), { port });
}

function answer(path: string): Answer {
  if (path.includes('missing')) return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'not found' };
  if (path.includes('broken')) return { status: 500, headers: { 'content-type': 'text/plain' }, body: 'no' };
  if (path.includes('page'))
    return { status: 200, headers: { 'content-type': 'image/png' }, body: '<html>not a picture</html>' };
  if (path.includes('script'))
    return {
      status: 200,
      headers: { 'content-type': 'image/png' },
      body: '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
    };
  if (path.includes('bomb'))
    return { status: 200, headers: { 'content-type': 'image/png' }, body: png(50_000, 50_000) };
  if (path.includes('away')) return { status: 302, headers: { location: 'http://127.0.0.1:1/secret' }, body: '' };
  const ending = /\.(\w+)$/.exec(path)?.[1] ?? 'png';
  return {
    status: 200,
    headers: { 'content-type': TYPES[ending] ?? 'application/octet-stream' },
    body: picture(ending),
  };
}

export function picture(ending: string): Buffer {
  if (ending === 'gif') return Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  if (ending === 'jpg') return jpeg;
  if (ending === 'webp') return Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
  return png(2, 2);
}

/** The smallest JPEG with its size in the frame header: one grey pixel. */
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxD/2Q==',
  'base64',
);

/** A real PNG of any size: the header may promise more pixels than anyone should unpack. */
export function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Math.min(width, 2);
  const pixels = deflateSync(Buffer.alloc(Math.min(height, 2) * (1 + rows * 3), 0x7f));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, bytes: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), bytes]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
