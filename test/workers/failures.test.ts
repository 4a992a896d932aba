import { expect } from 'chai';
import { MongoServerError } from 'mongodb';
import { invalid, notFound, unavailable } from '../../core/base/errors.ts';
import { describeError } from '../../platform/log.ts';
import { toFailure } from '../../workers/failures.ts';

describe('Failures of activities', () => {
  it('what a caller would have to mend is not tried again, under a stable type', () => {
    const failure = toFailure(notFound('TEMPLATE'));
    expect(failure).to.include({ type: 'TEMPLATE_NOT_FOUND', nonRetryable: true });
    expect(failure.message).to.equal('There is no such template in this project.');
    expect(toFailure(invalid('name: is required.')).type).to.equal('VALIDATION_ERROR');
  });

  it('what is away is tried again, when it asks for it', () => {
    expect(toFailure(unavailable('away', 7))).to.deep.include({
      type: 'UNAVAILABLE',
      nonRetryable: false,
      nextRetryDelay: 7_000,
    });
    expect(toFailure(new TypeError('x')).nonRetryable).to.not.equal(true);
  });

  it('nothing of a foreign text reaches the history: neither message nor stack', () => {
    const secret = 'E11000 dup key: { email: "ada@example.com" }';
    const error = new MongoServerError({ message: secret, code: 11000 });
    for (const failure of [toFailure(error), toFailure(new Error(secret)), toFailure(secret)])
      expect(
        `${failure.message} ${failure.stack} ${failure.type} ${JSON.stringify(failure.details ?? null)}`,
      ).to.not.include('ada@');
    expect(toFailure(error).message).to.equal('MongoServerError 11000');
    expect(describeError(error)).to.deep.include({ type: 'MongoServerError', message: 'code 11000' });
    expect(JSON.stringify(describeError(error)), 'nor the log').to.not.include('ada@');
    expect(toFailure(error).stack).to.include('failures.test.ts');
  });
});
