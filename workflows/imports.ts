import { setCurrentDetails } from '@temporalio/workflow';
import type { ImportActivities } from '../activities/imports.ts';
import type { ImportProgress } from '../core/people/imports/progress.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { showState } from './control.ts';

interface ContactImportInput {
  projectId: string;
  importId: string;
}

/** Reads an uploaded file into contacts, in slices of ten seconds, until its end. */
export async function contactImport(input: ContactImportInput): Promise<ImportProgress> {
  let last: ImportProgress | null = null;
  showState(() => last, 'How far the file is read.');
  const { importContactsSlice } = activitiesOn<ImportActivities>('background', {
    startToCloseTimeout: '10 minutes',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });

  for (;;) {
    last = await importContactsSlice.executeWithOptions({ summary: `read from row ${(last?.rows ?? 0) + 1}` }, [input]);
    showAttributes({ State: last.status });
    setCurrentDetails(`**${last.status}**: ${last.rows} rows read (${last.percent} %), ${last.failed} failed.`);
    if (last.status !== 'running') return last;
  }
}
