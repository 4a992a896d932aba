import { type Figure, figure } from '../../rig/results/report.ts';
import { KINDS, type Measured } from './measure.ts';

export function ofBlast(found: Measured[]) {
  return { name: 'raw blast of the same bytes', values: found.map(({ blast }) => blast) };
}

export const BARE_LEDGER =
  'bare ledger (one process: the same bytes, durable claims of 64, inserted rows, nothing else)';

export function ofBare(found: Measured[]) {
  return { name: BARE_LEDGER, values: found.map(({ bare }) => bare) };
}

export function perSecond(found: Measured[]): number[] {
  return found.map(({ seconds, recipients }) => recipients / seconds);
}

const MEMORY = 'Highest resident memory';
export const SENDER_MEMORY = `${MEMORY}, sender`;

export const SENDER_MB = { atMost: 420, aim: 350 };

export function memory(found: Measured[]): Figure[] {
  return (['api', 'background', 'sender'] as const).map((process) => {
    const asked = process === 'sender' ? SENDER_MB : { atMost: 400 };
    const peaks = found.map(({ peakMb }) => peakMb[process]);
    return figure(`${MEMORY}, ${process}`, 'MB', peaks, { asked });
  });
}

export function tell(measured: Measured): Measured {
  const { recipients, seconds, sendingSeconds, freezeSeconds, bytes, micros, freezeMicros, peakMb } = measured;
  console.log(
    `${recipients} of ${bytes} bytes in ${seconds.toFixed(1)} s (audience ${freezeSeconds.toFixed(1)} s, sending ${sendingSeconds.toFixed(1)} s): ${Math.round(recipients / seconds)}/s;`,
    `blast ${Math.round(measured.blast)}/s, bare ledger ${Math.round(measured.bare)}/s; peak ${JSON.stringify(peakMb)} MB; ${measured.history} events`,
  );
  const cells = KINDS.map((kind) => `${kind} ${micros[kind]} (freeze ${freezeMicros[kind]})`);
  console.log(`  CPU a recipient, us: ${cells.join(', ')}`);
  return measured;
}
