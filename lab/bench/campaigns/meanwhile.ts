import { ObjectId } from 'mongodb';
import { SENDER } from '../../rig/context.ts';
import { quantile } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { call } from '../../rig/traffic/calls.ts';
import { pause } from '../../rig/waiting.ts';
import { addPeople, type Installation, openInstallation } from './installation.ts';
import { measureCampaign } from './measure.ts';
import type { Size } from './size.ts';

const EVERY_MS = 20;
const PAUSED_MAX = 10_000;
const ACK_MS = 80;

/** Single mails and pauses while a campaign goes out; the relay takes its time for the pauses. */
export async function meanwhile({ recipients, rounds, shared }: Size): Promise<Figure[]> {
  const quick = await openInstallation({ ...shared, mail: true });
  const listId = await addPeople(quick.drill, recipients);
  const p99s: number[] = [];
  for (const _ of rounds) {
    const mails = sendMails(quick);
    await measureCampaign(quick, { listId, recipients });
    p99s.push(quantile(await mails.stop(), 0.99));
  }
  await quick.close();
  const slow = await openInstallation({ ...shared, mail: false, ackMs: ACK_MS });
  const pauses = await pausesOf(slow, rounds, Math.min(recipients, PAUSED_MAX));
  await slow.close();
  const many = recipients.toLocaleString('en-US');
  const settled = pauses.map(({ settledMs }) => settledMs);
  const late = pauses.map((one) => one.late + one.inFlight);
  return [
    figure(`Single mails while ${many} go out, p99 from the 2xx to the relay`, 'ms', p99s, {
      asked: { atMost: 300, aim: 100 },
    }),
    figure(`Answer to a pause in the middle, the relay answering after ${ACK_MS} ms`, 'ms', settled, {
      asked: { atMost: 1_000 },
    }),
    figure('Arrived after the answer to a pause, or in flight by its own word', '', late, { asked: { atMost: 0 } }),
  ];
}

async function pausesOf(installation: Installation, rounds: number[], recipients: number): Promise<Paused[]> {
  const listId = await addPeople(installation.drill, recipients);
  const pauses: Paused[] = [];
  for (const _ of rounds) {
    const pausing = Promise.withResolvers<Paused>();
    await measureCampaign(installation, { listId, recipients }, async (id) =>
      pausing.resolve(await pauseInTheMiddle(installation, id, recipients)),
    );
    pauses.push(await pausing.promise);
  }
  return pauses;
}

/** Single mails, fifty a second, one after the other in time whatever the ones before do. Answers the times from the 2xx to the relay's 250. */
function sendMails({ drill, url }: Installation): { stop(): Promise<number[]> } {
  const sent: Array<Promise<[ObjectId, number]>> = [];
  const timer = setInterval(() => {
    const mail = {
      to: { email: `single${sent.length}@in.test` },
      from: { email: SENDER },
      subject: 'Single',
      text: 'One.',
    };
    sent.push(
      call(drill, `${url}/mails/send`, mail).then(({ data }) => [new ObjectId(data.emailId as string), Date.now()]),
    );
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      const accepted = await Promise.all(sent);
      await pause(2_000);
      const ids = accepted.map(([_id]) => _id);
      const filter = { projectId: drill.project._id, _id: { $in: ids } };
      const found = await drill.deps.db.messages.find(filter, { projection: { sentAt: 1 } }).toArray();
      const sentAt = new Map(found.map((message) => [message._id.toHexString(), message.sentAt?.getTime()]));
      return accepted.map(([_id, at]) => Math.max(0, (sentAt.get(_id.toHexString()) ?? Number.POSITIVE_INFINITY) - at));
    },
  };
}

interface Paused {
  settledMs: number;
  inFlight: number;
  /** Arrived at the relay after the answer. */
  late: number;
}

/** In the middle of the campaign; and resumed after a second. */
async function pauseInTheMiddle({ drill, relay, url }: Installation, id: string, recipients: number): Promise<Paused> {
  await relay.wait(Math.floor(recipients / 2));
  const began = performance.now();
  const { data } = await call(drill, `${url}/campaigns/${id}/pause`, {});
  const settledMs = performance.now() - began;
  const before = (await relay.wait(0)).messages;
  await pause(1_000);
  const late = (await relay.wait(0)).messages - before;
  await call(drill, `${url}/campaigns/${id}/resume`, {});
  return { settledMs, inFlight: data.progress.inFlight as number, late };
}
