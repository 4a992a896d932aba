import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { automationChangeQueue } from '../../../core/automations/enrollments/lifecycle-jobs.ts';
import { openHeaders } from '../../../core/events/webhook-headers.ts';
import { useEnvironment } from '../../support/environment.ts';
import { created, email, makeSending, refusal, simple, wait } from '../support.ts';

const DAY_MS = 86_400_000;
const ADDRESS = 'https://hooks.example.com/people';
const hook = (webhook?: object, more: object = {}) => ({
  ...{ type: 'webhook', stepId: 'post', ...more },
  ...(webhook ? { webhook } : {}),
});
const key = (value?: string) => ({ name: 'X-Key', ...(value === undefined ? {} : { value }) });

describe('A webhook step', () => {
  const env = useEnvironment();
  let webhookId: string;
  before(async () => {
    await makeSending(env.deps, env.own);
    webhookId = (await created(env.own.client, '/webhooks', { url: ADDRESS, events: ['email.sent'] })).id;
  });
  const body = (webhook?: object) => ({ ...simple, steps: [hook(webhook)] });
  const refused = async (webhook?: object) => refusal(await env.own.client.post('/automations', body(webhook)));
  const stored = async (id: string) => {
    const found = await env.deps.db.automations.findOne({ _id: new ObjectId(id) });
    const [step] = found?.steps ?? [];
    return step?.type === 'webhook' ? step.webhook.sealedHeaders : undefined;
  };
  const valuesOf = async (id: string) => {
    const sealed = await stored(id);
    return openHeaders(env.deps, { _id: new ObjectId(sealed?.id), projectId: env.own.project._id });
  };

  it('names a url or a webhook; alone it is an automation', async () => {
    for (const webhook of [{ url: ADDRESS }, { webhookId: webhookId.toUpperCase() }]) {
      const one = await created(env.own.client, '/automations', { ...body(webhook), active: true });
      const named = 'url' in webhook ? webhook : { webhookId };
      expect(one.steps[0].webhook).to.deep.equal({ ...named, wait: false });
    }
  });

  it('makes one webhook for a url when it is activated, which takes events and replays but no other url', async () => {
    const url = `${ADDRESS}/own`;
    const draft = await created(env.own.client, '/automations', body({ url }));
    const named = async () => {
      const { webhooks } = (await env.own.client.get('/webhooks?limit=100')).body.data;
      return webhooks.filter((one: { url: string }) => one.url === url);
    };
    expect(await named()).to.deep.equal([]);
    expect((await env.own.client.post(`/automations/${draft.id}/activate`)).status).to.equal(200);
    await created(env.own.client, '/automations', { ...body({ url }), active: true });
    const [made, ...more] = await named();
    expect(more).to.deep.equal([]);
    expect(made).to.include({ isActive: true });
    expect(made.events).to.deep.equal([]);
    const path = `/webhooks/${made.id}`;
    expect(refusal(await env.own.client.patch(path, { url: ADDRESS }))).to.include({ status: 409 });
    expect((await env.own.client.post(`${path}/rotate-secret`)).body.data.secret).to.match(/^whsec_/);
    expect((await env.own.client.patch(path, { isActive: false })).status).to.equal(200);
    const { status, details } = refusal(await env.own.client.post('/automations', { ...body({ url }), active: true }));
    expect({ status, details }).to.deep.equal({
      status: 400,
      details: 'steps/0/webhook/url: its webhook is off; switch it on first',
    });
  });

  it('keeps its webhook from being deleted while it is active, by id or by url; not when it is paused', async () => {
    const { client } = env.own;
    const own = await created(client, '/webhooks', { url: `${ADDRESS}/kept`, events: ['email.sent'] });
    const url = `${ADDRESS}/of-a-step`;
    const hooks = async () => (await client.get('/webhooks?limit=100')).body.data.webhooks;
    const both: Array<{ webhookId?: string; url?: string }> = [{ webhookId: own.id }, { url }];
    for (const named of both) {
      const name = `Posts ${Object.keys(named)}`;
      const automation = await created(client, '/automations', { ...body(named), name, active: true });
      const { id } = (await hooks()).find((one: { url: string }) => one.url === (named.url ?? own.url));
      const refused = await client.delete(`/webhooks/${id}`);
      expect(refusal(refused)).to.include({ status: 409, code: 'INVALID_STATE' });
      expect(refused.body.error.message).to.include(`the active automation "${name}"`);
      expect((await hooks()).map((one: { id: string }) => one.id)).to.include(id);
      expect((await client.post(`/automations/${automation.id}/pause`)).status).to.equal(200);
      expect((await client.delete(`/webhooks/${id}`)).status).to.equal(200);
    }
  });

  it('is refused with the place: private addresses, no address or two, headers that are ours or twice or no headers', async () => {
    const place = 'steps/0/webhook';
    const other = await created(env.other.client, '/webhooks', { url: ADDRESS, events: ['email.sent'] });
    for (const url of ['http://example.com/', 'https://localhost/', 'https://10.0.0.1/', 'ftp://a.b', 'https://[::1]/'])
      expect(await refused({ url })).to.include({ status: 400, details: `${place}/url: must be a public https URL` });
    for (const [webhook, details] of [
      [undefined, `${place}: must have either url or webhookId`],
      [{}, `${place}: must have either url or webhookId`],
      [{ url: ADDRESS, webhookId }, `${place}: must have either url or webhookId`],
      [{ url: 'https://10.0.0.1/', headers: [key('a'), key('b')] }, 'headers/0/name: is given twice'],
      [{ url: ADDRESS, headers: [key('a'), { name: 'x-key', value: 'b' }] }, 'headers/1/name: is given twice'],
      [{ url: ADDRESS, headers: [{ name: 'Host', value: 'b' }] }, 'headers/0/name: belongs to every webhook'],
      [{ url: ADDRESS, headers: [{ name: 'Webhook-Id', value: 'b' }] }, 'headers/0/name: belongs to every webhook'],
      [
        { url: ADDRESS, headers: [{ name: 'a b', value: 'b' }] },
        `${place}/headers/0/name: must be the name of a header`,
      ],
      [{ url: ADDRESS, headers: [key('a\r\nb')] }, `${place}/headers/0/value: must be one line of ASCII`],
      [{ url: ADDRESS, headers: [key('é')] }, `${place}/headers/0/value: must be one line of ASCII`],
      [{ url: ADDRESS, headers: [key()] }, `${place}/headers/0/value: is required`],
      [{ url: ADDRESS, wait: 'yes' }, `${place}/wait`],
      [{ url: ADDRESS, timeout: { value: 1, unit: 'hours' } }, `${place}/timeout: belongs to wait: true`],
      [
        { url: ADDRESS, wait: true, timeout: { value: 25, unit: 'hours' } },
        `${place}/timeout: must be 24 hours at most`,
      ],
      [{ url: ADDRESS, wait: true, timeout: { value: 1_441, unit: 'minutes' } }, `${place}/timeout/value`],
      [{ url: ADDRESS, wait: true, timeout: { value: 0, unit: 'minutes' } }, `${place}/timeout/value`],
      [{ url: ADDRESS, wait: true, timeout: { value: 1, unit: 'days' } }, `${place}/timeout/unit`],
    ] as const) {
      const { status, details: said } = await refused(webhook);
      expect(status).to.equal(400);
      if (!('headers' in (webhook ?? {})) || !String(details).startsWith('headers/0/name: is given'))
        expect(said, JSON.stringify(webhook)).to.contain(details);
    }
    const random = await refused({ webhookId: new ObjectId().toHexString() });
    expect(random).to.deep.include({ status: 404, code: 'WEBHOOK_NOT_FOUND' });
    expect(await refused({ webhookId: other.id })).to.deep.equal(random);
  });

  it('with a wait has a second way out, which must lead to a step that is there, without a circle', async () => {
    const webhook = { url: ADDRESS, wait: true, timeout: { value: 5, unit: 'minutes' } };
    const steps = [
      hook(webhook, { failureStepId: 'later' }),
      { type: 'exit', stepId: 'out' },
      wait(1, 'days', { stepId: 'later' }),
      email('late'),
    ];
    const one = await created(env.own.client, '/automations', { ...simple, steps, active: true });
    expect(one.steps[0]).to.deep.include({ webhook, failureStepId: 'later' });
    const details = async (changed: object[]) =>
      refusal(await env.own.client.post('/automations', { ...simple, steps: changed })).details;
    const [, ...others] = steps;
    expect(await details([hook(webhook, { failureStepId: 'none' }), ...others])).to.equal(
      'steps/0/failureStepId: names no step',
    );
    expect(await details([hook({ url: ADDRESS }, { failureStepId: 'later' }), ...others])).to.equal(
      'steps/0/failureStepId: belongs to wait: true, so leave it out',
    );
    expect(await details([hook(webhook, { failureStepId: 'post' }), ...others])).to.contain('turn in a circle');
    // Waiting for an answer is no wait between two mails.
    const unpaused = [wait(1), email('a'), hook(webhook), email('b')];
    expect(await details(unpaused)).to.contain('steps/3: needs a wait step before it');
  });

  it('says at activation everything at once that is wrong', async () => {
    const draft = await created(env.own.client, '/automations', {
      ...simple,
      steps: [hook({ webhookId }), hook({ url: ADDRESS }, { stepId: 'other' })],
    });
    const _id = new ObjectId(String(draft.id));
    const gone = {
      'steps.0.webhook.webhookId': new ObjectId().toHexString(),
      'steps.1.webhook.url': 'https://127.0.0.1/',
    };
    await env.deps.db.automations.updateOne({ _id }, { $set: gone });
    const reply = refusal(await env.own.client.post(`/automations/${draft.id}/activate`));
    expect(reply).to.deep.equal({
      status: 400,
      code: 'CANNOT_ACTIVATE_AUTOMATION',
      details:
        'steps/1/webhook/url: must be a public https URL; steps/0/webhook/webhookId: names no webhook of this project',
    });
  });

  describe('with headers', () => {
    const secret = 'Bearer 5f-not-to-be-seen';
    const two = [key(secret), { name: 'X-Team', value: 'news' }];
    const names = two.map(({ name }) => ({ name }));

    it('stores their values sealed, and answers their names alone', async () => {
      const reply = await env.own.client.post('/automations', {
        ...body({ url: ADDRESS, headers: two }),
        active: true,
      });
      const { id, steps } = reply.body.data;
      expect(steps[0].webhook).to.deep.equal({ url: ADDRESS, headers: names, wait: false });
      const list = await env.own.client.get('/automations?limit=100');
      const draft = await env.own.client.patch(`/automations/${id}`, { draft: true, name: 'Next' });
      for (const { text } of [reply, list, draft]) expect(text).to.not.contain('not-to-be-seen');
      const documents = await Promise.all(
        [env.deps.db.automations, env.deps.db.automationDefinitions, env.deps.db.webhookHeaders].map((collection) =>
          collection.find({}).toArray(),
        ),
      );
      expect(JSON.stringify(documents)).to.not.contain('not-to-be-seen');
      expect(await valuesOf(id)).to.deep.equal(two);
    });

    it('keeps those that a PATCH names alone, changes one, and asks for those that the step has not', async () => {
      const { id } = await created(env.own.client, '/automations', body({ url: ADDRESS, headers: two }));
      const path = `/automations/${id}`;
      const sealed = await stored(id);
      const patch = (headers: object[], url = ADDRESS) =>
        env.own.client.patch(path, { steps: [hook({ url, headers })] });
      expect((await patch(names)).status).to.equal(200);
      expect(await stored(id)).to.deep.equal(sealed);
      expect((await patch([key(), { name: 'x-team', value: 'crm' }])).status).to.equal(200);
      expect(await valuesOf(id)).to.deep.equal([key(secret), { name: 'x-team', value: 'crm' }]);
      expect((await patch([key()])).status).to.equal(200);
      expect(await valuesOf(id)).to.deep.equal([key(secret)]);
      const unknown = refusal(await patch([key(), { name: 'X-Other' }]));
      expect(unknown).to.include({ status: 400 });
      expect(unknown.details).to.contain('steps/0/webhook/headers/1/value: is required');
    });

    it('are not sent to another address by a caller who does not know them', async () => {
      const { id } = await created(env.own.client, '/automations', body({ url: ADDRESS, headers: two }));
      const elsewhere = { url: 'https://elsewhere.example.com/', headers: names };
      for (const more of [{}, { draft: true }]) {
        const reply = await env.own.client.patch(`/automations/${id}`, { steps: [hook(elsewhere)], ...more });
        expect(refusal(reply).details).to.contain('steps/0/webhook/headers/0/value: is required');
      }
      expect(await valuesOf(id)).to.deep.equal(two);
    });

    it('go with the automation, when deliveries that are under way are over; those of others stay', async () => {
      const { db, clock } = env.deps;
      const steps = () => body({ url: ADDRESS, headers: two });
      const [{ id }, other] = [
        await created(env.own.client, '/automations', steps()),
        await created(env.own.client, '/automations', steps()),
      ];
      const path = `/automations/${id}`;
      const changed = { steps: [hook({ url: ADDRESS, headers: [key('another')] })] };
      expect((await env.own.client.patch(path, changed)).status).to.equal(200);
      const headersOf = (ownerId: string) => db.webhookHeaders.find({ ownerId: new ObjectId(ownerId) }).toArray();
      expect((await headersOf(id)).map(({ removeAt }) => removeAt)).to.deep.equal([undefined, undefined]);
      expect((await env.own.client.delete(path)).status).to.equal(200);
      const before = clock.now().getTime();
      for (const run of (await automationChangeQueue(env.deps).take(env.own.project._id, 4)).runs) await run();
      const kept = (await headersOf(id)).map(({ removeAt }) => Number(removeAt) - before > DAY_MS);
      expect(kept).to.deep.equal([true, true]);
      expect((await headersOf(other.id)).map(({ removeAt }) => removeAt)).to.deep.equal([undefined]);
    });
  });
});
