import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readPicture } from '../../../core/templates/media/pictures.ts';
import { drawn, drawnPicture } from '../../../core/templates/starters/pictures/pictures.ts';
import { startersIn } from '../../../core/templates/starters/starters.ts';
import { markOf } from '../../../core/templates/translated/compile.ts';
import { MEDIA_BYTES_MAX } from '../../../schemas/templates/media.ts';
import { made } from '../../support/client.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { smallMails } from './values.ts';

const folder = join(import.meta.dirname, '../../../core/templates/starters/pictures');
const BYTES_MAX = 30_000;

/** A later version may draw others under the same names. */
const A_DAY = 'public, max-age=86400';

describe('Pictures of mails to begin with', () => {
  const environment = useEnvironment();
  const here = () => environment.deps.config.publicUrl;
  const get = async (url: string) => {
    const answer = await fetch(url.replace(here(), environment.url));
    const { status, headers } = answer;
    const [type, cached] = [headers.get('content-type'), headers.get('cache-control')];
    return { status, type, cached, bytes: await bytesOf(answer) };
  };
  const begin = (tenant: Tenant, starter: string) =>
    made(tenant.client, '/templates', { templateName: 'Begun', starter, starterLanguages: ['en', 'de'] });
  const pictureIn = (html: string) => /src="([^"]+)"/.exec(html)![1]!;
  const rows = ({ project }: Tenant) => environment.deps.db.media.countDocuments({ projectId: project._id });

  it('are small, and shown by the mails that have them', async () => {
    const shown = startersIn('en', here()).flatMap(({ html }) => html.match(/src="[^"]+"/g) ?? []);
    expect(shown).to.have.members(drawn.map((name) => `src="${here()}/media/starter-${name}.png"`));
    for (const name of drawn) {
      const answer = await get(`${here()}/media/starter-${name}.png`);
      expect([answer.status, answer.type, answer.cached]).to.deep.equal([200, 'image/png', A_DAY]);
      expect(answer.bytes.equals(readFileSync(join(folder, `${name}.png`)))).to.equal(true);
      expect(answer.bytes.length, name).to.be.at.most(BYTES_MAX);
      expect(readPicture(answer.bytes)).to.include({ ending: 'png', width: 960, height: 400, isWhole: true });
    }
    for (const other of ['starter-letter.png', 'starter-sale.jpg', 'starter-..%2Fsale.png'])
      expect((await get(`${here()}/media/${other}`)).status, other).to.equal(404);
  });

  it('show each mail small, as it is now; npm run starter-pictures draws them again', async () => {
    const marks = JSON.parse(readFileSync(join(folder, 'mails/marks.json'), 'utf8'));
    expect(marks).to.deep.equal(Object.fromEntries(smallMails().map(({ id, html }) => [id, markOf(html)])));
    for (const { id } of smallMails()) {
      const answer = await get(`${here()}/media/starter-mail-${id}.jpg`);
      expect([answer.status, answer.type, answer.cached], id).to.deep.equal([200, 'image/jpeg', A_DAY]);
      expect(answer.bytes.length, id).to.be.at.most(BYTES_MAX);
      expect(readPicture(answer.bytes)).to.include({ ending: 'jpg', width: 360, height: 420, isWhole: true });
    }
    expect((await get(`${here()}/media/starter-mail-none.jpg`)).status).to.equal(404);
  });

  it('become pictures of the project once, of every other one too, by a starter and by its content', async () => {
    const { own, other } = environment;
    const first = await begin(own, 'sale');
    const url = pictureIn(first.emailTemplate);
    expect(url).to.match(/\/media\/[0-9a-f]{64}\.png$/);
    expect(JSON.stringify(first.editorJson)).to.contain(url).and.not.contain('starter-');
    const kept = await get(url);
    expect(kept.bytes.equals(drawnPicture('starter-sale.png')!)).to.equal(true);
    expect(kept.cached).to.equal('public, max-age=31536000, immutable');
    const stored = await environment.deps.db.templateLanguages.findOne({
      ...{ projectId: own.project._id, templateId: first.templateId, language: 'de' },
    });
    expect(pictureIn(stored!.html)).to.equal(url);
    expect(stored!.html).to.contain('alt="Zwei Einkaufstaschen und ein Preisschild"');

    const { content } = startersIn('en', here()).find(({ id }) => id === 'sale')!;
    const changed = await own.client.patch(`/templates/${(await begin(own, 'letter')).templateId}`, { content });
    expect(pictureIn(changed.body.data.emailTemplate)).to.equal(url);
    const campaign = await made(own.client, '/campaigns', { name: 'C', subject: 'S', content });
    const mail = await environment.deps.db.templates.findOne({
      ...{ projectId: own.project._id, templateId: campaign.templateId },
    });
    expect(pictureIn(mail!.emailTemplate)).to.equal(url);
    expect(await rows(own)).to.equal(1);
    expect(pictureIn((await begin(other, 'sale')).emailTemplate))
      .to.match(/\/[0-9a-f]{64}\.png$/)
      .and.not.equal(url);
  });

  it('stay where they are for a project without room, and come with no mail that is refused', async () => {
    const { own } = environment;
    const usage = { _id: own.project._id, projectId: own.project._id };
    const before = await rows(own);
    const refused = await own.client.post('/templates', { templateName: 'Begun', starter: 'event', content: {} });
    expect([refused.status, await rows(own)]).to.deep.equal([400, before]);
    await environment.deps.db.mediaUsage.updateOne(usage, { $inc: { bytes: MEDIA_BYTES_MAX } }, { upsert: true });
    const { emailTemplate } = await begin(own, 'event');
    expect(pictureIn(emailTemplate)).to.equal(`${here()}/media/starter-event.png`);
    await environment.deps.db.mediaUsage.updateOne(usage, { $inc: { bytes: -MEDIA_BYTES_MAX } });
    expect(await rows(own)).to.equal(before);
  });
});

async function bytesOf(answer: Response): Promise<Buffer> {
  return Buffer.from(await answer.arrayBuffer());
}
