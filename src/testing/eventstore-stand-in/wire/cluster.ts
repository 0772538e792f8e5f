/**
 * What a client asks before it does anything: which methods the server has, and who leads.
 */
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { randomUUID } from 'node:crypto';
import type { ClusterMember, ServerContext } from '../server-context.js';
import { TICKS_PER_MILLISECOND } from '../store/record.js';
import { uuidMessage } from './identifiers.js';

type Answer<Response> = (
  call: ServerUnaryCall<shared.Empty, Response>,
  respond: sendUnaryData<Response>,
) => void;

const STREAMS = 'event_store.client.streams.streams';
const SERVER_FEATURES = 'event_store.client.server_features.serverfeatures';
const GOSSIP = 'event_store.client.gossip.gossip';

/** Lower-cased, as the server gives them: the client compares them so. */
const METHODS: readonly (readonly [string, string, readonly string[]])[] = [
  [STREAMS, 'append', []],
  [STREAMS, 'batchappend', ['deadline_duration']],
  [STREAMS, 'delete', []],
  [STREAMS, 'read', ['position', 'events']],
  [STREAMS, 'tombstone', []],
  [SERVER_FEATURES, 'getsupportedmethods', []],
  [GOSSIP, 'read', []],
];

export function serveSupportedMethods(context: ServerContext): Answer<features.SupportedMethods> {
  return (call, respond) => {
    const refusal = context.refusal('features', call.metadata);
    if (refusal !== undefined) {
      respond(refusal);
      return;
    }
    const methods = METHODS.map(([service, method, supported]) =>
      new features.SupportedMethod()
        .setServiceName(service)
        .setMethodName(method)
        .setFeaturesList([...supported]),
    );
    const answer = new features.SupportedMethods().setMethodsList(methods);
    respond(null, answer.setEventStoreServerVersion(context.serverVersion));
  };
}

export function serveGossip(context: ServerContext): Answer<gossip.ClusterInfo> {
  return (call, respond) => {
    const refusal = context.refusal('gossip', call.metadata);
    if (refusal !== undefined) {
      respond(refusal);
      return;
    }
    const members = context.members().map((member) => memberInfo(context, member));
    respond(null, new gossip.ClusterInfo().setMembersList(members));
  };
}

function memberInfo(context: ServerContext, member: ClusterMember): gossip.MemberInfo {
  return new gossip.MemberInfo()
    .setInstanceId(uuidMessage(randomUUID()))
    .setTimeStamp(String(BigInt(context.now()) * TICKS_PER_MILLISECOND))
    .setState(nodeState(member.state))
    .setIsAlive(member.alive)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(member.host).setPort(member.port));
}

function nodeState(state: ClusterMember['state']): gossip.MemberInfo.VNodeState {
  const { VNodeState } = gossip.MemberInfo;
  switch (state) {
    case 'leader':
      return VNodeState.LEADER;
    case 'follower':
      return VNodeState.FOLLOWER;
    case 'read-only-replica':
      return VNodeState.READONLYREPLICA;
    case 'catching-up':
      return VNodeState.CATCHINGUP;
  }
}
