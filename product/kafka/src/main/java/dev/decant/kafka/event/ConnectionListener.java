package dev.decant.kafka.event;

import dev.decant.kafka.KafkaException;

/**
 * Connections to brokers and the requests on them. Told by the owner of the client's loop, which does nothing else
 * meanwhile: return soon, do not block.
 */
public interface ConnectionListener {
  /**
   * A connection is ready: versions are negotiated.
   *
   * @param broker host and port
   * @param nanos since the attempt began, name resolution included
   */
  default void onReady(String broker, long nanos) {}

  /**
   * A connection was closed in good order, which is no error: the client or the coordinator's user was closed, or the
   * connection was idle. A broker that closes a connection after a second without a request has found it idle.
   *
   * @param broker host and port
   * @param reason who has closed it, and why
   */
  default void onClosed(String broker, String reason) {}

  /**
   * A connection, or an attempt to make one, has ended because something went wrong.
   *
   * @param broker host and port
   * @param unanswered requests that fail with it
   * @param cause why
   */
  default void onEnded(String broker, int unanswered, KafkaException cause) {}

  /**
   * A broker has answered a request.
   *
   * @param broker host and port
   * @param apiKey the API, as numbered by the Kafka protocol
   * @param bytes of the response
   * @param nanos since the request was queued
   */
  default void onResponse(String broker, short apiKey, int bytes, long nanos) {}

  /**
   * A broker wants no request for a while, since a quota is used up (KIP-219). Records wait meanwhile.
   *
   * @param broker host and port
   * @param millis how long
   */
  default void onThrottled(String broker, int millis) {}
}
