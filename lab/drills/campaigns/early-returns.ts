import { ObjectId } from 'mongodb';
import { resumeCampaign } from '../../../core/campaigns/control.ts';
import type { Campaign } from '../../../core/campaigns/model.ts';
import { clickToken, mailLocalPart, openToken, unsubscribeToken } from '../../../core/mail/compose/tokens.ts';
import { recipientId } from '../../../core/mail/ledger/blocks/recipient-id.ts';
import type { Child } from '../../../stack/processes/child.ts';
import { returnedMails } from '../../../test/fixtures/inbound/mails.ts';
import type { Environment } from '../../../test/support/environment.ts';
import { type Door, openDoor } from '../../../test/support/mail/inbound-door.ts';
import type { DrillContext } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { atOnce, pause, until } from '../../rig/waiting.ts';
import { signalVictim, startVictim, untilAtPoint } from '../kills/fault-points.ts';
import { judgeCampaign } from './campaign-verdicts.ts';
import {
  type CampaignDrill,
  type CampaignTally,
  type CampaignUnderFire,
  campaignUnderFire,
  readCampaign,
} from './campaigns.ts';

interface EarlyDrill extends CampaignDrill {
  /** SIGCONT: the process wakes up and writes its rows. SIGKILL: others settle its claims. */
  signal: 'SIGCONT' | 'SIGKILL';
  senders: number;
}

interface EarlyTally extends CampaignTally {
  /** Mails that the relay had, and that had no row. */
  early: number;
  /** Answers other than 451, 200 and 302 before there was a row. */
  wronglyAnswered: number;
  /** Of what came back, without an effect in the end. */
  lostReturns: number;
}

const HOST = 'mail.example.com';
const TOO_EARLY = /^(451|200|302)/;
const ROWLESS_FOR_MS = 1_000;
const ROWS_WITHIN_MS = 120_000;
const SENT_WITHIN_MS = 300_000;
const kinds = ['bounce', 'complaint', 'unsubscribe mail', 'open and click', 'One-Click'] as const;

interface Early {
  kind: (typeof kinds)[number];
  messageId: ObjectId;
  email: string;
}

/** A sender is stopped when the relay has its first mails and no row of them is written. Now everything comes back. */
async function earlyReturns(env: NodeJS.ProcessEnv, drill: EarlyDrill): Promise<EarlyTally> {
  const facts = { early: 0, wronglyAnswered: 0, lostReturns: 0 };
  const tally = await campaignUnderFire(env, drill, async (fire) => {
    const { context, campaign } = fire;
    const processes = { WORKER_PROCESSES: String(drill.senders + 1) };
    const fault = { at: 'dot and row', signal: 'SIGSTOP', after: 1 } as const;
    const victim = await startVictim(fire, 'campaign', { ...fault, env: processes });
    const others: Child[] = [];
    const api = await context.startApi({ MAIL_HOST: HOST });
    const door = await openDoor(context as unknown as Environment, { mailHost: HOST });
    try {
      const steady = await fire.startWorker('workflows,background', processes);
      await untilAtPoint(victim);
      await fire.noteFault();
      const early = await mailsWithoutRow(context, campaign);
      facts.early = early.length;
      const bring = bringer(context, { door, url: api.url.replace(/\/v1$/, '') });
      for (const one of early)
        if (!(await bring(one)).every((answer) => TOO_EARLY.test(answer))) facts.wronglyAnswered += 1;
      // They begin late, so that the one that is to be stopped gets work.
      others.push(steady, ...(await atOnce(drill.senders, () => fire.startWorker('campaign', processes))));
      signalVictim(victim, drill.signal);
      await untilRows(context, early);
      for (const one of early) if (isMail(one)) await bring(one);
      facts.lostReturns = await lostOf(context, early);
      await untilSent(fire);
    } finally {
      await door.server.close();
    }
    await Promise.all([...others, await victim.started].map((child) => child?.stop(15_000)));
  });
  return { ...tally, ...facts };
}

/** So many bounces and complaints among the first mails pause a campaign: a person would resume it. */
async function untilSent({ context, campaign: { _id } }: CampaignUnderFire): Promise<void> {
  const isSent = async () => {
    const { status } = await readCampaign(context, _id);
    if (status === 'paused') await resumeCampaign(context.deps, context.project, _id.toHexString());
    return status === 'sent';
  };
  await until('the campaign is sent', isSent, SENT_WITHIN_MS, 500);
}

/** Mails that the relay took some time ago: rows of the senders that run are written within that time. */
async function mailsWithoutRow(context: DrillContext, campaign: Campaign): Promise<Early[]> {
  const { deps, project, sink } = context;
  const [projectId, campaignId] = [project._id, campaign._id];
  const taken = [...(await sink.ids()).keys()].map((id) => new ObjectId(id.slice(1, 25)));
  await pause(ROWLESS_FOR_MS);
  const rows = await deps.db.messages.find({ projectId, campaignId }, { projection: { _id: 1 } }).toArray();
  const known = new Set(rows.map(({ _id }) => _id.toHexString()));
  const { freeze } = await readCampaign(context, campaignId);
  const blocks = await deps.db.campaignBlocks.find({ projectId, campaignId }).toArray();
  const emails = new Map(
    blocks
      .flatMap(({ recipients }) => recipients)
      .map(({ contactId, email }) => [recipientId(freeze!.at, campaignId, contactId).toHexString(), email]),
  );
  return taken
    .filter((id) => !known.has(id.toHexString()))
    .map((messageId, index) => ({
      kind: kinds[index % kinds.length]!,
      messageId,
      email: emails.get(messageId.toHexString()) ?? '',
    }));
}

