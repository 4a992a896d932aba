import { expect } from 'chai';
import { isOfBelievableSize, readPicture } from '../../core/templates/media/pictures.ts';
import { HOLD_MS_MAX, leastOf } from '../linear/cpu.ts';
import { picture, png } from '../providers/images.ts';
import { gif, jpeg, notPictures, pngWith, polyglots, webp } from './hostile-pictures.ts';

const samples: Record<string, Buffer> = {
  png: png(2, 2),
  gif: picture('gif'),
  jpg: picture('jpg'),
  webp: picture('webp'),
  'an extended webp': webp({ width: 20, height: 10 }),
  'an animated webp': webp({ width: 20, height: 10 }, { width: 20, height: 10 }, { isAnimated: true }),
};

describe('A picture', () => {
  it('is recognized by its bytes, with its size', () => {
    expect(readPicture(png(640, 480))).to.deep.equal({ ending: 'png', width: 640, height: 480, isWhole: true });
    const frame = { x: 4, y: 2, width: 296, height: 248 };
    expect(readPicture(gif({ width: 300, height: 250, frame }))).to.deep.equal({
      ending: 'gif',
      width: 300,
      height: 250,
      isWhole: true,
    });
    expect(readPicture(jpeg({ width: 1_000, height: 700 }))).to.deep.equal({
      ending: 'jpg',
      width: 1_000,
      height: 700,
      isWhole: true,
    });
    expect(readPicture(webp({ width: 20, height: 10 }))).to.deep.equal({
      ending: 'webp',
      width: 20,
      height: 10,
      isWhole: true,
    });
    for (const [name, bytes] of Object.entries(samples)) expect(readPicture(bytes)?.isWhole, name).to.equal(true);
  });

  it('that is cut off anywhere is not whole, or no picture', () => {
    for (const [name, bytes] of Object.entries(samples))
      for (let length = 0; length < bytes.length; length += 1) {
        const read = readPicture(bytes.subarray(0, length));
        expect(read?.isWhole ?? false, `${name}, ${length} of ${bytes.length} bytes`).to.equal(false);
      }
  });

  it('is none when the parts of the file say different sizes', () => {
    for (const bytes of [
      pngWith({ headerBytes: 12 }),
      pngWith({ headerName: 'PLTE' }),
      gif({ width: 1, height: 1, frame: { x: 0, y: 0, width: 60_000, height: 60_000 } }),
      gif({ width: 10, height: 10, frame: { x: 9, y: 0, width: 2, height: 1 } }),
      jpeg({ width: 1, height: 1 }, { width: 60_000, height: 60_000 }),
      webp({ width: 1, height: 1 }, { width: 16_000, height: 16_000 }),
      webp({ width: 1, height: 1 }, { width: 16_000, height: 16_000 }, { isAnimated: true }),
    ])
      expect(readPicture(bytes), bytes.toString('hex', 0, 40)).to.equal(null);
    expect(readPicture(pngWith({ dataBytes: 0xffffffff }))?.isWhole).to.equal(false);
    const end = png(2, 2);
    end.writeUInt32BE(100, end.length - 12);
    expect(readPicture(end)?.isWhole).to.equal(false);
    const riff = webp({ width: 2, height: 2 });
    riff.writeUInt32LE(0xfffffff0, 4);
    expect(readPicture(riff)?.isWhole).to.equal(false);
  });

  it('has a believable size up to 40 million pixels and 16,383 on a side, and at least one pixel', () => {
    const isBelievable = (width: number, height: number) => isOfBelievableSize(readPicture(png(width, height))!);
    expect(isBelievable(8_000, 5_000)).to.equal(true);
    expect(isBelievable(16_383, 2_441)).to.equal(true);
    for (const [width, height] of [
      [8_000, 5_001],
      [16_384, 1],
      [1, 16_384],
      [0, 100],
      [100, 0],
      [0xffffffff, 0xffffffff],
    ] as const)
      expect(isBelievable(width, height), `${width} x ${height}`).to.equal(false);
  });

  it('may be another file as well: it is known as the picture that it begins as', () => {
    for (const [name, bytes] of Object.entries(samples))
      for (const both of polyglots(bytes)) expect(readPicture(both)?.isWhole, name).to.equal(true);
  });

  it('is not SVG, HTML or anything else', () => {
    for (const [name, bytes] of Object.entries(notPictures)) {
      const read = readPicture(bytes);
      expect(read?.isWhole ?? false, name).to.equal(false);
      if (read) expect(read.ending, name).to.equal('gif');
    }
  });

  it(`holds the event loop for less than ${HOLD_MS_MAX} ms, whatever is in it`, () => {
    const length = 5 * 1024 * 1024;
    const hostile = [
      Buffer.concat([png(2, 2).subarray(0, 33), Buffer.alloc(length)]),
      Buffer.concat([gif().subarray(0, 13), Buffer.from([0x21, 0xfe]), Buffer.alloc(length, 1)]),
      Buffer.concat([gif().subarray(0, 13), Buffer.alloc(length, Buffer.from([0x21, 0xfe, 0]))]),
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(length, 0xff)]),
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(length, Buffer.from([0xff, 0xe0, 0, 0]))]),
      Buffer.concat([webp({ width: 2, height: 2 }).subarray(0, 30), Buffer.alloc(length)]),
    ];
    for (const bytes of hostile)
      expect(
        leastOf(() => readPicture(bytes)),
        bytes.toString('hex', 0, 16),
      ).to.be.lessThan(HOLD_MS_MAX);
  });
});
