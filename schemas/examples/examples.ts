import { answerExamples } from './answers.ts';
import { bodyExamples } from './bodies.ts';
import { eventExamples } from './events.ts';
import { nowExamples } from './now.ts';
import { reportExamples } from './reports.ts';

/** Examples of the OpenAPI document, by the name of the component that they show. */
export const examples: Record<string, unknown> = {
  ...bodyExamples,
  ...answerExamples,
  ...reportExamples,
  ...nowExamples,
  ...eventExamples,
};
