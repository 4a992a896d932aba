/** Resources that a 404 names: CAMPAIGN_NOT_FOUND. */
const RESOURCES = [
  'CAMPAIGN',
  'CONTACT',
  'CONTACT_LIST',
  'CUSTOM_FIELD',
  'TEMPLATE',
  'SENDER',
  'SUPPRESSION_GROUP',
  'AUTOMATION',
  'EVENT',
  'EMAIL',
  'IMPORT',
  'DOMAIN',
  'MIGRATION',
  'PROJECT',
  'API_KEY',
  'RECIPIENT',
  'WEBHOOK',
] as const;
export type Resource = (typeof RESOURCES)[number];

const others = [
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'ALREADY_EXISTS',
  'INVALID_STATE',
  'MIGRATION_IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_IN_PROGRESS',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'DOMAIN_NOT_VERIFIED',
  'TEMPLATE_RENDER_FAILED',
  'INVALID_PROVIDER_KEY',
  'RATE_LIMIT_EXCEEDED',
  'SERVER_ERROR',
  'UNAVAILABLE',
  'NAME_REQUIRED',
  'INVALID_STEP_SEQUENCE',
  'EMAIL_TEMPLATE_REQUIRED',
  'BRANCH_BRANCHES_REQUIRED',
  'EVENT_NAME_REQUIRED',
  'CANNOT_ACTIVATE_AUTOMATION',
  'EMAIL_OR_CONTACT_ID_REQUIRED',
  'CONTACT_NOT_FOUND_FOR_EVENT',
  'UNKNOWN_PROPERTY',
  'INVALID_PROPERTY_VALUE',
] as const;

export type ErrorCode = (typeof others)[number] | `${Resource}_NOT_FOUND`;

/** Every code of the interface and of its decisions, on one page. */
export const ERROR_CODES: readonly ErrorCode[] = [
  ...others,
  ...RESOURCES.map((resource) => `${resource}_NOT_FOUND` as const),
];
