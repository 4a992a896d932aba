/** Every type of run. The name of the function is the name of the type, so renaming one breaks runs that are under way. */
export { automationEnrollment } from './automations.ts';
export { campaignSend } from './campaigns.ts';
export { domainCheck } from './domains.ts';
export { contactImport } from './imports.ts';
export { metricsRefresh } from './metrics.ts';
export { migration } from './migrations.ts';
export { opensRecompute } from './opens.ts';
export { segmentRecompute } from './segments.ts';
