import { defineQuery, defineSignal, setHandler } from '@temporalio/workflow';
import { queries } from './messages.ts';

/** Whether the run's signal came; the run clears it before it reads what the signal is about. */
export interface Control {
  isSignalled: boolean;
}

/** Descriptions are shown in the Web UI. */
export function onSignal(signal: string, description: string): Control {
  const control = { isSignalled: false };
  const note = () => {
    control.isSignalled = true;
  };
  setHandler(defineSignal(signal), note, { description });
  return control;
}

export function showState(state: () => unknown, description: string): void {
  setHandler(defineQuery(queries.state), state, { description });
}
