import { ObjectId } from 'mongodb';
import { SENDER } from '../../rig/context.ts';
import { pause } from '../../rig/waiting.ts';
import { call, type Installation } from './installation.ts';

const EVERY_MS = 20;

/** Single mails, fifty a second, one after the other in time whatever the ones before do. Answers the times from the 2xx to the relay's 250. */
export function sendMails({ drill, url }: Installation): { stop(): Promise<number[]> } {
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
export async function pauseInTheMiddle(
  { drill, relay, url }: Installation,
  id: string,
  recipients: number,
): Promise<Paused> {
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
