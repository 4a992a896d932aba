import { computed, signal } from '@preact/signals';
import { type CurrentSession, Everpost, EverpostError } from '../client/index.ts';
import { api, fetchWithSession, sessionEnded, tenantHeaders } from './api.ts';
import { removeDrafts } from './drafts.ts';
import { noteSession, noteSignOut } from './return.ts';
import { linkedProject, place } from './router.ts';

export type Role = CurrentSession['organizations'][number]['role'];

/** undefined: not asked yet. null: signed out. */
export const session = signal<CurrentSession | null | undefined>(undefined);

/** Why it could not be asked for. */
export const sessionFailure = signal<unknown>(null);

const PROJECTS_OF_SESSION = 100;
const LAST_PROJECT = 'everpost-project';

/** The project that the address names, else the last one, else the first; with its organization. */
export const current = computed(() => {
  const organizations = session.value?.organizations ?? [];
  const all = organizations.flatMap((organization) =>
    organization.projects.map((project) => ({ organization, project })),
  );
  const find = (id: string | null) => all.find(({ project }) => project.id === id);
  return find(place.value.projectId) ?? find(localStorage.getItem(LAST_PROJECT)) ?? all[0] ?? null;
});

/** The address names a project that this person does not have. */
export const isForeignProject = computed(() => {
  const { projectId } = place.value;
  return projectId !== null && session.value != null && current.value?.project.id !== projectId;
});

/** The organization of the project; the first one while there is no project. */
const organization = computed(() => current.value?.organization ?? session.value?.organizations[0] ?? null);

export const role = computed<Role>(() => organization.value?.role ?? 'viewer');

const allowed = computed(() => new Set(organization.value?.operations));

export async function loadSession(): Promise<void> {
  try {
    const found = await api.session.get();
    session.value = { ...found, organizations: await Promise.all(found.organizations.map(withAllProjects)) };
    sessionFailure.value = null;
    noteSession();
    sessionEnded.value = false;
  } catch (error) {
    const isSignedOut = error instanceof EverpostError && error.status === 401;
    // A page that is open keeps what was typed.
    if (isSignedOut && session.peek()) sessionEnded.value = true;
    else if (isSignedOut) session.value = null;
    else sessionFailure.value = error;
  }
}

type Organization = CurrentSession['organizations'][number];

/** The session names the first hundred. */
async function withAllProjects(one: Organization): Promise<Organization> {
  if (one.projects.length < PROJECTS_OF_SESSION) return one;
  const headers = { 'x-organization-id': one.id };
  const asked = new Everpost({
    apiKey: null,
    baseUrl: location.origin,
    fetch: (input, init) => fetchWithSession(input, { ...init, headers: { ...init?.headers, ...headers } }),
  });
  const projects: Organization['projects'] = [];
  for await (const { id, name } of asked.projects.list()) projects.push({ id, name });
  return { ...one, projects };
}

export async function signOut(): Promise<void> {
  noteSignOut();
  await api.session.delete();
  session.value = null;
  tenantHeaders.value = {};
  removeDrafts();
}

/** For the frame: the headers and links of the current project. */
export function followProject(): void {
  const found = current.value;
  linkedProject.value = found?.project.id ?? null;
  tenantHeaders.value = found ? { 'x-organization-id': found.organization.id, 'x-project-id': found.project.id } : {};
  if (found) localStorage.setItem(LAST_PROJECT, found.project.id);
}

/** Whether this person's role may call the operation, for example 'campaigns.pause'. */
export function can(operation: string): boolean {
  return allowed.value.has(operation);
}

/** Why not, and what to do about it: for a disabled button. */
export function whyNot(): string {
  return `Your role is ${role.value}, which does not include this. An owner of the organization can change it under Members.`;
}
