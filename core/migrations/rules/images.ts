interface ImageType {
  ending: 'png' | 'jpg' | 'gif' | 'webp';
  contentType: string;
  width: number;
  height: number;
}

export const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
const PIXELS_MAX = 40_000_000;

const contentTypes: Record<ImageType['ending'], string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export function contentTypeOf(ending: string): string | null {
  return Object.hasOwn(contentTypes, ending) ? contentTypes[ending as ImageType['ending']] : null;
}

/** Determined from the bytes, whatever the name or header; null for everything but the four picture types. */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = pngSize(bytes, view) ?? gifSize(bytes, view) ?? jpegSize(bytes, view) ?? webpSize(bytes, view);
  if (!size || size.width < 1 || size.height < 1 || size.width * size.height > PIXELS_MAX) return null;
  return { ...size, contentType: contentTypes[size.ending] };
}

type Size = Pick<ImageType, 'ending' | 'width' | 'height'>;

function pngSize(bytes: Uint8Array, view: DataView): Size | null {
  if (bytes.length < 24 || !startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return null;
  return { ending: 'png', width: view.getUint32(16), height: view.getUint32(20) };
}

function gifSize(bytes: Uint8Array, view: DataView): Size | null {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(latin(bytes, 0, 6))) return null;
  return { ending: 'gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** Walks the markers to the frame header, the only one with the size. */
function jpegSize(bytes: Uint8Array, view: DataView): Size | null {
  if (!startsWith(bytes, [0xff, 0xd8, 0xff])) return null;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { ending: 'jpg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

function webpSize(bytes: Uint8Array, view: DataView): Size | null {
  if (bytes.length < 30 || latin(bytes, 0, 4) !== 'RIFF' || latin(bytes, 8, 12) !== 'WEBP') return null;
  const uint24 = (at: number) => view.getUint16(at, true) + (bytes[at + 2] ?? 0) * 65_536;
  switch (latin(bytes, 12, 16)) {
    case 'VP8X':
      return { ending: 'webp', width: uint24(24) + 1, height: uint24(27) + 1 };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { ending: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { ending: 'webp', width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return null;
  }
}

function startsWith(bytes: Uint8Array, head: number[]): boolean {
  return head.every((byte, index) => bytes[index] === byte);
}

function latin(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