function isMail({ kind }: Early): boolean {
  return kind === 'bounce' || kind === 'complaint' || kind === 'unsubscribe mail';
}

/** Brings back what its kind says, and answers the replies: of SMTP to the mail, or of HTTP. */
function bringer({ deps, project }: DrillContext, { door, url }: { door: Door; url: string }) {
  const { config } = deps;
  const fixture = (name: string) => returnedMails.find((mail) => mail.name === name)!.raw;
  return async ({ kind, messageId, email }: Early): Promise<string[]> => {
    const ref = { projectId: project._id, messageId };
    const link = `/u/${unsubscribeToken(config, { ...ref, groupId: null, email })}`;
    const localPart =
      kind === 'unsubscribe mail'
        ? mailLocalPart(config, 'u', { ...ref, groupId: null })
        : mailLocalPart(config, 'b', ref);
    const to = `${localPart}@${HOST}`;
    const mail = async (raw: string) => [(await door.send({ to, from: '', raw })).data ?? 'refused'];
    const ask = async (path: string, init: RequestInit = {}) =>
      String((await fetch(url + path, { redirect: 'manual', ...init })).status);
    switch (kind) {
      case 'bounce':
        return mail(fixture('Postfix, no such user'));
      case 'complaint':
        return mail(fixture('a complaint, abuse'));
      case 'unsubscribe mail':
        return mail(`From: ${email}\nTo: ${to}\nSubject: unsubscribe\n\n`);
      case 'open and click':
        return [
          await ask(`/t/o/${openToken(config, ref)}.gif`),
          await ask(`/t/c/${clickToken(config, ref, 'https://shop.example.com/')}`),
        ];
      case 'One-Click': {
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        return [await ask(link, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' })];
      }
    }
  };
}

async function untilRows({ deps, project }: DrillContext, early: Early[]): Promise<void> {
  const _id = { $in: early.map(({ messageId }) => messageId) };
  const count = () => deps.db.messages.countDocuments({ _id, projectId: project._id });
  await until('every mail has a row', async () => (await count()) === early.length, ROWS_WITHIN_MS);
}

/** Signals are written by the buffer of the API a moment later. */
async function lostOf(context: DrillContext, early: Early[]): Promise<number> {
  let lost = early.length;
  const look = async () => {
    const effects = await Promise.all(early.map((one) => hasEffect(context, one)));
    lost = effects.filter((has) => !has).length;
    return lost === 0;
  };
  await until('everything that came back has its effect', look, 20_000, 500).catch(() => undefined);
  return lost;
}

async function hasEffect({ deps, project }: DrillContext, { kind, messageId, email }: Early): Promise<boolean> {
  const of = { _id: messageId, projectId: project._id };
  const [row, engagement, stopped] = await Promise.all([
    deps.db.messages.findOne(of),
    deps.db.engagements.findOne(of),
    deps.db.suppressions.findOne({ projectId: project._id, email }),
  ]);
  switch (kind) {
    case 'bounce':
      return row?.state === 'bounced' && stopped?.reason === 'BOUNCE';
    case 'complaint':
      return engagement?.complainedAt !== undefined && stopped?.reason === 'COMPLAINT';
    case 'unsubscribe mail':
    case 'One-Click':
      return engagement?.unsubscribedAt !== undefined && stopped?.reason === 'UNSUBSCRIBE';
    case 'open and click':
      return engagement?.openCount === 1 && engagement.clickCount === 1;
  }
}

export async function* earlyReturnsDrill(env: NodeJS.ProcessEnv): AsyncGenerator<Verdict> {
  for (const senders of [2, 8])
    for (const signal of ['SIGCONT', 'SIGKILL'] as const) {
      const drill = { recipients: senders * 1_500, connections: 20, ackMs: 20, evidence: false, signal, senders };
      yield judgeEarly(drill, await earlyReturns(env, drill));
    }
}

/** Mail that bounced was with the relay, which the checker does not expect of it. */
export function judgeEarly(drill: EarlyDrill, tally: EarlyTally): Verdict {
  const { early, wronglyAnswered, lostReturns } = tally;
  const bounced = Math.ceil(early / kinds.length);
  const strangers = Math.max(0, tally.strangers - bounced);
  const verdict = judgeCampaign(
    `then ${drill.signal}, ${drill.senders} senders`,
    drill,
    { ...tally, strangers },
    drill.connections,
  );
  return {
    kept: verdict.kept && early > 0 && wronglyAnswered + lostReturns === 0,
    says: `${verdict.says}; ${early} mails came back before their rows, ${wronglyAnswered} answered otherwise than 451, ${lostReturns} without effect`,
  };
}
