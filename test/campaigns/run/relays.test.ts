import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Sink, startSink } from '../../support/mail/smtp-sink.ts';
import { until } from '../../support/wait.ts';
import { openHands, useHands } from '../support.ts';

const PEOPLE = 1_000;
const ACK_MS = 30;

describe('A campaign over several relays', function () {
  this.timeout(240_000);
  const { stage } = useHands({ sinkOptions: { ackDelayMs: ACK_MS } });
  let other: Sink;
  before(async () => {
    other = await startSink({ ackDelayMs: ACK_MS });
  });
  after(() => other.close());

  /** Also through the pauses of mail that was put off. */
  async function driveToEnd(hands: ReturnType<typeof openHands>, campaignId: string): Promise<void> {
    while ((await stage.get(campaignId)).status !== 'sent') {
      await hands.drive(campaignId);
      await sleep(100);
    }
  }

  for (const [how, [one, two]] of [
    ['have priorities', ['priority=0', 'priority=1']],
    ['share the mail', ['weight=1', 'weight=1']],
  ] as const)
    it(`that ${how}: each goes down in the middle and returns; every recipient gets the mail, and none gets it twice`, async () => {
      const relays = [stage.sink, other] as const;
      for (const { ledger } of relays) ledger.reset();
      const smtpUrl = `${stage.sink.url}?${one},${other.url}?${two}`;
      const hands = openHands(stage, { smtpUrl });
      const total = () => relays.reduce((sum, { ledger }) => sum + ledger.total, 0);
      const disturb = async () => {
        for (const [index, relay] of relays.entries()) {
          await until(
            async () => total(),
            (count) => count > 150 + 400 * index,
            { everyMs: 5 },
          );
          const { ledger: others } = relays[1 - index]!;
          const before = others.total;
          await relay.refuse();
          await sleep(200);
          await until(
            async () => others.total - before,
            (count) => count > 40,
            { everyMs: 5 },
          );
          await relay.listen();
        }
      };
      try {
        const list = await stage.list(PEOPLE, (index) => `${one.replace('=', '')}${index}@example.org`);
        const campaignId = await stage.launch({ toLists: [list] });
        await Promise.all([driveToEnd(hands, campaignId), disturb()]);
        const rows = await stage.messages(campaignId);
        expect(rows.length).to.equal(PEOPLE);
        const times = ({ _id }: (typeof rows)[number]) =>
          relays.reduce((sum, { ledger }) => sum + (ledger.counts.get(`<${_id}@mail.example.com>`) ?? 0), 0);
        const inState = (state: string) => rows.filter((row) => row.state === state);
        expect(inState('sent').filter((row) => times(row) !== 1)).to.deep.equal([]);
        expect(inState('unknown').filter((row) => times(row) > 1)).to.deep.equal([]);
        expect(inState('sent').length + inState('unknown').length).to.equal(PEOPLE);
        expect(inState('unknown').length, 'one for each connection that was cut').to.be.at.most(28);
        const took = relays.map(({ port }) =>
          inState('sent').filter((row) => row.reply?.relay === `127.0.0.1:${port}`),
        );
        expect(took.flat().length).to.equal(inState('sent').length);
        expect(Math.min(...took.map(({ length }) => length))).to.be.above(20);
        const { relayNotAnsweringSince } = await stage.progress(campaignId);
        expect(relayNotAnsweringSince).to.equal(null);
      } finally {
        await hands.stop();
      }
    });

  it('is sent by the second relay while the first is down, and returns to the first before the end', async () => {
    for (const { ledger } of [stage.sink, other]) ledger.reset();
    const hands = openHands(stage, { smtpUrl: `${stage.sink.url}?priority=0,${other.url}?priority=1` });
    await stage.sink.refuse();
    try {
      const list = await stage.list(PEOPLE, (index) => `back${index}@example.org`);
      const campaignId = await stage.launch({ toLists: [list] });
      const driving = driveToEnd(hands, campaignId);
      await until(
        async () => other.ledger.total,
        (count) => count > 150,
        { everyMs: 5 },
      );
      await stage.sink.listen();
      await driving;
      expect(stage.sink.ledger.total + other.ledger.total).to.equal(PEOPLE);
      expect(stage.sink.ledger.total, 'the campaign holds its connections').to.be.above(100);
    } finally {
      await hands.stop();
    }
  });
});
