/**
 * People and work that exist only in memory and always agree, for looking at pages while they are being
 * drawn. Nothing is checked here; tests use the real rooms.
 */
import type { Services, Session, TeamOfUser } from '../src/dashboard/services.ts';
import { makeLookAlerts } from './look-alerts.ts';
import { makeLookWork } from './look-work.ts';

export type Scene = {
  isSetUp: boolean;
  isSignedIn: boolean;
  role: TeamOfUser['role'];
  used: number;
};

const team = (role: TeamOfUser['role']): TeamOfUser => ({
  id: 't1',
  name: 'Northwind Operations',
  role,
});

export function makeLookServices(scene: Scene): Services {
  const cookie = 'look=1; Path=/; HttpOnly; SameSite=Lax';
  const signedIn = { kind: 'signed-in' as const, setCookies: [cookie] };
  const done = { kind: 'done' as const };
  const session = (): Session => ({
    id: 's1',
    user: {
      id: 'u1',
      name: 'Ada Bell',
      email: 'ada@example.com',
      isEmailVerified: true,
      hasSecondFactor: false,
    },
    team: team(scene.role),
    teams: [team(scene.role), { id: 't2', name: 'Side project', role: 'owner' }],
    setCookies: [],
  });
  const accounts: Services['people']['accounts'] = {
    isSetUp: async () => scene.isSetUp,
    asksSetupCode: () => false,
    mayRegister: () => false,
    sendsMail: () => false,
    readSession: async () => (scene.isSignedIn ? session() : null),
    createFirstAccount: async () => ({
      kind: 'refused',
      errors: { password: ['The password must have at least 12 characters.'] },
    }),
    confirmsFirst: () => false,
    requestSignUp: async () => done,
    readSignUp: async () => null,
    finishSignUp: async () => signedIn,
    requestEmailConfirmation: async () => done,
    register: async () => signedIn,
    signIn: async () => ({ kind: 'wrong' }),
    verifySecondFactor: async () => signedIn,
    signOut: async () => ({ setCookies: [] }),
    signOutEverywhere: async () => ({ setCookies: [] }),
    requestPasswordReset: async () => done,
    isResetTokenValid: async () => true,
    resetPassword: async () => ({ kind: 'done', setCookies: [] }),
    changeName: async () => done,
    changeEmail: async () => done,
    confirmEmail: async () => done,
    stopEmailChange: async () => done,
    generateApiToken: async () => ({ kind: 'generated', token: 'x' }),
    changePassword: async () => signedIn,
    beginSecondFactor: async () => ({
      kind: 'begun',
      otpauthUri: 'otpauth://totp/x',
      recoveryCodes: [],
    }),
    confirmSecondFactor: async () => signedIn,
    endSecondFactor: async () => signedIn,
    deleteAccount: async () => ({ kind: 'deleted', setCookies: [] }),
  };
  const teams: Services['people']['teams'] = {
    createTeam: async () => ({ kind: 'created', teamId: 't3' }),
    renameTeam: async () => done,
    switchTeam: async () => true,
    describeTeam: async () => ({ leading: [], memberCount: 3 }),
    describeTeamDeletion: async () => ({ crons: 4, queues: 2, jobs: 120, members: 3 }),
    deleteTeam: async () => done,
    leaveTeam: async () => done,
    transferTeam: async () => done,
    listMembers: async () => [
      {
        userId: 'u1',
        name: 'Ada Bell',
        email: 'ada@example.com',
        role: 'owner',
        joinedAt: Date.now() - 9e9,
      },
      {
        userId: 'u2',
        name: 'Grace Hill',
        email: 'grace@example.com',
        role: 'admin',
        joinedAt: Date.now() - 5e9,
      },
      {
        userId: 'u3',
        name: 'Linus Frost',
        email: 'linus@example.com',
        role: 'member',
        joinedAt: Date.now() - 2e8,
      },
    ],
    changeRole: async () => done,
    removeMember: async () => done,
    listInvitations: async () => [
      {
        id: 'i1',
        email: 'new@example.com',
        role: 'member',
        invitedByName: 'Ada Bell',
        createdAt: Date.now() - 7e7,
        expiresAt: Date.now() + 5e8,
      },
    ],
    invite: async () => ({
      kind: 'invited',
      link: 'http://localhost/invitations/x',
      mailed: false,
    }),
    revokeInvitation: async () => true,
    readInvitation: async () => ({
      teamName: 'Northwind',
      email: null,
      role: 'member',
      invitedByName: 'Ada Bell',
    }),
    acceptInvitation: async () => done,
    registerByInvitation: async () => signedIn,
  };
  return {
    people: {
      accounts,
      teams,
      tokens: {
        readApiToken: async () =>
          scene.used === 870
            ? null
            : { hint: '7Qx2', createdAt: Date.now() - 9e5, lastUsedAt: null },
      },
      signing: {
        readSigningSecret: async () => ({
          createdAt: Date.now() - 8e8,
          masked: '••••••••••••3f9c',
        }),
        revealSigningSecret: async () => 'secret',
        generateSigningSecret: async () => 'x',
        deleteSigningSecret: async () => undefined,
      },
      billing: {
        readUsage: async () => ({ plan: 'free', limit: 1000, used: scene.used }),
        listUsageByDay: async () =>
          Array.from({ length: new Date().getUTCDate() }, (_, at) => ({
            day: new Date(Date.now() - at * 86_400_000).toISOString().slice(0, 10),
            runs: 20 + ((at * 17) % 23),
          })),
      },
    },
    work: {
      readPulse: async () => ({ failingCrons: 1, failedJobs: 41, unreadAlerts: 3 }),
      readCounts: async () => ({
        crons: { active: 12, paused: 2 },
        queues: { active: 3, paused: 1 },
        jobs: { pending: 10_001, processing: 4, retrying: 17 },
      }),
      findFirstCreatedSince: async () => null,
      ...makeLookWork(),
      ...makeLookAlerts(),
    } as unknown as Services['work'],
    notifier: { sendTest: async () => ({ kind: 'failed', error: 'HTTP 404 error' }) },
  };
}
