// Promise: who left is not mailed.
import { expect } from 'chai';
import { unsubscribeRoutes } from '../../api/routes/consent/unsubscribe.ts';
import { trackingRoutes } from '../../api/routes/mail/tracking.ts';
import { refreshCounts } from '../../core/campaigns/numbers/counts.ts';
import { suppress } from '../../core/consent/suppressions/suppressions.ts';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import type { Client } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';
import { bareCampaign, engagementOf, refOf, sentMessage, serveRoutes, storedMessage } from './support.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('Unsubscribing', () => {
  const environment = useEnvironment({ PUBLIC_RATE_LIMIT: '100000' });
  let visitor: Client;
  before(async () => {
    visitor = environment.client(null);
  });

  const entries = (email: string) =>
    environment.deps.db.suppressions.find({ projectId: environment.own.project._id, email }).toArray();
  const post = (path: string, body: string | null, headers: Record<string, string> = FORM) =>
    visitor.send('POST', path, { ...(body === null ? {} : { body }), headers });

  async function mailed(groupId: string | null = null) {
    const campaign = await bareCampaign(environment, environment.own, { unsubscribeGroupId: groupId });
    const message = await sentMessage(environment, environment.own, { campaignId: campaign._id });
    const to = { groupId, email: message.email };
    const path = `/u/${unsubscribeToken(environment.deps.config, { ...refOf(message), ...to })}`;
    return { campaign, message, path, email: message.email };
  }

  async function newGroup(name: string): Promise<string> {
    return (await environment.own.client.post('/suppression-groups', { name })).body.data.groupId;
  }

  it('GET shows a page with the names of the project and the group and changes nothing, however often.', async () => {
    const groupId = await newGroup('Weekly <tips>');
    const { path, email, message } = await mailed(groupId);
    for (let i = 0; i < 5; i += 1) {
      const reply = await visitor.get(path);
      expect(reply.status).to.equal(200);
      expect(reply.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(reply.text).to.contain('Weekly &lt;tips&gt;').and.to.contain('Own project').and.to.contain('<button');
      expect(reply.text).to.not.contain('<script').and.to.not.contain(email);
    }
    await visitor.send('HEAD', path);
    expect(await entries(email)).to.deep.equal([]);
    expect(await engagementOf(environment, message)).to.equal(null);
  });

  it('One click is answered 200 and empty with the entry written, from any place, in either form, any number of times.', async () => {
    const { path, email, campaign, message } = await mailed();
    const first = await post(path, 'List-Unsubscribe=One-Click', { ...FORM, Origin: 'https://elsewhere.example' });
    expect([first.status, first.text]).to.deep.equal([200, '']);
    const [entry] = await entries(email);
    expect(entry?.reason).to.equal('UNSUBSCRIBE');
    expect(entry?.isDefault).to.equal(true);
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    expect((await visitor.send('POST', path, { body: form })).status).to.equal(200);
    expect(await entries(email)).to.have.length(1);
    expect((await refreshCounts(environment.deps, campaign)).unsubscribed).to.equal(1);
    const lines = (await storedMessage(environment, message))?.timeline?.filter(({ type }) => type === 'unsubscribed');
    expect(lines).to.have.length(1);
  });

  it('The button of the page unsubscribes from the group of the mail, and the page takes it back.', async () => {
    const groupId = await newGroup('Offers');
    const { path, email } = await mailed(groupId);
    const left = await post(path, 'action=unsubscribe');
    expect(left.text).to.contain('You are unsubscribed').and.to.contain('Undo');
    expect((await entries(email)).map((entry) => [entry.groupId, entry.reason])).to.deep.equal([
      [groupId, 'UNSUBSCRIBE'],
    ]);
    expect((await visitor.get(path)).text).to.contain('You are unsubscribed');
    const back = await post(path, 'action=resubscribe');
    expect(back.text).to.contain('You are subscribed again');
    expect(await entries(email)).to.deep.equal([]);
  });

  it('Taking it back never lifts a complaint or what the sender decided.', async () => {
    const { path, email } = await mailed();
    const { project } = environment.own;
    await suppress(environment.deps, project._id, { emails: [email], isGlobal: true, reason: 'COMPLAINT' });
    const page = await visitor.get(path);
    expect(page.text).to.contain('You do not receive these emails').and.to.not.contain('<form');
    await post(path, 'action=resubscribe');
    expect((await entries(email)).map(({ reason }) => reason)).to.deep.equal(['COMPLAINT']);
  });

  for (const [when, order] of [
    ['before the person left', ['suppress', 'leave']],
    ['after it', ['leave', 'suppress']],
  ] as const)
    it(`The decision of the sender ${when} holds again when the person withdraws theirs.`, async () => {
      const groupId = await newGroup(`Kept ${when}`);
      const { path, email } = await mailed(groupId);
      const { deps, own } = environment;
      const steps = {
        leave: () => post(path, 'action=unsubscribe'),
        suppress: async () => {
          const evidence = 'asked by telephone';
          await suppress(deps, own.project._id, { emails: [email], groupId, reason: 'MANUAL', evidence });
        },
      };
      for (const step of order) await steps[step]();
      expect((await entries(email)).map(({ reason }) => reason)).to.deep.equal(['UNSUBSCRIBE']);
      const back = await post(path, 'action=resubscribe');
      expect(back.text).to.contain('You do not receive these emails').and.to.not.contain('<form');
      const stands = (await entries(email)).map(({ reason, evidence, beside }) => [reason, evidence, beside]);
      expect(stands).to.deep.equal([['MANUAL', 'asked by telephone', undefined]]);
      const { counts } = (await deps.db.suppressionGroups.findOne({ projectId: own.project._id, groupId })) ?? {};
      expect(counts).to.deep.include({ MANUAL: 1, UNSUBSCRIBE: 0 });
    });

  for (const [name, body, headers] of [
    ['no body', null, {}],
    ['an empty form', '', FORM],
    ['another field', 'List-Unsubscribe=Maybe', FORM],
    ['another action', 'action=everything', FORM],
  ] as const)
    it(`POST with ${name} is refused with 400 and changes nothing.`, async () => {
      const { path, email } = await mailed();
      expect((await post(path, body, headers)).status).to.equal(400);
      expect(await entries(email)).to.deep.equal([]);
    });

  it('A token that is not ours is answered 404, to GET and POST, and ten thousand guesses hit nothing.', async () => {
    const { path, email } = await mailed();
    const bad = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`;
    expect((await visitor.get(bad)).status).to.equal(404);
    expect((await post(bad, 'List-Unsubscribe=One-Click')).status).to.equal(404);
    expect(await entries(email)).to.deep.equal([]);
    const { readUnsubscribeToken } = await import('../../core/mail/compose/tokens.ts');
    const { randomBytes } = await import('node:crypto');
    for (let i = 0; i < 10_000; i += 1) {
      const guess = randomBytes(60).toString('base64url');
      expect(readUnsubscribeToken(environment.deps.config, guess)).to.equal(null);
    }
  });

  it('It works when the message and the contact are long gone, and when the group was deleted.', async () => {
    const groupId = await newGroup('Short lived');
    const { path, email, message } = await mailed(groupId);
    await environment.deps.db.messages.deleteOne({ _id: message._id, projectId: message.projectId });
    await environment.own.client.delete(`/suppression-groups/${groupId}`);
    expect((await post(path, 'List-Unsubscribe=One-Click')).status).to.equal(200);
    expect((await entries(email)).map(({ isDefault, reason }) => [isDefault, reason])).to.deep.equal([
      [true, 'UNSUBSCRIBE'],
    ]);
  });

  it('Public pages are limited to PUBLIC_RATE_LIMIT requests a minute for each address.', async () => {
    const { deps } = environment;
    const limited = await serveRoutes({ ...deps, config: { ...deps.config, publicRateLimit: 5 } }, unsubscribeRoutes);
    try {
      const statuses: number[] = [];
      // Twice the limit, for a minute may turn in the middle of the run.
      for (let i = 0; i < 11; i += 1) statuses.push((await limited.visitor.get('/u/guess')).status);
      expect(statuses).to.include(404).and.to.include(429);
    } finally {
      await limited.stop();
    }
  });

  it('An address that has used up its limit with pixels, clicks and guesses can still unsubscribe, any number of people.', async () => {
    const { deps } = environment;
    const config = { ...deps.config, publicRateLimit: 3 };
    const limited = await serveRoutes({ ...deps, config }, [...trackingRoutes, ...unsubscribeRoutes]);
    try {
      // Twice the limit, for a minute may turn in the middle of the run.
      for (const path of ['/t/o/guess.gif', '/t/c/guess', '/u/guess'])
        for (let i = 0; i < 7; i += 1) await limited.visitor.get(path);
      for (let i = 0; i < 7; i += 1) {
        const { path, email } = await mailed();
        const init = { body: 'List-Unsubscribe=One-Click', headers: FORM };
        expect((await limited.visitor.send('POST', path, init)).status).to.equal(200);
        expect(await entries(email)).to.have.length(1);
      }
    } finally {
      await limited.stop();
    }
  });

  it('One link is limited to PUBLIC_RATE_LIMIT requests a minute, from all addresses together.', async () => {
    const { deps } = environment;
    const config = { ...deps.config, publicRateLimit: 3, trustedProxies: 1 };
    const limited = await serveRoutes({ ...deps, config }, unsubscribeRoutes);
    try {
      const { path } = await mailed();
      const statuses: number[] = [];
      for (let i = 0; i < 8; i += 1)
        statuses.push((await limited.visitor.get(path, { 'X-Forwarded-For': `198.51.100.${i}` })).status);
      expect(statuses).to.include(200).and.to.include(429);
    } finally {
      await limited.stop();
    }
  });

  it('X-Forwarded-For of an untrusted proxy causes one warning, since all callers then share the limits of one address.', async () => {
    const { deps } = environment;
    const forwarded = { 'X-Forwarded-For': '198.51.100.7' };
    for (const [trustedProxies, wanted] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const warnings: string[] = [];
      const log = { ...deps.log, warn: (_fields: object, message: string) => warnings.push(message) };
      const config = { ...deps.config, trustedProxies };
      const served = await serveRoutes({ ...deps, config, log }, [...trackingRoutes, ...unsubscribeRoutes]);
      try {
        await served.visitor.get('/u/guess');
        expect(warnings).to.have.length(0);
        for (const path of ['/t/c/guess', '/u/guess', '/u/guess']) await served.visitor.get(path, forwarded);
        expect(warnings.filter((message) => message.includes('TRUSTED_PROXIES'))).to.have.length(wanted);
      } finally {
        await served.stop();
      }
    }
  });
});
