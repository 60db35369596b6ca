package dev.decant.fake.api;

import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Coordinators;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse.Coordinator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * FindCoordinator: returns the coordinator of a group, a transactional id or a partition of a share group; from version
 * 4 on of several at once.
 */
final class FindCoordinatorHandler implements ApiHandler<FindCoordinatorRequest, FindCoordinatorResponse> {
  private static final int FIRST_WITH_LIST = 4;
  private static final int FIRST_WITH_SHARES = 6;
  /** The key of a share partition: group, topic id and partition (KIP-932). */
  private static final Pattern SHARE_KEY = Pattern.compile(".*\\S.*:[A-Za-z0-9_-]{22}:[+-]?[0-9]{1,9}", Pattern.DOTALL);
  private static final int NO_NODE = -1;
  private static final String INVALID = "This most likely occurs because of a request being malformed by the client"
      + " library or the message was sent to an incompatible broker. See the broker logs for more details.";

  private final Cluster cluster;

  FindCoordinatorHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(FindCoordinatorRequest request, RequestContext context, Reply<FindCoordinatorResponse> reply) {
    reply.complete(response(keys(request, context).stream()
        .map(key -> find(request.keyType(), key, context.version())).toList(),
        context));
  }

  private static List<String> keys(FindCoordinatorRequest request, RequestContext context) {
    return context.version() < FIRST_WITH_LIST ? List.of(request.key()) : request.coordinatorKeys();
  }

  private static boolean isValid(Coordinators.Type type, String key, short version) {
    return switch (type) {
      case GROUP -> true;
      case TRANSACTION -> !key.isEmpty();
      case SHARE -> version >= FIRST_WITH_SHARES && SHARE_KEY.matcher(key).matches();
    };
  }

  private Coordinator find(byte keyType, String key, short version) {
    Coordinators.Type[] types = Coordinators.Type.values();
    if (keyType < 0 || keyType >= types.length || !isValid(types[keyType], key, version)) {
      return failed(key, ErrorCode.INVALID_REQUEST).errorMessage(INVALID);
    }
    Broker broker = cluster.coordinators().of(types[keyType], key);
    return broker == null
        ? failed(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        : new Coordinator().key(key).nodeId(broker.id()).host(broker.host()).port(broker.port());
  }

  private static Coordinator failed(String key, ErrorCode error) {
    return new Coordinator().key(key).errorCode(error.code()).nodeId(NO_NODE).port(NO_NODE);
  }

  private static FindCoordinatorResponse response(List<Coordinator> coordinators, RequestContext context) {
    if (context.version() >= FIRST_WITH_LIST) {
      return new FindCoordinatorResponse().coordinators(coordinators);
    }
    Coordinator one = coordinators.getFirst();
    String message = one.errorCode() == ErrorCode.NONE.code() ? ErrorCode.NONE.name() : one.errorMessage();
    return new FindCoordinatorResponse().errorCode(one.errorCode()).errorMessage(message)
        .nodeId(one.nodeId()).host(one.host()).port(one.port());
  }

  @Override
  public FindCoordinatorResponse refuse(FindCoordinatorRequest request, RequestContext context, ErrorCode error) {
    return response(keys(request, context).stream().map(key -> failed(key, error)).toList(), context);
  }
}
