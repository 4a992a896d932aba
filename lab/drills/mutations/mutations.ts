import { apiMutations } from './list/api.ts';
import { audienceMutations } from './list/audience.ts';
import { blocksMutations } from './list/blocks.ts';
import { campaignsMutations } from './list/campaigns.ts';
import { edgesMutations } from './list/edges.ts';
import { feedbackMutations } from './list/feedback.ts';
import { ledgerMutations } from './list/ledger.ts';
import { publicMutations } from './list/public.ts';
import { reportsMutations } from './list/reports.ts';
import { returnsMutations } from './list/returns.ts';
import { rulesMutations } from './list/rules.ts';
import { sendingMutations } from './list/sending.ts';
import { tenancyMutations } from './list/tenancy.ts';
import type { Mutation } from './mutation.ts';

/** Changes of one line that break a rule, each with the tests that must fail. */
export const mutations: readonly Mutation[] = [
  ...campaignsMutations,
  ...ledgerMutations,
  ...blocksMutations,
  ...sendingMutations,
  ...rulesMutations,
  ...apiMutations,
  ...tenancyMutations,
  ...feedbackMutations,
  ...edgesMutations,
  ...returnsMutations,
  ...audienceMutations,
  ...reportsMutations,
  ...publicMutations,
];
