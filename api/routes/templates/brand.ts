import { getBrand, previewBrand, updateBrand } from '../../../core/accounts/brand/brand.ts';
import {
  brandAnswer,
  brandPreviewAnswer,
  previewBrandBody,
  updateBrandBody,
  updatedBrandAnswer,
} from '../../../schemas/templates/brand.ts';
import { endpoint, PREVIEWS_A_MINUTE, TOUCHED_COST } from '../../http/endpoint.ts';
import { presentTouched } from '../../present/templates.ts';

const tag = 'templates';

export const brandRoutes = [
  endpoint({
    operation: 'brand.get',
    method: 'get',
    path: '/brand',
    key: 'token',
    tag,
    summary: 'Get the brand of the project, which content blocks name',
    answer: brandAnswer,
    handler: async ({ deps, project }) => getBrand(deps, project),
  }),
  endpoint({
    operation: 'brand.update',
    method: 'patch',
    path: '/brand',
    key: 'token',
    tag,
    summary: 'Change the brand, and publish templates that name it again',
    description:
      'Fields that are left out stay. A colour of words without a contrast of 4.5:1 is 400. Published templates keep the brand that they were made with until they are published again.',
    body: updateBrandBody,
    answer: updatedBrandAnswer,
    handler: async ({ deps, project, body, request: { by } }) => updateBrand(deps, project, body, { by }),
  }),
  endpoint({
    operation: 'brand.preview',
    method: 'post',
    path: '/brand/preview',
    key: 'token',
    tag,
    summary: 'List the templates that a brand would change, without saving it',
    body: previewBrandBody,
    answer: brandPreviewAnswer,
    isComputed: true,
    perMinute: PREVIEWS_A_MINUTE,
    cost: TOUCHED_COST,
    handler: async ({ deps, project, body }) => {
      return presentTouched(await previewBrand(deps, project, body));
    },
  }),
];
