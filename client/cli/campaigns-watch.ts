import type { CampaignProgress } from '../index.ts';
import { type Command, onlyPositional } from './command.ts';
import { countsLine, number } from './print.ts';
import { type Progress, watchProgress } from './progress.ts';

export const campaignsWatch: Command = {
  words: ['campaigns', 'watch'],
  usage: 'ID',
  about: 'Show how far a campaign is, until it is over',
  flags: [],
  async run(context, given) {
    const id = onlyPositional(given, 'the id of the campaign');
    const states = context.everpost().campaigns.watch(id, { signal: context.signal });
    const last = await watchProgress(context, states, progressOf);
    if (last && !context.isJson) context.print(summaryOf(last));
    return last?.status === 'sent' ? 0 : 1;
  },
};

function progressOf(progress: CampaignProgress): Progress {
  const { status, percent, total, pending, ratePerSecond, etaSeconds, relayNotAnsweringSince, waitingFor } = progress;
  const done = `${number(total - pending)} of ${number(total)}`;
  const notes = [
    ratePerSecond > 0 ? `${number(Math.round(ratePerSecond))}/s` : '',
    etaSeconds === null ? '' : `${duration(etaSeconds)} left`,
    relayNotAnsweringSince ? 'the relay does not answer' : '',
    waitingFor.length > 0 ? `waits for ${waitingFor.map(({ name }) => name).join(', ')}` : '',
  ];
  return { label: status, percent, text: [done, ...notes].filter(Boolean).join('  ') };
}

function summaryOf({ status, sent, suppressed, failed, unknown, pending }: CampaignProgress): string {
  return countsLine(status, { sent, suppressed, failed, unknown, pending });
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
