import type { Figure } from '../rig/results/report.ts';
import { automationEditor } from './console/automation-editor.ts';
import { campaign } from './console/campaign.ts';
import { contacts } from './console/contacts.ts';
import { files } from './console/files.ts';
import { heap } from './console/heap.ts';
import { live } from './console/live.ts';
import { mailEditor } from './console/mail-editor.ts';
import { previews } from './console/previews.ts';
import { type ConsoleSize, size } from './console/size.ts';
import { chosen, keep } from './run.ts';

/**
 * The size of the console's files, the time of a preview of a draft, the editors of automations and mails at 200 steps and
 * blocks, and its pages in a real Chromium on the same machine: contacts at a million, a running campaign at 200 events a second, its heap over time, and the cost of an open page for a campaign. Arguments choose
 * among its parts.
 */

const parts = chosen<(size: ConsoleSize) => Promise<Figure[]>>({
  files,
  previews,
  automationEditor,
  mailEditor,
  contacts,
  live,
  campaign,
  heap,
});
for (const [, part] of parts) keep('console', await part(size));
process.exit(0);
