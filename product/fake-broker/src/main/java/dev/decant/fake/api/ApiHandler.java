package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Collection;
import java.util.List;

/**
 * What a broker does with the requests of one API. One instance serves all brokers of a cluster; the context says which
 * broker was asked. Owner of the loop only, so handlers neither lock nor block: a response that has to wait is
 * completed later, from a timer or a watcher.
 *
 * @param <Q> the request
 * @param <R> the response
 */
public interface ApiHandler<Q, R> {
  /**
   * Handles a request. The request belongs to the handler and may be kept.
   *
   * @param request as the client sent it
   * @param context who asked which broker, in which version
   * @param reply completed exactly once, now or later
   */
  void handle(Q request, RequestContext context, Reply<R> reply);

  /**
   * The response that refuses all of a request with one error, for faults that a test asks for.
   *
   * @param request as the client sent it
   * @param context who asked which broker, in which version
   * @param error what to say
   */
  R refuse(Q request, RequestContext context, ErrorCode error);

  /**
   * Returns true if the client waits for a response, as all do but producers with {@code acks=0}.
   *
   * @param request as the client sent it
   */
  default boolean wantsResponse(Q request) {
    return true;
  }

  /**
   * The topics that a request names, for faults that concern one topic.
   *
   * @param request as the client sent it
   * @param cluster knows the topics of ids
   */
  default Collection<String> topics(Q request, Cluster cluster) {
    return List.of();
  }
}
