// Promise: nothing is lost.
import { expect } from 'chai';
import { type Deps, openCore } from '../../../core/base/deps.ts';
import { republicationQueue } from '../../../core/templates/parts/run.ts';
import { signIn } from '../../accounts/signed-in.ts';
import { type Client, done } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const TEMPLATES = 60;

describe('Templates that are published again', () => {
  const environment = useEnvironment();
  let key: Client;
  let layoutId: string;
  let templateIds: string[];
  let plain: string;
  before(async () => {
    key = environment.own.client;
    await done(key.post('/snippets', { name: 'footer', emailTemplate: '<p>1</p>' }));
    const layout = { name: 'News', emailTemplate: '{{{content}}}{{> footer}}' };
    layoutId = (await done(key.post('/layouts', layout))).id;
    templateIds = [];
    for (let index = 0; index < TEMPLATES; index += 1) templateIds.push(await create({ layoutId }));
    plain = await create({});
  });
  const create = async (fields: object): Promise<string> =>
    (await done(key.post('/templates', { templateName: 'T', subject: 'S', emailTemplate: '<b>Hi</b>', ...fields })))
      .templateId;
  const start = (body: object) => done(key.post('/templates/republish', body));
  const jobOf = (id: string) => done(key.get(`/templates/republications/${id}`));
  const versionOf = async (templateId: string) =>
    (await done(key.get(`/templates/${templateId}`))).publishedVersion as number;
  const versions = () => Promise.all(templateIds.map(versionOf));
  const stored = (templateId: string) =>
    environment.deps.db.templates.findOne({ projectId: environment.own.project._id, templateId });

  async function runs(deps: Deps) {
    return (await republicationQueue(deps).take(environment.own.project._id, 4)).runs;
  }
  async function work(deps = environment.deps): Promise<void> {
    for (let due = await runs(deps); due.length > 0; due = await runs(deps)) await Promise.all(due.map((run) => run()));
  }

  it('are those whose mail a draft would change', async () => {
    await done(key.patch('/snippets/footer', { emailTemplate: '<p>2</p>', draft: true }));
    const touched = await done(key.get('/snippets/footer/touched'));
    expect(touched.total).to.equal(TEMPLATES);
    expect(touched.templates.map((one: { templateId: string }) => one.templateId)).to.have.members(templateIds);
    expect((await done(key.get('/snippets/footer/touched?version=1'))).templates).to.deep.equal([]);
    expect(await done(key.get(`/layouts/${layoutId}/touched`))).to.deep.equal({ templates: [], total: TEMPLATES });
    await done(key.post('/snippets/footer/publish', { version: 2 }));
  });

  it('get one version each, all that have a snippet, and count', async () => {
    const job = await start({ snippet: 'footer' });
    expect(job).to.include({ status: 'queued', total: TEMPLATES, pending: TEMPLATES, published: 0 });
    await work();
    expect(await jobOf(job.id)).to.include({ status: 'completed', published: TEMPLATES, unchanged: 0, pending: 0 });
    expect(new Set(await versions())).to.deep.equal(new Set([2]));
    expect((await stored(templateIds[0]!))?.emailTemplate).to.equal('<b>Hi</b><p>2</p>');
    const again = await start({ layoutId });
    await work();
    expect(await jobOf(again.id)).to.include({ status: 'completed', published: 0, unchanged: TEMPLATES });
    expect(new Set(await versions())).to.deep.equal(new Set([2]));
  });

  it('hold up no other when they fail, and are named with the reason', async () => {
    const job = await start({
      templateIds: [plain, 'A-00000000000000000000', layoutId, templateIds[0], templateIds[0]],
    });
    expect(job.total).to.equal(4);
    await work();
    const { failures, ...counts } = await jobOf(job.id);
    expect(counts).to.include({ failed: 3, unchanged: 1, pending: 0 });
    expect(failures).to.have.length(3);
    expect(failures[0]).to.deep.equal({
      templateId: plain,
      message: 'It is no published template with a layout, a snippet or the brand.',
    });
  });

  it('are published once and counted once, though a process is killed and two work at the job', async () => {
    await done(key.patch('/snippets/footer', { emailTemplate: '<p>3</p>' }));
    const job = await start({ snippet: 'footer' });
    const [first] = await runs(killedAfter(environment.deps, 20));
    await first!();
    const midway = await jobOf(job.id);
    expect(midway).to.include({ status: 'running', published: 20, pending: TEMPLATES - 20 });
    const due = () =>
      environment.deps.db.republications.updateOne(
        { projectId: environment.own.project._id, completedAt: null },
        { $set: { dueAt: new Date(0) } },
      );
    await due();
    const [one] = await runs(environment.deps);
    await due();
    const [two] = await runs(environment.deps);
    await Promise.all([one!(), two!()]);
    await due();
    await work();
    expect(await jobOf(job.id)).to.include({ status: 'completed', published: TEMPLATES, unchanged: 0, failed: 0 });
    expect(new Set(await versions())).to.deep.equal(new Set([3]));
    const projectId = environment.own.project._id;
    expect(
      await environment.deps.db.templateVersions.countDocuments({
        projectId,
        templateId: { $in: templateIds },
        version: 3,
      }),
    ).to.equal(TEMPLATES);
  });

  it('are chosen in one way, by people who may publish', async () => {
    for (const body of [{}, { layoutId, brand: true }])
      expect((await key.post('/templates/republish', body)).status).to.equal(400);
    for (const body of [{ layoutId: 'L-00000000000000000000' }, { snippet: 'nothing' }])
      expect((await key.post('/templates/republish', body)).status).to.equal(404);
    const author = await signIn(environment, environment.own, 'author');
    expect((await author.client.post('/templates/republish', { layoutId })).status).to.equal(403);
    const editor = await signIn(environment, environment.own, 'editor');
    await done(editor.client.patch('/snippets/footer', { emailTemplate: '<p>4</p>' }));
    const job = await done(editor.client.post('/templates/republish', { templateIds: [templateIds[0]] }));
    await work();
    expect(await jobOf(job.id)).to.include({ published: 1 });
    expect((await stored(templateIds[0]!))?.publishedBy?.toHexString()).to.equal(editor.member._id.toHexString());
  });

  /** Dies in the transaction of the next template. */
  function killedAfter(deps: Deps, count: number): Deps {
    let left = count;
    const { republications } = deps.db;
    const dying = new Proxy(republications, {
      get(target, name) {
        if (name !== 'findOneAndUpdate') {
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return (...given: Parameters<typeof target.findOneAndUpdate>) => {
          if ('$inc' in given[1] && left-- === 0) throw new Error('killed');
          return target.findOneAndUpdate(...given);
        };
      },
    });
    const log = { ...deps.log, error() {} };
    return openCore({ ...deps, log, db: { ...deps.db, republications: dying } });
  }
});
