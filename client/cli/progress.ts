import type { Context } from './command.ts';
import { printAnswer } from './print.ts';

export interface Progress {
  /** 'sending', 'uploading' */
  label: string;
  percent: number;
  /** Follows the bar: '4,520 of 10,000'. */
  text: string;
}

const BAR_MAX = 30;
/** Without a terminal a line is printed when the label changes, after each percent, and after this time. */
const LINE_EVERY_MS = 30_000;

/** One line that moves on a terminal, plain lines elsewhere, nothing with --json. */
interface ProgressLine {
  show(progress: Progress): void;
  /** The last state stays. */
  end(): void;
}

export function progressLine({ columns, isJson, print, write }: Context): ProgressLine {
  if (isJson) return { show() {}, end() {} };
  if (columns === null) return plainLines(print);
  let isShown = false;
  return {
    show(progress) {
      isShown = true;
      write(`\r\x1b[K${barOf(progress, columns)}`);
    },
    end() {
      if (isShown) write('\n');
      isShown = false;
    },
  };
}

/** Shows each state until the last, or one that is enough; returns it. */
export async function watchProgress<State>(
  context: Context,
  states: AsyncIterable<State>,
  progressOf: (state: State) => Progress,
  isEnough: (state: State) => boolean = () => false,
): Promise<State | undefined> {
  const line = progressLine(context);
  let last: State | undefined;
  try {
    for await (const state of states) {
      last = state;
      if (context.isJson) printAnswer(context, state);
      else line.show(progressOf(state));
      if (isEnough(state)) break;
    }
  } finally {
    line.end();
  }
  return last;
}

function plainLines(print: (line: string) => void): ProgressLine {
  let last = '';
  let lastAt = 0;
  return {
    show({ label, percent, text }) {
      const step = `${label} ${Math.floor(percent)}`;
      if (step === last && performance.now() - lastAt < LINE_EVERY_MS) return;
      last = step;
      lastAt = performance.now();
      print(`${label} ${percent.toFixed(1)} % ${text}`.trimEnd());
    },
    end() {},
  };
}

/** Never longer than the terminal is wide: a line that wraps cannot be written over. */
function barOf({ label, percent, text }: Progress, columns: number): string {
  const around = `${label}  ${percent.toFixed(1).padStart(5)} %  ${text}`;
  const width = Math.min(BAR_MAX, columns - around.length - 2);
  if (width < 5) return around.slice(0, columns - 1);
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * width);
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${around.slice(label.length + 2)}`;
}
