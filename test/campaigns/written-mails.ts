import { expect } from 'chai';
import type { Client, Reply } from '../support/client.ts';
import { type Stage, startStage } from './support.ts';

/** A mail of blocks with a title and a footer. */
export const contentOf = (text: string) => ({
  v: 1,
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text }] },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
});

/** The answer to a request that must succeed. */
export async function done(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, body, text } = await reply;
  expect(status, text).to.be.within(200, 202);
  return body.data;
}

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
