import { type Client, done } from '../support/client.ts';
import { type Stage, startStage } from './support.ts';

/** A mail of blocks with a title and a footer. */
export const contentOf = (text: string) => ({
  v: 1,
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text }] },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
});

/** For a whole suite of campaigns that mails are written in; `usual`: the fields of each. */
export function useWrittenMails(usual: object) {
  const stage = {} as Stage;
  before(async () => {
    Object.assign(stage, await startStage());
  });
  after(() => stage.stop());
  return {
    stage,
    create: (fields: object) => done(stage.create({ ...usual, ...fields })),
    patch: (id: string, fields: object, client: Client = stage.own.client) =>
      done(client.patch(`/campaigns/${id}`, fields)),
    template: (templateId: string) => stage.own.client.get(`/templates/${templateId}`),
  };
}
