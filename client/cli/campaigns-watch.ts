import type { CampaignProgress } from '../index.ts';
import { type Command, onlyPositional } from './command.ts';
import { printAnswer } from './print.ts';
import { type Progress, progressLine } from './progress.ts';

export const campaignsWatch: Command = {
  words: ['campaigns', 'watch'],
  usage: 'ID',
  about: 'Show how far a campaign is, until it is over',
  flags: [],
  async run(context, given) {
    const id = onlyPositional(given, 'the id of the campaign');
    const line = progressLine(context);
    let last: CampaignProgress | undefined;
    try {
      for await (const progress of context.everpost().campaigns.watch(id, { signal: context.signal })) {
        last = progress;
        if (context.isJson) printAnswer(context, progress);
        else line.show(progressOf(progress));
      }
    } finally {
      line.end();
    }
    if (last && !context.isJson) context.print(summaryOf(last));
    return last?.status === 'sent' ? 0 : 1;
  },
};

export function progressOf(progress: CampaignProgress): Progress {
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
  const counts = Object.entries({ sent, suppressed, failed, unknown, pending });
  return `${status}: ${counts.map(([name, count]) => `${name} ${number(count)}`).join(', ')}`;
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
