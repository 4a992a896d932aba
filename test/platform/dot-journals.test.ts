import { spawn } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Log } from '../../core/base/deps.ts';
import type { Dot } from '../../core/mail/ledger/dot-journal.ts';
import { FILE_BYTES, NOTES_MAX } from '../../platform/dots/format.ts';
import { createDotJournals } from '../../platform/dots/journals.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const HOUR_MS = 3_600_000;

/** Notes dots until it is killed, and says of each that it is written. */
const ENDLESS = `
  const { createDotJournals } = await import(process.argv[1]);
  const { writeSync } = await import('node:fs');
  const [dataDir, owner] = process.argv.slice(2);
  const log = { warn() {} };
  const writer = createDotJournals({ dataDir, log }).open(owner, () => []);
  for (let claim = 1; ; claim += 1) {
    writer.note({ _id: { id: Buffer.alloc(12, 7) }, claim }, 'begun');
    writeSync(1, claim + '\\n');
  }
`;

describe('Dot journals', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'everpost-dots-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const journals = (bootId: string | null = 'boot-a') => createDotJournals({ dataDir, log: silent, bootId });
  const newOwner = () => `${new ObjectId()}@0a1b2c3d`;
  const newDot = (claim = 1): Dot => ({ _id: new ObjectId(), claim });
  const fileOf = (owner: string) => join(dataDir, 'dots', owner);
  function noted(owner: string, dots: Dot[]) {
    const writer = journals().open(owner, () => [])!;
    for (const dot of dots) expect(writer.note(dot, 'begun')).to.equal(true);
    return writer;
  }

  it('A dot that was noted is read by others, by message and claim; any other was not begun.', async () => {
    const owner = newOwner();
    const dots = Array.from({ length: 100 }, (_, index) => newDot(index + 1));
    noted(owner, dots);
    const found = await journals().read(owner);
    for (const dot of dots) expect(found?.of(dot)).to.equal('begun');
    expect(found?.of({ ...dots[0]!, claim: 2 })).to.equal(undefined);
    expect(found?.of(newDot())).to.equal(undefined);
  });

  it('The last note about a dot counts.', async () => {
    const owner = newOwner();
    const [one, two, three, four] = [newDot(), newDot(2 ** 30 - 1), newDot(7), newDot(2 ** 30 - 1)];
    const writer = noted(owner, [one, two, three]);
    writer.note(four, 'inPart');
    writer.note(one, 'accepted');
    writer.note(two, 'refused');
    writer.note(three, 'refused');
    writer.note(three, 'begun');
    const found = await journals().read(owner);
    const last = [one, two, three, four].map((dot) => found?.of(dot));
    expect(last).to.deep.equal(['accepted', 'refused', 'begun', 'inPart']);
  });

  it('A note survives kill -9.', async () => {
    const owner = newOwner();
    const module = new URL('../../platform/dots/journals.ts', import.meta.url).href;
    const child = spawn(process.execPath, ['--input-type=module', '-e', ENDLESS, module, dataDir, owner], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (piece) => {
      said += piece;
      if (said.length > 20_000) child.kill('SIGKILL');
    });
    await new Promise((resolve) => child.once('close', resolve));
    const last = Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1));
    expect(last).to.be.greaterThan(1_000);
    const found = await createDotJournals({ dataDir, log: silent }).read(owner);
    const _id = new ObjectId(Buffer.alloc(12, 7));
    for (let claim = 1; claim <= last; claim += 1) expect(found?.of({ _id, claim }), `${claim}`).to.equal('begun');
  });

  it('A journal of another boot, one that is cut short anywhere, and one that is not there are not trusted.', async () => {
    const owner = newOwner();
    const dot = newDot();
    noted(owner, [dot]);
    expect((await journals().read(owner))?.of(dot)).to.equal('begun');
    expect(await journals('boot-b').read(owner)).to.equal(null);
    expect(await journals(null).read(owner)).to.equal(null);
    expect(await journals().read(newOwner())).to.equal(null);
    expect(await journals().read('../../secret-keys')).to.equal(null);
    const whole = readFileSync(fileOf(owner));
    for (const length of [0, 40, 64, 80, 81, FILE_BYTES - 16, FILE_BYTES - 1]) {
      writeFileSync(fileOf(owner), whole);
      truncateSync(fileOf(owner), length);
      expect(await journals().read(owner), `${length}`).to.equal(null);
    }
  });

  it('A full journal keeps the dots whose outcomes are not written, and never grows.', async () => {
    const owner = newOwner();
    const [open, over] = [newDot(), newDot()];
    const writer = journals().open(owner, () => [{ ...open, noted: 'accepted' as const }])!;
    for (const dot of [open, over]) writer.note(dot, 'begun');
    for (let count = 2; count < NOTES_MAX; count += 1) writer.note({ ...over, claim: count }, 'begun');
    expect((await journals().read(owner))?.of(over)).to.equal('begun');
    const next = newDot();
    writer.note(next, 'begun');
    const found = await journals().read(owner);
    expect([open, over, next].map((dot) => found?.of(dot))).to.deep.equal(['accepted', undefined, 'begun']);
    expect(statSync(fileOf(owner)).size).to.equal(FILE_BYTES);
  });

  it('A journal that cannot be written any more is not trusted, and mail is still sent.', async () => {
    const owner = newOwner();
    const writer = noted(owner, [newDot()]);
    for (let count = 1; count < NOTES_MAX; count += 1) writer.note(newDot(), 'begun');
    const kept = readFileSync(fileOf(owner));
    rmSync(join(dataDir, 'dots'), { recursive: true });
    writeFileSync(join(dataDir, 'dots'), 'no folder');
    expect(writer.note(newDot(), 'begun')).to.equal(true);
    expect(writer.note(newDot(), 'begun')).to.equal(true);
    expect(kept.length).to.equal(FILE_BYTES);
    expect(await journals().read(owner)).to.equal(null);
  });

  it('Where the folder cannot be made, or the system does not name its boot, there is none.', () => {
    expect(journals(null).machine).to.equal(null);
    expect(journals(null).open(newOwner(), () => [])).to.equal(null);
    writeFileSync(join(dataDir, 'dots'), 'no folder');
    expect(journals().open(newOwner(), () => [])).to.equal(null);
  });

  it('It is removed on a clean stop, and an hour after its process was last seen.', async () => {
    noted(newOwner(), [newDot()]).remove();
    expect(readdirSync(join(dataDir, 'dots'))).to.deep.equal([]);
    const [gone, alive] = [newOwner(), newOwner()];
    noted(gone, [newDot()]);
    noted(alive, [newDot()]);
    const longAgo = new Date(Date.now() - HOUR_MS - 60_000);
    utimesSync(fileOf(gone), longAgo, longAgo);
    journals().sweep();
    const left = readdirSync(join(dataDir, 'dots'));
    expect(left).to.include(alive);
    expect(left).to.not.include(gone);
  });
});
