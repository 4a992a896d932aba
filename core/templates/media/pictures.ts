export type PictureEnding = 'png' | 'jpg' | 'gif' | 'webp';

export interface Picture {
  ending: PictureEnding;
  width: number;
  height: number;
  /** The bytes go to the end of the picture. Mail programs show the first part of a picture that is cut off. */
  isWhole: boolean;
}

export const PIXELS_MAX = 40_000_000;
/** The most that a WebP picture can have. */
export const SIDE_MAX = 16_383;

const contentTypes: Record<PictureEnding, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export function contentTypeOf(ending: string): string | null {
  return Object.hasOwn(contentTypes, ending) ? contentTypes[ending as PictureEnding] : null;
}

/** Determined from the bytes, whatever the name or header; null for everything but the four picture types. Nothing is decoded. */
export function readPicture(bytes: Uint8Array): Picture | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readPng(file) ?? readGif(file) ?? readJpeg(file) ?? readWebp(file);
}

/** Whether a program that shows the picture needs little memory for it. */
export function isOfBelievableSize({ width, height }: Pick<Picture, 'width' | 'height'>): boolean {
  return width >= 1 && height >= 1 && width <= SIDE_MAX && height <= SIDE_MAX && width * height <= PIXELS_MAX;
}

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_HEADER_BYTES = 13;
const PNG_LAST_CHUNK = nameOf('IEND');

/** A chunk is its length, its name, its bytes and a checksum; IHDR comes first and IEND last. */
function readPng(file: Buffer): Picture | null {
  if (file.length < 24 || !startsWith(file, PNG_START)) return null;
  if (file.readUInt32BE(8) !== PNG_HEADER_BYTES || text(file, 12, 4) !== 'IHDR') return null;
  const picture: Picture = {
    ending: 'png',
    width: file.readUInt32BE(16),
    height: file.readUInt32BE(20),
    isWhole: false,
  };
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (file.readUInt32BE(at + 4) === PNG_LAST_CHUNK) return { ...picture, isWhole: end <= file.length };
    at = end;
  }
  return picture;
}

const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;
const GIF_TRAILER = 0x3b;

/** The screen comes first; a frame that reaches beyond it makes programs use another size than the one that is said. */
function readGif(file: Buffer): Picture | null {
  if (file.length < 13 || !/^GIF8[79]a$/.test(text(file, 0, 6))) return null;
  const picture: Picture = { ending: 'gif', width: file.readUInt16LE(6), height: file.readUInt16LE(8), isWhole: false };
  let hasFrame = false;
  for (let at = 13 + gifColorBytes(file[10]!); at < file.length; ) {
    const kind = file[at];
    if (kind === GIF_TRAILER) return { ...picture, isWhole: hasFrame };
    if (kind === GIF_EXTENSION) at = afterGifBlocks(file, at + 2);
    else if (kind === GIF_FRAME && at + 10 <= file.length) {
      if (file.readUInt16LE(at + 1) + file.readUInt16LE(at + 5) > picture.width) return null;
      if (file.readUInt16LE(at + 3) + file.readUInt16LE(at + 7) > picture.height) return null;
      hasFrame = true;
      at = afterGifBlocks(file, at + 11 + gifColorBytes(file[at + 9]!));
    } else break;
  }
  return picture;
}

function gifColorBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Each block begins with its length; one of length 0 is the last. */
function afterGifBlocks(file: Buffer, from: number): number {
  let at = from;
  while (at < file.length && file[at] !== 0) at += 1 + file[at]!;
  return at + 1;
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const JPEG_END = Buffer.from([0xff, 0xd9]);
const JPEG_SCAN = 0xda;
/** They are in the range of the frame headers: tables and an extension. */
const JPEG_NO_FRAMES = [0xc4, 0xc8, 0xcc];

/** Walks the segments to the first scan; the one frame header before it has the size. */
function readJpeg(file: Buffer): Picture | null {
  if (!startsWith(file, JPEG_START)) return null;
  let picture: Picture | null = null;
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff; ) {
    const marker = file[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + file.readUInt16BE(at + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !JPEG_NO_FRAMES.includes(marker);
    if (isFrame) {
      if (picture || at + 9 > file.length) return null;
      const [height, width] = [file.readUInt16BE(at + 5), file.readUInt16BE(at + 7)];
      picture = { ending: 'jpg', width, height, isWhole: false };
    }
    if (marker === JPEG_SCAN) return picture && { ...picture, isWhole: file.lastIndexOf(JPEG_END) >= end };
    at = Math.max(end, at + 4);
  }
  return picture;
}

const WEBP_IS_ANIMATED = 0x02;
const WEBP_ANIMATION_FRAME = nameOf('ANMF');
const WEBP_LOSSY = nameOf('VP8 ');
const WEBP_LOSSLESS = nameOf('VP8L');

function readWebp(file: Buffer): Picture | null {
  if (file.length < 30 || text(file, 0, 4) !== 'RIFF' || text(file, 8, 4) !== 'WEBP') return null;
  const isWhole = 8 + file.readUInt32LE(4) <= file.length;
  if (text(file, 12, 4) !== 'VP8X') {
    const size = webpFrameSize(file, 12);
    return size && { ending: 'webp', ...size, isWhole: isWhole && webpChunkEnd(file, 12) <= file.length };
  }
  const canvas = { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  const frames = webpFrames(file, canvas, (file[20]! & WEBP_IS_ANIMATED) !== 0);
  return frames === 'other size' ? null : { ending: 'webp', ...canvas, isWhole: isWhole && frames === 'whole' };
}

type Size = Pick<Picture, 'width' | 'height'>;

/** The pictures inside an extended file must be as large as its canvas, or with animation within it. */
function webpFrames(file: Buffer, canvas: Size, isAnimated: boolean): 'whole' | 'cut off' | 'other size' {
  let hasFrame = false;
  for (let at = 12; at + 8 <= file.length; at = webpChunkEnd(file, at)) {
    const name = file.readUInt32BE(at);
    if (name === WEBP_ANIMATION_FRAME && isAnimated && at + 24 <= file.length) {
      const [x, y, width, height] = [8, 11, 14, 17].map((field) => file.readUIntLE(at + field, 3)) as [
        number,
        number,
        number,
        number,
      ];
      if (2 * x + width + 1 > canvas.width || 2 * y + height + 1 > canvas.height) return 'other size';
    } else if ((name === WEBP_LOSSY || name === WEBP_LOSSLESS) && !isAnimated && at + 18 <= file.length) {
      const size = webpFrameSize(file, at);
      if (size?.width !== canvas.width || size.height !== canvas.height) return 'other size';
    } else continue;
    hasFrame = webpChunkEnd(file, at) <= file.length;
  }
  return hasFrame ? 'whole' : 'cut off';
}

/** Chunks have an even number of bytes; the last one may lack the byte that fills it up. */
function webpChunkEnd(file: Buffer, at: number): number {
  const end = at + 8 + file.readUInt32LE(at + 4);
  return end % 2 === 1 && end < file.length ? end + 1 : end;
}

/** Of a chunk with the picture itself; null when the chunk does not begin as one. */
function webpFrameSize(file: Buffer, at: number): Size | null {
  switch (file.readUInt32BE(at)) {
    case WEBP_LOSSLESS: {
      if (file[at + 8] !== 0x2f) return null;
      const bits = file.readUInt32LE(at + 9);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case WEBP_LOSSY:
      if (file.readUIntBE(at + 11, 3) !== 0x9d012a) return null;
      return { width: file.readUInt16LE(at + 14) & 0x3fff, height: file.readUInt16LE(at + 16) & 0x3fff };
    default:
      return null;
  }
}

/** The name of a chunk as one number: a file may have 400,000 chunks, and a string for each takes a quarter of a second. */
function nameOf(chunk: string): number {
  return Buffer.from(chunk, 'latin1').readUInt32BE();
}

function startsWith(file: Buffer, head: Buffer): boolean {
  return file.length >= head.length && file.subarray(0, head.length).equals(head);
}

function text(file: Buffer, from: number, length: number): string {
  return file.toString('latin1', from, from + length);
}
