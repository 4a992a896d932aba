import { expect } from 'chai';
import { judgeAudit } from '../../stack/check-signatures.ts';

const ajv = { name: 'ajv', version: '8.20.0', registry: 'https://registry.example/' };

describe('npm run check:signatures', () => {
  it('fails for a package whose signature is invalid or missing, and names it', () => {
    expect(
      judgeAudit(JSON.stringify({ invalid: [{ ...ajv, code: 'EINTEGRITYSIGNATURE' }], missing: [] })),
    ).to.deep.equal({
      isRefused: true,
      says: 'ajv@8.20.0 has an invalid signature of its registry.',
    });
    expect(judgeAudit(JSON.stringify({ invalid: [], missing: [ajv] }))).to.deep.equal({
      isRefused: true,
      says: 'ajv@8.20.0 has no signature of its registry.',
    });
  });

  it('passes when npm found nothing to object to', () => {
    const says = 'Every installed package has a valid signature of its registry.';
    expect(judgeAudit('{"invalid":[],"missing":[]}')).to.deep.equal({ isRefused: false, says });
  });

  it('passes with a note where the keys of the registry cannot be had', () => {
    const error = { code: 'ENOTFOUND', summary: 'request to the key store failed' };
    expect(judgeAudit(JSON.stringify({ error }))).to.deep.equal({
      isRefused: false,
      says: 'Signatures of packages were not checked: request to the key store failed',
    });
    expect(judgeAudit('')).to.deep.equal({
      isRefused: false,
      says: 'Signatures of packages were not checked: npm gave no answer',
    });
  });
});
