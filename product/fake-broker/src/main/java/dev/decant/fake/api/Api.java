package dev.decant.fake.api;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;

/**
 * An API of the cluster: its messages and its handler.
 *
 * @param reader decodes requests
 * @param writer encodes responses
 * @param throttle sets the throttle time of responses
 * @param handler handles requests
 * @param <Q> the request
 * @param <R> the response
 */
public record Api<Q, R>(ApiKey key, Reader<Q> reader, Writer<R> writer, Throttle<R> throttle,
    ApiHandler<Q, R> handler) {

  /**
   * Decodes a request.
   *
   * @param <Q> the request
   */
  @FunctionalInterface
  public interface Reader<Q> {
    /** Reads a request of a version. */
    Q read(ProtocolReader in, short version);
  }

  /**
   * Encodes a response.
   *
   * @param <R> the response
   */
  @FunctionalInterface
  public interface Writer<R> {
    /** Writes a response of a version. */
    void write(R response, ProtocolWriter out, short version);
  }

  /**
   * Sets the throttle time of a response.
   *
   * @param <R> the response
   */
  @FunctionalInterface
  public interface Throttle<R> {
    /** Sets the time, and returns the same response. */
    R set(R response, int throttleTimeMs);
  }
}
