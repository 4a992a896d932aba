import { expect } from 'chai';
import { Binary } from 'mongodb';
import { openSecret, SecretError, sealSecret } from '../../core/base/secrets.ts';
import { planA, planB } from '../../core/migrations/preview.ts';
import { newPhases, nextPhase, phasesForRetry } from '../../core/migrations/rules/phase-order.ts';
import { imageUrls, replaceUrls, reviewB } from '../../core/migrations/rules/templates.ts';
import { fieldNameOf, sourceMobile, sourceName, sourceValue } from '../../core/migrations/rules/values.ts';
import { type SourceA, type SourceB, SourceError, type SuppressionList } from '../../core/migrations/source.ts';

describe('Values of a source', () => {
  it('are read as dates in each of the ways that sources write them', () => {
    const day = '1990-02-01T00:00:00.000Z';
    for (const written of ['1990-02-01', '02/01/1990', '2/1/1990', '1990-02-01T00:00:00Z', '1990-02-01 00:00:00+00'])
      expect(sourceValue('date', written), written).equal(day);
    expect(sourceValue('date', 633830400)).equal(day);
    expect(sourceValue('date', '633830400')).equal(day);
    for (const written of ['13/13/1990', '1990-02-30', 'tomorrow', true])
      expect(sourceValue('date', written)).equal(undefined);
  });

  it('that say nothing are left out, and those that are of another type are named', () => {
    expect([sourceValue('string', ''), sourceValue('number', null), sourceValue('boolean', undefined)]).deep.equal([
      null,
      null,
      null,
    ]);
    expect([sourceValue('number', '12.5'), sourceValue('number', 'twelve')]).deep.equal([12.5, undefined]);
    expect([sourceValue('boolean', 'true'), sourceValue('boolean', 'yes')]).deep.equal([true, undefined]);
    expect(sourceValue('string', 12)).equal('12');
  });

  it('become names of one line, numbers that can be called, and names of fields', () => {
    expect(sourceName('  Ada\r\nBcc: x ')).equal('Ada Bcc: x');
    expect([sourceName(' \t'), sourceName(null)]).deep.equal([null, null]);
    expect([sourceMobile('+49 (151) 123-45'), sourceMobile('0151 12345')]).deep.equal(['+4915112345', null]);
    expect([fieldNameOf('Company Name'), fieldNameOf('größe'), fieldNameOf('!!')]).deep.equal([
      'Company_Name',
      'gr_e',
      null,
    ]);
  });
});

describe('Pictures of a template', () => {
  const hosts = ['cdn.example.net'];

  it('are found in src, srcset and styles, with http, https or neither, on exactly the host', () => {
    const html = `<img src="http://CDN.example.net/a.png"><img srcset="https://cdn.example.net/b.png 1x, //cdn.example.net/c.png 2x">
      <td style="background:url('https://cdn.example.net/d.png?x=1&amp;y=2')"><img src=" http://cdn.example.net/a.png ">
      <img src="https://cdn.example.net.evil.test/e.png"><img src="https://evil.test/cdn.example.net/f.png">
      <img src="https://user@cdn.example.net/g.png">`;
    expect(imageUrls(html, hosts)).deep.equal([
      'http://CDN.example.net/a.png',
      'https://cdn.example.net/b.png',
      '//cdn.example.net/c.png',
      'https://cdn.example.net/d.png?x=1&amp;y=2',
      'http://cdn.example.net/a.png',
    ]);
  });

  it('are replaced whole, and one whose address begins like another is not touched', () => {
    const html = '<img src="//cdn.example.net/a.png"><img src="//cdn.example.net/a.png.jpg">(//cdn.example.net/a.png).';
    const replaced = replaceUrls(html, new Map([['//cdn.example.net/a.png', 'NEW']]));
    expect(replaced).equal('<img src="NEW"><img src="//cdn.example.net/a.png.jpg">(NEW).');
  });
});

describe('Reasons to check a migrated template', () => {
  it('is #each from provider B, in HTML or subject; other differences are notes', () => {
    expect(reviewB('<p>{{#each ITEMS}}x{{/each}}</p>', null).isFlagged).equal(true);
    expect(reviewB('<p>x</p>', '{{ #each X }}').isFlagged).equal(true);
    const { isFlagged, notes } = reviewB('<a href="{{{RESEND_UNSUBSCRIBE_URL}}}">{{{FIRST_NAME|there}}}</a>', null);
    expect(isFlagged).equal(false);
    expect(notes.join()).contains('{{unsubscribe}}').and.contains('{{firstName}}').and.contains('fallback');
    expect(reviewB('<p>{{{NAME}}}</p>', 'Hello').notes).deep.equal([]);
  });
});

