import { crc32 } from 'node:zlib';

/** Files that say one thing and are another. Each is small; what they promise is not. */

const HTML = Buffer.from('<html><script>alert(document.domain)</script></html>');

export function gif({ width = 1, height = 1, frame = { x: 0, y: 0, width: 1, height: 1 } } = {}): Buffer {
  const screen = Buffer.from([...numbers(width, height), 0, 0, 0]);
  const image = Buffer.from([0x2c, ...numbers(frame.x, frame.y, frame.width, frame.height), 0, 2, 2, 0x44, 0x01, 0]);
  return Buffer.concat([Buffer.from('GIF89a'), screen, image, Buffer.from([0x3b])]);
}

export function jpeg(...frames: Array<{ width: number; height: number }>): Buffer {
  const headers = frames.map(({ width, height }) =>
    Buffer.from([0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]),
  );
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...headers, scan, Buffer.from([0xff, 0xd9])]);
}

interface Side {
  width: number;
  height: number;
}

/** An extended WebP, whose canvas may differ from the picture inside. */
export function webp(canvas: Side, inside: Side = canvas, { isAnimated = false } = {}): Buffer {
  const bits = (inside.width - 1) | ((inside.height - 1) << 14);
  const picture = Buffer.from([0x2f, bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, (bits >> 24) & 255, 0]);
  const still = riffChunk('VP8L', Buffer.concat([picture, Buffer.alloc(8)]));
  const frame = riffChunk(
    'ANMF',
    Buffer.concat([Buffer.alloc(6), uint24(inside.width - 1), uint24(inside.height - 1), Buffer.alloc(4), still]),
  );
  const flags = Buffer.from([isAnimated ? 2 : 0, 0, 0, 0]);
  const header = riffChunk('VP8X', Buffer.concat([flags, uint24(canvas.width - 1), uint24(canvas.height - 1)]));
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), header, isAnimated ? frame : still]));
}

/** A PNG whose header is `size` bytes long, or named something else, or whose chunk promises more bytes than there are. */
export function pngWith({ headerBytes = 13, headerName = 'IHDR', dataBytes = 10 } = {}): Buffer {
  const header = Buffer.alloc(Math.max(13, headerBytes));
  header.writeUInt32BE(2, 0);
  header.writeUInt32BE(2, 4);
  const data = Buffer.alloc(10);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    pngChunk(headerName, header, headerBytes),
    pngChunk('IDAT', data, dataBytes),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Valid pictures that are something else too. */
export const polyglots = (picture: Buffer): Buffer[] => [
  Buffer.concat([picture, HTML]),
  Buffer.concat([picture, Buffer.from('PK\u0003\u0004'), Buffer.alloc(64)]),
];

/** Files that are no pictures, whatever their names say. */
export const notPictures: Record<string, Buffer> = {
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>'),
  'svg with a declaration': Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
  'svg, compressed': Buffer.from(
    'H4sIAAAAAAAAA7MpLstUqMjNySu2VcooKSmw0tcvLy/XKzfWyy9K1zcyMDDQryjJzVHSt7MBAOFpAKEqAAAA',
    'base64',
  ),
  html: HTML,
  pdf: Buffer.from('%PDF-1.7\n'),
  bmp: Buffer.concat([Buffer.from('BM'), Buffer.alloc(64)]),
  ico: Buffer.from([0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 24, 0]),
  'a script that begins like a GIF': Buffer.from('GIF89a/*'),
  'a script that is long enough to be a GIF': Buffer.from(`GIF89a=1;alert(document.domain)//${' '.repeat(100)}`),
  'the start of a PNG alone': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'RIFF that is sound': Buffer.concat([Buffer.from('RIFF\u0024\u0000\u0000\u0000WAVEfmt '), Buffer.alloc(64)]),
};

function pngChunk(name: string, bytes: Buffer, saysBytes = bytes.length): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), bytes]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(saysBytes);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

function riffChunk(name: string, bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from(name), length, bytes]);
}

function uint24(value: number): Buffer {
  return Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255]);
}

function numbers(...values: number[]): number[] {
  return values.flatMap((value) => [value & 255, value >> 8]);
}
