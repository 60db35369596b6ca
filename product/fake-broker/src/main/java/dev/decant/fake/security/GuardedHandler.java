package dev.decant.fake.security;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Collection;

/**
 * The handler of an API behind a guard. Requests of clients without limits skip the guard.
 *
 * @param <Q> the request
 * @param <R> the response
 */
final class GuardedHandler<Q, R> implements ApiHandler<Q, R> {
  private final ApiHandler<Q, R> next;
  private final Guard<Q, R> guard;

  GuardedHandler(ApiHandler<Q, R> next, Guard<Q, R> guard) {
    this.next = next;
    this.guard = guard;
  }

  @Override
  public void handle(Q request, RequestContext context, Reply<R> reply) {
    if (context.access().isLimited()) {
      guard.pass(request, context, reply, next);
    } else {
      next.handle(request, context, reply);
    }
  }

  @Override
  public R refuse(Q request, RequestContext context, ErrorCode error) {
    return next.refuse(request, context, error);
  }

  @Override
  public boolean wantsResponse(Q request) {
    return next.wantsResponse(request);
  }

  @Override
  public Collection<String> topics(Q request, Cluster cluster) {
    return next.topics(request, cluster);
  }
}
