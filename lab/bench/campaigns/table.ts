import type { Line } from '../../rig/results/report.ts';
import { BARE_LEDGER, SENDER_MEMORY } from './figures.ts';
import { KINDS } from './measure.ts';

const OWN_SIGNATURES = 'we sign with RSA-2048 and Ed25519';

/** The mails of the table, with what their figures say after the number of recipients. */
export const MAILS = {
  small: { title: '2.6 kB', rate: 'from the POST to the last 250, freeze included; the relay signs', cpu: '' },
  large: { title: '8.9 kB', rate: 'from the POST to the last 250, freeze included; the relay signs', cpu: '' },
  own: { title: '8.9 kB', rate: `from the POST to the last 250; ${OWN_SIGNATURES}`, cpu: `; ${OWN_SIGNATURES}` },
} as const;

export type Mail = keyof typeof MAILS;
type Kind = (typeof KINDS)[number];

export function rateName(mail: Mail): string {
  return `recipients of ${MAILS[mail].title} ${MAILS[mail].rate}`;
}

export function cpuName(kind: Kind, mail: Mail): string {
  return `CPU of ${kind} for each recipient of ${MAILS[mail].title}, freeze included${MAILS[mail].cpu}`;
}

/** A column for each mail, medians of the rounds; "-" where a figure was not measured. */
export function speedTable(figures: readonly Line[]): string {
  const mails = Object.keys(MAILS) as Mail[];
  const rates = mails.map((mail) => figures.find(({ name }) => name.endsWith(rateName(mail))));
  const named = (name: string) => figures.find((figure) => figure.name === name)?.median;
  const bare = rates.map((rate) => (rate?.ceiling?.name === BARE_LEDGER ? rate : undefined));
  const rows: [string, ...Array<number | undefined>][] = [
    ['from the POST to the last 250, /s', ...rates.map((rate) => rate?.median)],
    ['the bare ledger in the same rounds, /s', ...bare.map((rate) => rate?.ceiling?.median)],
    ['ratio', ...bare.map((rate) => rate?.ratio?.median)],
    ...KINDS.map((kind): [string, ...Array<number | undefined>] => [
      `CPU of ${kind} a recipient, us`,
      ...mails.map((mail) => named(cpuName(kind, mail))),
    ]),
    ['highest memory of a sender, all mails, MB', named(SENDER_MEMORY)],
  ];
  const head = [
    '',
    ...mails.map((mail) => (mail === 'own' ? `${MAILS.own.title}, two signatures of ours` : MAILS[mail].title)),
  ];
  const cells = [
    head,
    head.map(() => '---'),
    ...rows.map((row) => head.map((_, column) => shown(row[column], column))),
  ];
  return `${cells.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}

function shown(cell: string | number | undefined, column: number): string {
  if (typeof cell === 'string' || column > 0) return cell === undefined ? '-' : cell.toLocaleString('en-US');
  return '';
}
