import { languageFor, languageOf, textsIn } from '../../../core/base/text/languages/index.ts';
import { findAsking, findDataLink, requestData, takeData } from '../../../core/persons-own/personal-data/requests.ts';
import { personalDataFile } from '../../../schemas/persons-own/personal-data.ts';
import { readForm } from '../../http/body/form.ts';
import { endpoint, type RequestFacts } from '../../http/endpoint.ts';
import { dataDownload, PERSON_DOWNLOAD_BYTES } from '../../http/streams/person-download.ts';
import { dataAskedPage, dataLinkOver, dataLinkPage } from '../../pages/data.ts';
import { linkNotFound } from '../../pages/not-found.ts';

const tag = 'public';
const OF_FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data', ''];
const over = { 404: 'The link was used, has expired or never was.' } as const;

export const personalDataRoutes = [
  endpoint({
    operation: 'public.requestData',
    method: 'post',
    path: '/p/{token}/data',
    key: 'none',
    tag,
    summary: 'Have a link to the data of the address mailed to it. The answer is the same for every address',
    description: 'One a day for an address and project; more send nothing.',
    rawBody: OF_FORMS,
    produces: ['text/html'],
    errors: { 404: 'The token is not one of ours.' },
    handler: async ({ deps, params, request }) => {
      await readForm(request.incoming);
      const asking = await findAsking(deps, params.token ?? '');
      if (!asking) return linkNotFound(request);
      const language = languageOf(asking.project, asking.person.contact, request.header('accept-language'));
      await requestData(deps, asking, language);
      return dataAskedPage(asking.project, textsIn(language));
    },
  }),
  endpoint({
    operation: 'public.dataPage',
    method: 'get',
    path: '/d/{token}',
    key: 'none',
    tag,
    summary: 'The page that a link to the data of a person opens. Looking at it changes nothing',
    produces: ['text/html'],
    errors: over,
    handler: async ({ deps, params, request }) => {
      const found = await findDataLink(deps, params.token ?? '');
      if (!found) return linkOver(request);
      const { project, person } = found;
      return dataLinkPage(project, textsIn(languageOf(project, person.contact, request.header('accept-language'))));
    },
  }),
  endpoint({
    operation: 'public.downloadData',
    method: 'post',
    path: '/d/{token}',
    key: 'none',
    tag,
    summary: 'The button of that page: downloads the data, once',
    description: 'A download that breaks off gives the link back, until it expires.',
    rawBody: OF_FORMS,
    heldBytes: PERSON_DOWNLOAD_BYTES,
    produces: ['application/json'],
    answer: personalDataFile,
    errors: over,
    handler: async ({ deps, params, request }) => {
      await readForm(request.incoming);
      const chunks = await takeData(deps, params.token ?? '');
      return chunks ? dataDownload(chunks) : linkOver(request);
    },
  }),
];

function linkOver({ header }: Pick<RequestFacts, 'header'>) {
  return dataLinkOver(textsIn(languageFor({ acceptLanguage: header('accept-language') })));
}
