import { corpus } from './corpus.ts';
import { type Doors, inboundCases, openDoors, submissionCase, toolCases } from './doors.ts';
import { type Case, type Judged, judge } from './judge.ts';
import { caseOf, choiceOf, choices, operations } from './operations.ts';
import { numbersOf } from './shapes.ts';
import { type Stage, startStage } from './stage.ts';

interface Cases {
  /** With a body, a file or a mail. */
  large: Case[];
  /** With texts in their address alone. */
  small: Case[];
}

/** Everything that a stranger can send, each with so many shapes; `isWhole`: bodies as large as they may be, not cut to 4 MiB. */
export function casesOf(
  stage: Stage,
  doors: Doors,
  { seed, shapes, isWhole }: { seed: number; shapes: number; isWhole: boolean },
): Cases {
  const [withBody, without] = [
    operations.filter(({ body, rawBody }) => body || rawBody),
    operations.filter(({ body, rawBody }) => !body && !rawBody),
  ];
  const calls = (some: typeof operations, count: number) =>
    some.flatMap((one) => choices(seed, one, count).map((choice) => caseOf(stage, one, choice, isWhole)));
  const others = Array.from({ length: shapes }, (_, at) => {
    const choice = choiceOf(seed + at);
    const mails = [...inboundCases(stage, doors, choice, isWhole), submissionCase(stage, doors, choice, isWhole)];
    return [...mails, ...toolCases(stage, choice)];
  });
  return { large: [...calls(withBody, shapes), ...others.flat()], small: calls(without, 1) };
}

/** So many of them, drawn by the seed; the same seed draws the same. */
export function sampleOf(cases: readonly Case[], seed: number, count: number): Case[] {
  const random = numbersOf(seed);
  const drawn = cases.map((one) => ({ one, at: random() })).toSorted((a, b) => a.at - b.at);
  return drawn.slice(0, count).map(({ one }) => one);
}

/** The whole, for the drill: the corpus, and everything with so many shapes. */
export async function* judgeEverything(seed: number, shapes: number): AsyncIterable<Judged> {
  const stage = await startStage();
  const doors = await openDoors(stage);
  try {
    const { large, small } = casesOf(stage, doors, { seed, shapes, isWhole: true });
    for (const one of [...corpus(stage), ...large, ...small]) yield await judge(one);
  } finally {
    await doors.stop();
    await stage.stop();
  }
}

/** The longest turns, each operation and door once. */
export function worstOf(all: readonly Judged[], count: number): Judged[] {
  const sorted = all.toSorted((a, b) => b.longestMs - a.longestMs);
  const seen = new Set<string>();
  return sorted.filter(({ name }) => seen.size < seen.add(name.replace(/,.*/, '')).size).slice(0, count);
}
