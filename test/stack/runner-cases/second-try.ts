import { expect } from 'chai';

let tries = 0;

describe('A suite for the runner', () => {
  it('passes only at its second try', () => {
    tries += 1;
    expect(tries).to.equal(2);
  });

  it('passes at once', () => {
    expect(1).to.equal(1);
  });
});
