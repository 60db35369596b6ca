package dev.decant.fake.api;

/**
 * Takes the response to a request. The broker reads no further request from the connection until then, as Kafka's
 * brokers do. A response to a closed connection is dropped.
 *
 * @param <R> the response
 */
public interface Reply<R> {
  /** Sends the response, which must not change afterwards. */
  void complete(R response);

  /** Ends the request without a response: the client wants none (acks=0). */
  void completeWithoutResponse();

  /**
   * Closes the connection instead of a response, as brokers do with a request that they cannot read.
   *
   * @param reason reason for the log
   */
  void closeConnection(String reason);

  /**
   * Runs a step that completes the request. If it throws, this request fails with UNKNOWN_SERVER_ERROR. Without this
   * the failure would hit the request in whose course the step runs: a waiting fetch that threw once failed the
   * producer
   * whose batch it had waited for.
   */
  void attempt(Runnable step);
}
