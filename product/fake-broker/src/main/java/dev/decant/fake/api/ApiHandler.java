package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Collection;
import java.util.List;

/**
 * Handles the requests of one API. One instance serves all brokers of a cluster; the context names the broker that
 * received the request. Owner of the loop only, so handlers neither lock nor block: a timer or a watcher completes a
 * response that must wait.
 *
 * @param <Q> the request
 * @param <R> the response
 */
public interface ApiHandler<Q, R> {
  /**
   * Handles a request. The handler owns the request and may keep it.
   *
   * @param context client, broker and version of the request
   * @param reply to be completed once, now or later
   */
  void handle(Q request, RequestContext context, Reply<R> reply);

  /** Returns the response that refuses all of a request with one error, for a test's fault. */
  R refuse(Q request, RequestContext context, ErrorCode error);

  /** Returns true if the client waits for a response, as all do except producers with {@code acks=0}. */
  default boolean wantsResponse(Q request) {
    return true;
  }

  /**
   * Returns the topics that a request names, for faults of one topic.
   *
   * @param cluster finds the topics of ids
   */
  default Collection<String> topics(Q request, Cluster cluster) {
    return List.of();
  }
}
