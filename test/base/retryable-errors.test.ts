import { expect } from 'chai';
import { type BulkWriteResult, MongoBulkWriteError, MongoNetworkError, MongoServerError } from 'mongodb';
import { isRetryable } from '../../api/http/errors.ts';
import { isAway } from '../../core/base/database/transactions.ts';

describe('An error of the database', () => {
  const nothing = {} as BulkWriteResult;

  it('is answered with 503 when the database could not be asked, also in a bulk write, which hides it', () => {
    const away = new MongoNetworkError('closed');
    expect(isRetryable(away)).to.equal(true);
    expect(isRetryable(new MongoBulkWriteError(away, nothing))).to.equal(true);
    expect(isRetryable(new MongoServerError({ code: 10107 }))).to.equal(true);
  });

  it('is answered with 503 when a connection broke and the driver passes on what the system said, in a bulk write too', () => {
    const broken = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' });
    expect(isRetryable(broken)).to.equal(true);
    expect(isRetryable(new MongoBulkWriteError(broken as unknown as MongoNetworkError, nothing))).to.equal(true);
    expect(isRetryable(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).to.equal(false);
  });

  it('is answered with 503 when the disk of the database is full, since a repeat writes it once there is room', () => {
    const full = new MongoServerError({ code: 8, errmsg: '28: No space left on device' });
    expect(isRetryable(full)).to.equal(true);
    expect(isRetryable(new MongoBulkWriteError(full, nothing))).to.equal(true);
    expect(isRetryable(new MongoServerError({ code: 14031 }))).to.equal(true);
  });

  it('is answered with 500 when asking again would not help', () => {
    const duplicate = { message: 'E11000', code: 11000, writeErrors: [] };
    expect(isRetryable(new MongoBulkWriteError(duplicate, nothing))).to.equal(false);
    expect(isRetryable(new MongoServerError({ code: 2 }))).to.equal(false);
    expect(isRetryable(new Error('away'))).to.equal(false);
    expect(isAway(new MongoBulkWriteError(duplicate, nothing))).to.equal(false);
  });
});
