import { capacity, costOf, memoryOf, useOfDay } from './capacity.ts';
import type { Costs } from './costs.ts';
import type { Installation } from './installation.ts';

/** The answer of the model as text: each computed figure with its reason, then all that was measured and all that was assumed. */
export function tables(installation: Installation, costs: Costs): string[] {
  return [
    ...ofMachines(installation, costs),
    ...ofWorks(installation, costs),
    ...ofDay(installation, costs),
    ...ofPrice(installation, costs),
    ...assumptions(installation, costs),
  ];
}

function ofMachines(installation: Installation, costs: Costs): string[] {
  const rows = installation.machines.map((machines) => {
    const { name, count, cores, memoryGiB, parts } = machines;
    const needed = memoryOf(machines, costs) / 1_024;
    const processes = Object.entries(parts).map(([part, number]) => `${part} ${number}`);
    const isTooMuch = needed > memoryGiB;
    return [
      ...[name, `${count}`, `${cores}`, `${memoryGiB} GiB`, processes.join(', ')],
      needed === 0 ? 'servers only' : `${needed.toFixed(1)} GiB${isTooMuch ? ': TOO MUCH' : ''}`,
    ];
  });
  return [...table(['machines', 'count', 'cores', 'memory', 'processes on each', 'ours under load'], rows), ''];
}

function ofWorks(installation: Installation, costs: Costs): string[] {
  const rows = costs.works.map((given) => {
    const { work, perSecond, limits } = capacity(given, installation, costs);
    const [first, second] = limits;
    const next = second ? `${second.name} ${Math.round((perSecond / second.perSecond) * 100)} %` : '';
    return [work.name, work.unit, rounded(perSecond), first?.name ?? '', first?.because ?? '', next];
  });
  const head = ['work', 'one unit', 'a second', 'first limit', 'because', 'the next, used'];
  return ['One kind of work at a time (computed):', ...table(head, rows), ''];
}

function ofDay(installation: Installation, costs: Costs): string[] {
  const { used, bytes, writesPerSecond } = useOfDay(installation, costs);
  const { day, busyHours, usable } = installation;
  const [first] = used;
  const load = Object.entries(day).map(([name, units]) => `${units.toLocaleString('en-US')} ${name}`);
  const unsized = costs.works.filter(({ name, bytes: size }) => (day[name] ?? 0) > 0 && !size).map(({ name }) => name);
  const fits = first === undefined || first.share <= 1;
  return [
    `A day of ${load.join(', ')}, done in ${busyHours} hours (computed):`,
    ...table(
      ['resource', `used, of the ${Math.round(usable * 100)} % that are planned for`],
      used.slice(0, 6).map(({ name, share }) => [name, `${(share * 100).toFixed(1)} %`]),
    ),
    fits ? `It fits ${first ? (1 / first.share).toFixed(1) : ''} times.` : `IT DOES NOT FIT: ${first.name} is short.`,
    `MongoDB grows by ${(bytes / 2 ** 30).toFixed(1)} GiB a day until retention removes it${unsized.length > 0 ? `, without ${unsized.join(', ')}, whose bytes were not recorded` : ''}.`,
    `Its primaries write ${rounded(writesPerSecond)} documents a second in the busy hours, of the kinds whose writes were recorded.`,
    '',
  ];
}

function ofPrice(installation: Installation, costs: Costs): string[] {
  const { cores, perHour } = costOf(installation);
  const [campaign] = costs.works;
  const full = campaign ? capacity(campaign, installation, costs).perSecond : 0;
  const aMillion = full > 0 ? (perHour / (full * 3_600)) * 1e6 : Number.NaN;
  return [
    `${cores} cores x ${installation.pricePerCoreHour} an hour (assumed) = ${perHour.toFixed(2)} an hour, ${rounded(perHour * 730)} a month.`,
    `A million recipients at the planned throughput of campaigns: ${aMillion.toFixed(2)}, disks, traffic and relay not counted.`,
    '',
  ];
}

function assumptions(installation: Installation, costs: Costs): string[] {
  const { usable, relay, replication, shards, primaryWritesPerSecond } = installation;
  const holes = costs.works.flatMap(({ name, notRecorded }) =>
    notRecorded.length > 0 ? [`${name}: ${notRecorded.join(', ')}`] : [],
  );
  return [
    'Measured, in lab/results/bench, on two cores that carried everything:',
    ...costs.works.flatMap(({ name, micros, alone }) => [
      `  ${name}: ${Object.entries(micros)
        .map(([part, { value }]) => `${part} ${Number(value.toPrecision(3))} us`)
        .join(', ')}; one process alone: ${
        Object.entries(alone)
          .map(([part, { value }]) => `${part} ${Math.round(value)} a second`)
          .join(', ') || 'not recorded'
      }`,
      ...new Set([...Object.values(micros), ...Object.values(alone)].map(({ from }) => `    from ${from}`)),
    ]),
    'Assumed, not measured:',
    `  CPU costs grow with the work in a straight line; a core here is a core there; the network costs nothing.`,
    `  ${Math.round(usable * 100)} % of CPU is planned for (--usable).`,
    `  A primary needs ${replication} times the CPU of a member that is alone (replication).`,
    `  ${relay.connections} connections to the relay, a mail in ${relay.ackMs} ms on each; ${relay.signs ? 'the relay signs' : 'our senders sign twice (RSA-2048, Ed25519)'}.`,
    ...(shards > 1 ? [`  ${shards} shards share the data evenly: designed, not proven.`] : []),
    ...(primaryWritesPerSecond === null
      ? ['  The disk of a primary is not in the model: give primaryWritesPerSecond.']
      : []),
    '  Temporal is its development server on SQLite here; one with PostgreSQL costs something else.',
    ...(holes.length > 0 ? [`  Counted as nothing, because not recorded: ${holes.join('; ')}.`] : []),
  ];
}

export function rounded(value: number): string {
  return Math.round(Number(value.toPrecision(3))).toLocaleString('en-US');
}

function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (cells: string[]) => `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