describe('The phases of a migration', () => {
  const at = new Date(0);
  const phases = newPhases('providerB').map((phase, index) => ({
    ...phase,
    status: index < 2 ? ('completed' as const) : index === 2 ? ('failed' as const) : ('pending' as const),
    succeeded: 5,
  }));

  it('continue with the one that failed, and keep its counts', () => {
    const again = phasesForRetry(phases, undefined, at)!;
    expect([nextPhase(again), again[2]?.succeeded]).deep.equal(['audiences', 5]);
  });

  it('restart at the phase that is named; phases between are left out', () => {
    const earlier = phasesForRetry(phases, 'templates', at)!;
    expect([nextPhase(earlier), earlier[1]?.succeeded, earlier[0]?.status]).deep.equal(['templates', 0, 'completed']);
    const later = phasesForRetry(phases, 'topics', at)!;
    expect([nextPhase(later), later[2]?.status, later[3]?.status]).deep.equal(['topics', 'skipped', 'skipped']);
    expect(phasesForRetry(phases, 'contactLists', at)).equal(null);
  });
});

describe('A plan of provider B', () => {
  it('answers in time: what was not counted by then is said to be incomplete', async () => {
    const contact = { unsubscribed: true, sourceId: 'x' };
    let pages = 0;
    const source = {
      listTemplates: async () => [],
      listFields: async () => [],
      listSegments: async () => [],
      listTopics: async () => [],
      listContacts: async () => {
        pages += 1;
        if (pages === 3) await new Promise(() => {});
        return { contacts: [contact, contact], hasMore: true };
      },
    } as unknown as SourceB;
    const plan = await planB(source, 1_000);
    expect(plan).deep.include({ totalContacts: 4, unsubscribedContacts: 4, countsComplete: false });
  });
});

describe('A plan of provider A', () => {
  it('has the suppressed addresses counted so far when counting takes too long', async () => {
    const pageOf = (offset: number) =>
      Array.from({ length: 500 }, (_, index) => ({ email: `p${offset + index}@example.com`, at: null }));
    const source = {
      checkKey: async () => {},
      listTemplates: async () => [],
      listGroups: async () => [],
      listFields: async () => [],
      listLists: async () => [],
      countContacts: async () => 7,
      listSuppressed: async (list: SuppressionList, { offset }: { offset: number }) => {
        if (list === 'invalidEmails') throw new SourceError('forbidden', 'No.');
        if (list === 'bounces' && offset > 500) await new Promise(() => {});
        return { rows: pageOf(offset), hasMore: list === 'bounces' };
      },
    } as unknown as SourceA;
    const plan = await planA(source, 1_000);
    const suppressions = { unsubscribes: 500, bounces: 950, invalidEmails: 0, spamReports: 500 };
    expect(plan).deep.include({ totalContacts: 7, suppressions, countsComplete: false });
    expect(plan.skipped)
      .length(1)
      .and.satisfy(([one]: string[]) => one?.includes('suppression.invalid_emails.read'));
  });
});

describe('A sealed secret', () => {
  const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
  const config = { secretKeys: [`k2:${key(2)}`, `k1:${key(1)}`] };

  it('opens for its project and job alone, unchanged, with the key that sealed it', () => {
    const sealed = sealSecret(config, ['project', 'job'], 'SG.secret');
    expect(sealed.keyId).equal('k2');
    expect(Buffer.from(sealed.text.buffer).includes('SG.secret')).equal(false);
    expect(openSecret(config, ['project', 'job'], sealed)).equal('SG.secret');
    const flipped = Buffer.from(sealed.text.buffer);
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    const changed = { ...sealed, text: new Binary(flipped) };
    for (const open of [
      () => openSecret(config, ['project', 'other job'], sealed),
      () => openSecret(config, ['other project', 'job'], sealed),
      () => openSecret(config, ['project', 'job'], changed),
      () => openSecret({ secretKeys: [`k3:${key(2)}`] }, ['project', 'job'], sealed),
    ])
      expect(open).throw(SecretError);
  });

  it('opens with an old key after a new one was put in front, and needs whole keys', () => {
    const old = sealSecret({ secretKeys: [`k1:${key(1)}`] }, ['a'], 'text');
    expect(openSecret(config, ['a'], old)).equal('text');
    for (const secretKeys of [[], ['k1'], [`:${key(1)}`], ['k1:c2hvcnQ=']])
      expect(() => sealSecret({ secretKeys }, ['a'], 'text')).throw(SecretError);
  });
});
