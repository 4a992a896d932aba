import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { listen } from '../../core/events/listeners.ts';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { BROWSER, bareCampaign, engagementOf, refOf, sentMessage } from '../feedback/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const SHOP = 'https://shop.example.com/';

describe('Clicks and opens of a contact that is deleted', function () {
  this.timeout(120_000);
  const environment = useEnvironment({ AUTOMATED_OPEN_SECONDS: '0' });
  const person = async (email: string) =>
    new ObjectId((await environment.own.client.post('/contacts', { email })).body.data.id as string);
  const clicks = (message: Message, ...signals: Array<{ url: string; link?: number; agent?: string }>) =>
    writeSignals(
      environment.deps,
      signals.map((signal, index) => ({
        ...{ kind: 'click' as const, projectId: message.projectId, messageId: message._id },
        // Not all at once, as a machine would.
        ...{ at: new Date(Date.now() + index * 5_000), agent: BROWSER, ...signal },
      })),
    );

  async function erase(): Promise<void> {
    const { deps, own } = environment;
    const projectId = own.project._id;
    await deps.db.contactErasures.updateMany({ projectId }, [{ $set: { dueAt: '$$NOW' } }]);
    const loop = startQueues(deps, [messageErasures(deps)]);
    await until(
      () => deps.db.contactErasures.countDocuments({ projectId }),
      (left) => left === 0,
    );
    await loop.stop();
  }

  it('count as before, and leave neither address nor id in the rows by URL and in what is kept of the clicks', async () => {
    const { deps, own } = environment;
    const projectId = own.project._id;
    const [ada, bob] = [await person('ada@example.org'), await person('bob@example.org')];
    const { _id: campaignId } = await bareCampaign(environment, own);
    const mailTo = (contactId: ObjectId, email: string) =>
      sentMessage(environment, own, { campaignId, contactId, email });
    const adas = [await mailTo(ada, 'ada@example.org'), await mailTo(ada, 'ada@example.org')];
    const personal = [`${SHOP}?for=ada%40example.org`, `${SHOP}u/${ada}`];
    for (const message of adas) await clicks(message, ...personal.map((url) => ({ url })), { url: SHOP });
    await clicks(adas[0]!, { url: SHOP, agent: 'Barracuda Sentinel (EE)' });
    await clicks(adas[0]!, { url: `${SHOP}?me=ada%40example.org`, link: 1 });
    await clicks(await mailTo(bob, 'bob@example.org'), { url: SHOP }, { url: `${SHOP}?me=bob`, link: 1 });
    const links = async () => (await own.client.get(`/campaigns/${campaignId}/links`)).body.data;
    const sums = async () => {
      const { links: rows, other } = await links();
      const all = [...rows, other];
      return all.reduce((sum: number, { clicks: one }: { clicks: number }) => sum + one, 0);
    };
    await countProject(deps, projectId);
    const before = await links();
    expect(before.links.map(({ url }: { url: string }) => url)).to.have.members([SHOP, ...personal]);
    const clicked = await sums();
    expect(clicked).to.equal(10);
    const machines = before.links.find(({ url }: { url: string }) => url === SHOP);
    expect([machines.people, machines.humanPeople]).to.deep.equal([3, 3]);

    expect((await own.client.delete(`/contacts/${ada}`)).status).to.equal(200);
    await erase();
    await countProject(deps, projectId);
    const after = await links();
    expect(after.links).to.deep.equal([{ position: null, url: SHOP, clicks: 1, people: 1, humanPeople: 1 }]);
    // The three links without a number of each mail, and those with one, whose place in the content is not known here.
    expect(after.other).to.deep.equal({ clicks: 9, people: 3, humanPeople: 3 });
    const stored = JSON.stringify([
      await deps.db.linkCounts.find({ projectId }).toArray(),
      await deps.db.engagements.find({ projectId }).toArray(),
    ]);
    expect(stored).to.not.match(new RegExp(`ada(?:@|%40)|${ada}|Macintosh.*erased`));

    // A later click on mail that is erased counts, and its address is not kept either.
    await clicks(adas[1]!, { url: personal[0]! });
    await countProject(deps, projectId);
    expect(await sums()).to.equal(clicked + 1);
    const late = await deps.db.engagements.findOne({ _id: adas[1]!._id, projectId });
    expect(JSON.stringify(late)).to.not.match(/ada(@|%40)/);
    expect(late?.clicks).to.have.length(3);
    const row = await deps.db.messages.findOne({ _id: adas[1]!._id, projectId });
    expect(JSON.stringify(row)).to.not.match(/ada(@|%40)/);

    const counted = await links();
    expect((await recountProject(deps, own.project)).kind).to.equal('recounted');
    expect(await links()).to.deep.equal({ ...counted, since: (await links()).since });
  });

  it('leave no name of a browser with an open that comes later, which counts', async () => {
    const { deps, own } = environment;
    const contactId = await person('eve@example.org');
    const message = await sentMessage(environment, own, { contactId, email: 'eve@example.org' });
    expect((await own.client.delete(`/contacts/${contactId}`)).status).to.equal(200);
    await erase();
    await listen(deps, own.project._id);
    const open = { kind: 'open', at: new Date(), agent: BROWSER, purpose: '', method: 'GET' } as const;
    await writeSignals(deps, [{ ...refOf(message), ...open }]);
    const found = await engagementOf(environment, message);
    expect([found?.openCount, found?.humanOpenedAt, found?.opens]).to.deep.equal([1, open.at, undefined]);
    const ofMail = { projectId: own.project._id, type: 'email.opened', 'data.emailId': message._id.toHexString() };
    const events = await deps.db.projectEvents.find(ofMail as object).toArray();
    expect(events.map(({ data }) => data.userAgent)).to.deep.equal(['']);
  });
});
